import { pino } from 'pino'
import { openRowReads } from '../../src/db/reads.ts'
import { connectionOptions } from '../../src/db/session.ts'
import type { Orm } from '../../src/db/orm-types.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import { type Registry, type RegistryOptions, startRegistry } from '../../src/registry/registry.ts'
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
  await eventually(() => {
    if (!registry.status().ready) throw new Error('the registry is not in memory')
  })
  return registry
}
