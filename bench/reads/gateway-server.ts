import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { buildApp } from '../../rest/app.ts'
import { composeServices } from '../../src/compose/services.ts'
import { openOrm } from '../../src/db/orm.ts'
import { connectionOptions, openRowReads } from '../../src/db/session.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import { startRegistry } from '../../src/registry/registry.ts'
import { serveMeasured } from './measured-server.ts'

/**
 * The whole service without a ledger. The second argument is not used. With `no-search` as
 * the third, PostgreSQL searches by name.
 */
const url = process.argv[2] ?? ''
const isSearched = process.argv[4] !== 'no-search'
const REGISTRY_BYTES = 2 ** 31
const POLL_MS = 50
const { config: given } = readConfig({
  DATABASE_URL: url,
  BASE_URL: 'http://127.0.0.1',
  RATE_LIMITS: 'false',
  SPONSORSHIP_ENABLED: 'false',
  ROLES: 'api',
})
// No other server of the comparison answers pages of other origins.
const config = { ...given, server: { ...given.server, corsOrigins: [] } }
const orm = await openOrm({ url })
const metrics = createMetrics()
const registry = startRegistry({
  query: await openRowReads(orm),
  connection: await connectionOptions(orm),
  maxBytes: REGISTRY_BYTES,
  logger: pino({ level: 'silent' }),
  metrics,
  minNames: isSearched ? 0 : Infinity,
})
while (!registry.status().ready || registry.status().searches !== isSearched) await delay(POLL_MS)
const context = {
  config,
  orm,
  rpc: { call: () => Promise.reject(new Error('the bench has no ledger')) },
  clock: systemClock,
  logger: pino({ level: 'warn' }),
  metrics,
  stack: new AsyncDisposableStack(),
}
const { services } = await composeServices(context, {
  overrides: {
    registry,
    indexerStatus: async () => ({
      phase: 'live',
      cursorSlot: 312_004_551,
      finalizedSlot: 312_004_520,
      lagSlots: 0,
      lagSeconds: 0.4,
      deadLetters: 0,
      ready: true,
      isEmpty: false,
      hasLeader: true,
      healthy: true,
    }),
  },
})
const gateway = await buildApp(context, services, { console: false })
serveMeasured(Number(new URL(await gateway.listen({ port: 0 })).port))
