import * as fc from '../../support/property.ts'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openOrm } from '../../../src/db/orm.ts'
import type { Database } from '../../../src/db/database.ts'
import { serveApp, type ServedApp } from '../../support/clients.ts'
import { createTestDatabase } from '../../support/database.ts'
import {
  agentRow,
  insertAgents,
  insertHistory,
  insertStakes,
  keyOf,
  stakeRow,
} from '../../support/factories.ts'
import { type SlowNetwork, slowNetwork } from '../../support/slow-network.ts'
import { perFile } from '../../support/lifetime.ts'

/**
 * All data that is read depends on one number, the state. Each transaction of the writer increments
 * it.
 */
const LABELS = ['a', 'b', 'c']
const COMES_AND_GOES = 'comes and goes'
const pda = (label: string): string => keyOf(`agent ${label}`)
const agents = (state: number) => ({
  total: state % 2 === 0 ? 4 : 3,
  scores: Array.from({ length: state % 2 === 0 ? 4 : 3 }, () => state),
})

interface Agents {
  total: number
  agents: { reputation_score: number }[]
}
const scores = ({ total, agents: listed }: Agents) => ({
  total,
  scores: listed.map((each) => each.reputation_score),
})

interface Read {
  url: string
  readState: (body: never) => unknown
  of: (state: number) => unknown
}

/** A read that shows the state itself. */
function same(url: string, readState: Read['readState']): Read {
  return { url, readState, of: (state) => state }
}

const READS: Read[] = [
  { url: '/agents?limit=10', readState: scores, of: agents },
  { url: '/agents?sort=name&order=asc&limit=200', readState: scores, of: agents },
  same(`/agents/${pda('a')}`, (body: { reputation_score: number }) => body.reputation_score),
  {
    url: `/agents/${pda(COMES_AND_GOES)}`,
    readState: (body: { reputation_score?: number; error?: string }) => body.reputation_score ?? body.error,
    of: (state) => (state % 2 === 0 ? state : 'Agent not found'),
  },
  {
    url: `/agents/${pda('a')}/history?limit=1`,
    readState: (body: { total: number }) => body.total,
    of: (state) => state + 1,
  },
  same('/stakes', (body: { stakes: { deposited_amount: number }[] }) => body.stakes[0]?.deposited_amount),
  same(`/stakes/${keyOf('stake a')}`, (body: { deposited_amount: number }) => body.deposited_amount),
  same(
    `/did/did:sol:${keyOf('owner b')}`,
    (body: { agent: { reputation_score: number } }) => body.agent.reputation_score,
  ),
]

const database = perFile(() => createTestDatabase())
let kysely: Kysely<Database>
const replicas: ServedApp[] = []
const networks: SlowNetwork[] = []
/** States: the writer knows that `committed` is committed; `begun` may be committed. */
let committed = 0
let begun = 0

beforeAll(async () => {
  kysely = database.orm.em.getKysely()
  await insertAgents(
    kysely,
    [...LABELS, COMES_AND_GOES].map((each) => agentRow(each, { reputation_score: 0 })),
  )
  await insertAgents(kysely, [agentRow('noise', { card_hash_mismatch: true })])
  await insertStakes(kysely, [stakeRow('a', { deposited_amount: '0' })])
  await insertHistory(kysely, 'a', [{}])
  for (let i = 0; i < 2; i += 1) {
    // Delays the data of the server: a result can arrive after later commits.
    const network = await slowNetwork(database.connection, () =>
      Math.random() < 0.1 ? 15 : Math.random() * 3,
    )
    networks.push(network)
    const orm = await openOrm({ url: network.url })
    const own = { connection: { url: network.url }, orm, drop: () => orm.close() }
    replicas.push(await serveApp({ database: own }))
  }
})
afterAll(async () => {
  for (const each of replicas) {
    await each.close()
    await each.database.drop()
  }
  for (const each of networks) await each.close()
})

