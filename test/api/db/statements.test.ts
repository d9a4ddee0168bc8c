import {
  type CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pubkey } from '@agent-registry/solana'
import type { Database } from '../../../src/db/database.ts'
import type { EntityManager } from '../../../src/db/orm-types.ts'
import { openSession } from '../../../src/db/session.ts'
import { createCardReads } from '../../../src/identity/agent-cards/card-reads.ts'
import { claimCards, findOrigins, recordHost } from '../../../src/identity/agent-cards/check-queue.ts'
import { CARD_TIMING } from '../../../src/identity/agent-cards/limits.ts'
import { createCredentialStore } from '../../../src/identity/credentials/attached/credential-store.ts'
import { claimRefreshes } from '../../../src/identity/credentials/attached/refresh.ts'
import { createChallenges } from '../../../src/identity/sessions/sessions.ts'
import { createInviteCodes } from '../../../src/transactions/invite-codes.ts'
import { readUsage } from '../../../src/transactions/quota.ts'
import { TransactionStore } from '../../../src/transactions/transaction-store.ts'
import { useTestDatabase } from '../../support/database.ts'
import { keyOf } from '../../support/factories.ts'

const database = useTestDatabase()
let session: Client
beforeAll(async () => {
  session = await openSession(database.orm)
})
afterAll(() => session.end())

/** A Kysely that runs each statement with this function. */
function kyselyWith(run: (query: CompiledQuery) => Promise<object[]>): Kysely<Database> {
  const connection: DatabaseConnection = {
    executeQuery: async (query) => ({ rows: (await run(query)) as never[] }),
    streamQuery: () => {
      throw new Error('no streams')
    },
  }
  const acquireConnection = async () => connection
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => Object.assign(new DummyDriver(), { acquireConnection }),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

/** Prepares statements in the migrated database and returns `rows` for each of them. */
function preparingDatabase(rows: object[]) {
  const prepared: string[] = []
  const kysely = kyselyWith(async ({ sql }) => {
    await session.query(`prepare checked as ${sql}`)
    await session.query('deallocate checked')
    prepared.push(sql)
    return rows
  })
  return { kysely, em: { getKysely: () => kysely } as unknown as EntityManager, prepared }
}

const NOW = Date.parse('2026-11-21T08:00:00.000Z')
const LEASE = { now: NOW, until: NOW + 1, limit: 1 }
const PREPARED = { id: 'a', message: '', lastValidBlockHeight: 1, blockhashSlot: 1, now: NOW }
const REQUEST = {
  kind: 'registration',
  wallet: pubkey(keyOf('wallet')),
  agentPda: pubkey(keyOf('agent')),
  codeHash: 'a',
  clientNetwork: '192.0.2.1',
} as const
const HOST = { host: 'a.test', state: 'down', reason: 'no answer', checkedAt: new Date(NOW) } as const
const URL_ROW = { agent_pda: 'a', url: 'https://a.test/card.json' }

type Run = (db: ReturnType<typeof preparingDatabase>) => Promise<unknown>

test.each<[string, Run]>([
  ['a new transaction', ({ em }) => new TransactionStore(em).insertSimulated(PREPARED)],
  ['due transactions', ({ em }) => new TransactionStore(em).claim(LEASE)],
  [
    'expired ones',
    ({ em }) => new TransactionStore(em).claimExpired({ ...LEASE, blockHeight: 1, perPayer: 1 }),
  ],
  ['transactions by their message', ({ em }) => new TransactionStore(em).findByMatchKeys(['a'])],
  ['transactions by their signature', ({ em }) => new TransactionStore(em).findSignatures(['a'])],
  ['open transactions', ({ em }) => new TransactionStore(em).countOpen()],
  ['the quotas', ({ kysely }) => readUsage(kysely, REQUEST, { blockHeight: 1, slotSeconds: 0.4 })],
  ['the uses of invite codes', ({ em }) => createInviteCodes(em).list()],
  ['a sign-in challenge', ({ em }) => createChallenges(em).add('a', '2026-11-21', '2026-11-21')],
  ['new cards', ({ kysely }) => claimCards(kysely, { queue: 'first', limit: 1, leaseMs: 1 })],
  ['cards again', ({ kysely }) => claimCards(kysely, { queue: 'further', limit: 1, leaseMs: 1 })],
  ['the back-off of a host', ({ em }) => recordHost(em, HOST, CARD_TIMING, 1)],
  ['cards of agents', ({ kysely }) => createCardReads(kysely).find(['a'])],
  ['due refreshes', ({ kysely }) => claimRefreshes(kysely, 1, 1)],
  ['credentials of agents', ({ em }) => createCredentialStore(em).find(['a'])],
])('the statement for %s fits the migrated database', async (_, run) => {
  const db = preparingDatabase([{}])
  await run(db)
  expect(db.prepared).toHaveLength(1)
})

test('the two statements for the hosts of new cards fit the migrated database', async () => {
  const db = preparingDatabase([URL_ROW])
  await findOrigins(db.kysely)
  expect(db.prepared).toHaveLength(2)
})
