import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The whole service, hand-written routes with the same SQL, and PostGraphile 5. */
export const VARIANTS = ['gateway', 'raw', 'postgraphile'] as const
export type Variant = (typeof VARIANTS)[number]
export type PerVariant<Value> = Record<Variant, Value>

export interface Server {
  readonly port: number
  /** Microseconds of user and system time so far. */
  cpuMicros(): Promise<number>
  stop(): void
}

/**
 * Starts each variant in its own process, so that they share no heap, garbage collector or compiled
 * code. Variants that are not measured are idle.
 */
export async function startVariants(databaseUrl: string): Promise<PerVariant<Server>> {
  const [gateway, raw, postgraphile] = await Promise.all([
    startServer('gateway', databaseUrl),
    startServer('raw', databaseUrl),
    startServer('postgraphile', databaseUrl),
  ])
  return { gateway, raw, postgraphile }
}

/** Starts `VARIANT-server.ts` with these arguments. */
export async function startServer(variant: Variant, databaseUrl: string, ...more: string[]): Promise<Server> {
  const child: ChildProcess = fork(fileURLToPath(new URL(`${variant}-server.ts`, import.meta.url)), [
    databaseUrl,
    ...more,
  ])
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${variant} ended`)))
  ended.catch(() => undefined)
  const [port] = (await Promise.race([once(child, 'message'), ended])) as [number]
  return {
    port,
    cpuMicros: async () => {
      child.send('cpu')
      const [usage] = (await Promise.race([once(child, 'message'), ended])) as [NodeJS.CpuUsage]
      return usage.user + usage.system
    },
    stop: () => child.disconnect(),
  }
}

export const perVariant = <Value>(make: (variant: Variant) => Value): PerVariant<Value> => ({
  gateway: make('gateway'),
  raw: make('raw'),
  postgraphile: make('postgraphile'),
})