/** Increments the state, changes data that no read contains, or rolls a change back. */
async function write(kind: 'raise' | 'slowly' | 'noise' | 'undone'): Promise<void> {
  if (kind === 'noise') {
    await sql`update agents set slot = slot + 1 where pda = ${pda('noise')}`.execute(kysely)
    return
  }
  const state = committed + 1
  if (kind !== 'undone') begun = state
  const work = kysely.transaction().execute(async (db) => {
    await sql`update agents set reputation_score = ${state} where not card_hash_mismatch`.execute(db)
    await (state % 2 === 0
      ? insertAgents(db, [agentRow(COMES_AND_GOES, { reputation_score: state })])
      : sql`delete from agents where pda = ${pda(COMES_AND_GOES)}`.execute(db))
    if (kind === 'slowly') await sql`select pg_sleep(0.003)`.execute(db)
    await sql`update stakes set deposited_amount = ${state}`.execute(db)
    await sql`
      with entry as (
        insert into ledger_events
        select 'evt_' || ${state}::text, lpad(${state}::text, 20, '0'), 'signature', 1, 'ReputationUpdated', agent_pda, owner, '{}', finality, occurred_at
        from ledger_events limit 1 returning id, position, agent_pda, occurred_at
      )
      insert into agent_history select id, position, agent_pda, 'reputation_updated', '', '', null, occurred_at from entry`.execute(
      db,
    )
    if (kind === 'undone') throw new Error('undone')
  })
  const done = await work.then(
    () => true,
    () => false,
  )
  if (done !== (kind !== 'undone')) throw new Error(`the transaction ${kind} is done: ${done}`)
  if (done) committed = state
}

const known = new Map<string, { tag: string; state: unknown }>()

async function read(replica: number, { url, readState, of }: Read, conditional: boolean): Promise<void> {
  const oldest = committed
  const have = conditional ? known.get(url) : undefined
  const response = await fetch(`${replicas[replica]!.url}${url}`, {
    headers: have === undefined ? {} : { 'if-none-match': have.tag },
  })
  const body = response.status === 304 ? null : ((await response.json()) as never)
  const answer = body === null ? have?.state : readState(body)
  const possible = Array.from({ length: begun - oldest + 1 }, (_, i) => of(oldest + i))
  expect(possible, `${url} of state ${oldest} to ${begun}`).toContainEqual(answer)
  const tag = response.headers.get('etag')
  if (response.status === 200 && tag !== null) known.set(url, { tag, state: answer })
}

const pause = fc.integer({ min: 0, max: 4 })
const reader = fc.array(
  fc.record({
    replica: fc.constantFrom(0, 1),
    read: fc.constantFrom(...READS),
    conditional: fc.boolean(),
    pause,
  }),
  { minLength: 4, maxLength: 12 },
)
const writer = fc.array(
  fc.record({ kind: fc.constantFrom('raise', 'raise', 'slowly', 'noise', 'undone'), pause }),
  { minLength: 2, maxLength: 8 },
)

async function ticks(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('no response is older than the last commit before its request or a mixture of states', async () => {
  let reads = 0
  await fc.assert(
    fc.asyncProperty(writer, fc.array(reader, { minLength: 3, maxLength: 5 }), async (writes, readers) => {
      const writing = async (): Promise<void> => {
        for (const each of writes) {
          await write(each.kind)
          await ticks(each.pause)
        }
      }
      const reading = readers.map(async (steps) => {
        for (const each of steps) {
          await read(each.replica, each.read, each.conditional)
          reads += 1
          await ticks(each.pause)
        }
      })
      await Promise.all([writing(), ...reading])
    }),
    // Each round continues from the state of the previous one, so shrinking is useless.
    { numRuns: 80, endOnFailure: true },
  )
  expect(reads).toBeGreaterThan(1_500)
})

test('a read right after a commit returns it on both replicas, a thousand times', async () => {
  for (let i = 0; i < 125; i += 1) {
    await write('raise')
    await Promise.all(READS.map((each, at) => read((i + at) % 2, each, at % 3 === 0)))
  }
  expect(committed).toBe(begun)
})
