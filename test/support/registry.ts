import { pino } from 'pino'
import { connectionOptions, openRowReads } from '../../src/db/session.ts'
import type { Orm } from '../../src/db/orm-types.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import {
  type Registry,
  type RegistryOptions,
  type RegistryReader,
  startRegistry,
} from '../../src/registry/registry.ts'
import { eventually } from './eventually.ts'

/** The registry of a test's database in memory. Waits until it answers. */
export async function createTestRegistry(
  { orm }: { readonly orm: Orm },
  options: Partial<RegistryOptions> = {},
): Promise<Registry> {
  const registry = startRegistry({
    query: await openRowReads(orm),
    connection: await connectionOptions(orm),
    maxBytes: 2 ** 30,
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(),
    ...options,
  })
  await untilInMemory(registry, options.minNames === 0)
  return registry
}

/** Waits until it answers, and with `searches` also finds names. */
export async function untilInMemory(registry: Registry, searches = false): Promise<void> {
  await eventually(() => {
    const status = registry.status()
    if (!status.ready || (searches && !status.searches)) throw new Error('the registry is not in memory')
  })
}

/** Counts all reads, and those that memory answered. */
export function countReads(
  registry: RegistryReader,
): RegistryReader & { readonly counts: { memory: number; all: number } } {
  const counts = { memory: 0, all: 0 }
  const counted = <Result>(found: Result): Result => {
    if (found !== undefined) counts.memory += 1
    return found
  }
  return {
    counts,
    read: (fromMemory, fromDatabase) => {
      counts.all += 1
      return registry.read((copy) => {
        const found = fromMemory(copy)
        return found instanceof Promise ? found.then(counted) : counted(found)
      }, fromDatabase)
    },
  }
}
