import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startReadingGateway } from '../gateway.ts'
import { residentMib } from '../support/memory.ts'

/**
 * The service with load shedding, the service without it, and hand-written routes with the same
 * SQL.
 */
export const VARIANTS = ['shedding', 'queueing', 'raw'] as const
export type Variant = (typeof VARIANTS)[number]

export interface Server {
  readonly url: string
  /** Peak of resident memory in MiB. Null if the system does not report it. */
  maxRssMib(): number | null
  stop(): Promise<void>
}

/** A new process, so that each measurement has its own memory peak. */
export async function startServer(variant: Variant, databaseUrl: string): Promise<Server> {
  if (variant === 'raw') return startRaw(databaseUrl)
  const gateway = await startReadingGateway(databaseUrl, {
    ...(variant === 'queueing' && { MAX_REQUESTS_IN_FLIGHT: '0' }),
    // The same SQL as the hand-written routes. From memory, one machine cannot send three times the
    // capacity.
    REGISTRY_BYTES: '0',
  })
  return {
    url: gateway.baseUrl,
    maxRssMib: () => residentMib(gateway.pid, 'peak'),
    stop: () => gateway.stop(),
  }
}

async function startRaw(databaseUrl: string): Promise<Server> {
  const child = fork(fileURLToPath(new URL('../reads/raw-server.ts', import.meta.url)), [databaseUrl])
  const [port] = (await once(child, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}`,
    maxRssMib: () => residentMib(child.pid, 'peak'),
    stop: async () => {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
