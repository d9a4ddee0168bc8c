import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Usage } from './measured-server.ts'

/** The program of each variant. The service is measured twice: its REST API and its /graphql. */
const PROGRAMS = {
  rest: 'gateway-server.ts',
  raw: 'raw-server.ts',
  memory: 'memory-server.ts',
  graphql: 'gateway-server.ts',
  postgraphile: 'postgraphile-server.ts',
  mercurius: 'mercurius-server.ts',
} as const
export type Variant = keyof typeof PROGRAMS
export const VARIANTS = Object.keys(PROGRAMS) as Variant[]
export type PerVariant<Value> = Record<Variant, Value>

export interface Server {
  readonly port: number
  /** Microseconds of user and system time so far. */
  cpuMicros(): Promise<number>
  usage(): Promise<Usage>
  stop(): void
}

/**
 * Starts each variant in its own process, so that they share no heap, garbage collector or compiled
 * code. Variants that are not measured are idle.
 */
export async function startVariants(databaseUrl: string): Promise<PerVariant<Server>> {
  const servers = VARIANTS.map(async (variant) => [variant, await startServer(variant, databaseUrl)] as const)
  return Object.fromEntries(await Promise.all(servers)) as PerVariant<Server>
}

/** Starts the program of a variant with these arguments. */
export async function startServer(variant: Variant, databaseUrl: string, ...more: string[]): Promise<Server> {
  const child: ChildProcess = fork(fileURLToPath(new URL(PROGRAMS[variant], import.meta.url)), [
    databaseUrl,
    ...more,
  ])
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${variant} ended`)))
  ended.catch(() => undefined)
  const [port] = (await Promise.race([once(child, 'message'), ended])) as [number]
  const usage = async (): Promise<Usage> => {
    child.send('usage')
    const [answer] = (await Promise.race([once(child, 'message'), ended])) as [Usage]
    return answer
  }
  return {
    port,
    usage,
    cpuMicros: async () => {
      const { user, system } = await usage()
      return user + system
    },
    stop: () => child.disconnect(),
  }
}
