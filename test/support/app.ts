import type { Kysely } from 'kysely'
import { pino } from 'pino'
import type { RestApp } from '../../rest/door.ts'
import type { Executor } from '../../rest/execute.ts'
import { buildApp } from '../../src/app.ts'
import type { Clock } from '../../src/clock.ts'
import type { Database } from '../../src/db/tables.ts'
import type { IndexerStatus } from '../../src/service-info/indexer-status.ts'
import { createRelay, type Relay, type RelayOptions } from '../../src/relay/relay.ts'
import type { LedgerCalls } from '../../src/service-info/ledger-probe.ts'
import { createServices, type Services } from '../../src/services.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { keyOf } from './factories.ts'

export const FIXED_NOW = Date.parse('2026-11-21T06:29:22.123Z')
export const FEE_PAYER = keyOf('fee payer')
export const PROGRAM = keyOf('program')

const LIVE: IndexerStatus = {
  phase: 'live',
  cursorSlot: 990,
  finalizedSlot: 960,
  lagSlots: 10,
  ready: true,
  healthy: true,
}

/** What stands around the services; a test replaces what it is about. */
export interface Surroundings {
  ledger: LedgerCalls
  indexer: () => Promise<IndexerStatus>
  clock: Clock
  feePayer: { pubkey: string; enabled: boolean } | null
  executor: Executor
  relay: Partial<RelayOptions>
}

export interface TestApp {
  readonly app: RestApp
  readonly services: Services
  readonly relay: Relay
  readonly database: TestDatabase
  readonly kysely: Kysely<Database>
  close(): Promise<void>
}

/** A ledger that answers the questions of the health reports, and for fees. Faults are put in its place by tests. */
export function cannedLedger(answers: Record<string, unknown> = {}): LedgerCalls {
  const known: Record<string, unknown> = {
    getSlot: 1_000,
    getBalance: { context: { slot: 1_000 }, value: 2_500_000_000 },
    getRecentPrioritizationFees: [{ slot: 1_000, prioritizationFee: 2_000 }],
    getGenesisHash: 'a genesis of no public cluster',
    ...answers,
  }
  return {
    call: async <Result>(method: string) => {
      if (!(method in known)) throw new Error(`not expected: ${method}`)
      return known[method] as Result
    },
  }
}

export async function createTestApp(surroundings: Partial<Surroundings> = {}): Promise<TestApp> {
  const database = await createTestDatabase()
  const kysely = database.orm.em.getKysely<Database>()
  const rpc = surroundings.ledger ?? cannedLedger()
  const clock = surroundings.clock ?? { now: () => FIXED_NOW }
  const relay = createRelay({
    kysely,
    rpc,
    clock,
    registryProgram: PROGRAM,
    allowedPrograms: null,
    submitWaitMs: 5_000,
    logger: pino({ level: 'silent' }),
    ...surroundings.relay,
  })
  const services = createServices({
    kysely,
    rpc,
    relay: relay.service,
    clock,
    identity: {
      name: 'Agent Registry Gateway',
      version: '0.1.0',
      program: PROGRAM,
      feeSponsorshipEnabled: true,
      features: { did: false, mcp: false, a2a: true, credentials: false },
    },
    indexerStatus: surroundings.indexer ?? (async () => LIVE),
    feePayer:
      surroundings.feePayer === undefined ? { pubkey: FEE_PAYER, enabled: true } : surroundings.feePayer,
  })
  const app = await buildApp({
    services,
    logger: pino({ level: 'silent' }),
    version: '0.1.0',
    baseUrl: 'http://127.0.0.1:3000',
    executor: surroundings.executor,
  })
  const close = async (): Promise<void> => {
    await app.close()
    await database.drop()
  }
  return { app, services, relay, database, kysely, close }
}
