import { type Kysely, sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { createCatchUp } from '../../../src/ledger/indexer/catch-up.ts'
import { IndexerEngine } from '../../../src/ledger/indexer/engine.ts'
import type { Database } from '../../../src/db/database.ts'
import { openLedger } from '../../../src/ledger/indexer/position.ts'
import { verifyFinality } from '../../../src/ledger/indexer/finality/finality-monitor.ts'
import { orphanForkedTransactions } from '../../../src/ledger/indexer/finality/forks.ts'
import { fetchTransactions } from '../../../src/ledger/indexer/fetch/fetch-transactions.ts'
import { markFinalized, mergeEvents } from '../../../src/ledger/indexer/write/write-events.ts'
import type { LedgerRpc, RpcCall } from '../../../src/ledger/rpc/ledger-rpc.ts'
import type { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import { createTestDatabase } from '../../support/database.ts'
import { scriptedIndexer } from '../../support/ledger/indexer.ts'
import { keyOf, registration, report } from '../../support/ledger/samples.ts'
import { PROGRAM_ID, ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'
import { webhookSink } from '../../../src/webhooks/enqueue.ts'
import { count, kyselyOf } from '../../support/ledger/tables.ts'
import { perTest } from '../../support/lifetime.ts'

const database = perTest(() => createTestDatabase())
let ledger: ScriptedLedger

beforeEach(async () => {
  ledger = new ScriptedLedger()
})

/** An engine without a leader. It reads with `db`. */
async function openEngine(
  db: () => Kysely<Database> = () => kyselyOf(database.orm),
  rpc: LedgerRpc = ledger.rpc(),
  beforeCommit: () => Promise<void> = async () => {},
): Promise<IndexerEngine> {
  return new IndexerEngine({
    sink: webhookSink,
    ...(await openLedger(kyselyOf(database.orm), rpc, PROGRAM_ID)),
    rpc,
    programId: PROGRAM_ID,
    commitment: 'confirmed',
    signal: new AbortController().signal,
    batchSize: 100,
    inFlight: 6,
    useCopy: true,
    db,
    transaction: async (work) => {
      await beforeCommit()
      await kyselyOf(database.orm).transaction().execute(work)
    },
    onWritten: () => undefined,
  })
}

async function finalities(): Promise<string[]> {
  const db = kyselyOf(database.orm)
  const events = await db.selectFrom('ledger_events').select('finality').orderBy('position').execute()
  const transactions = await db.selectFrom('ledger_transactions').select('finality').orderBy('slot').execute()
  expect(events).toEqual(transactions)
  return events.map((each) => each.finality)
}

test('a transaction that the leader writes during a finality check is final after that check', async () => {
  let beforeIngest: (() => Promise<void>) | undefined
  // The check first loads the listed transactions from the tables.
  const engine = await openEngine(() =>
    kyselyOf(database.orm).withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        const inject = beforeIngest
        beforeIngest = undefined
        await inject?.()
        return result
      },
    }),
  )
  const signature = ledger.send(registration('late'))
  const { slot } = ledger
  ledger.advance(40)
  beforeIngest = () => engine.ingest([[{ signature, slot, err: null, confirmationStatus: 'confirmed' }]])
  expect(await verifyFinality(engine)).toEqual({ finalized: 0, orphaned: 0, late: 1 })
  expect(beforeIngest).toBeUndefined()
  expect(await finalities()).toEqual(['finalized'])
})

test('a transaction that the node does not serve is a dead letter only once it is final', async () => {
  const engine = await openEngine()
  ledger.missing.add(ledger.send(registration('late')))
  await createCatchUp(engine)()
  expect(await count(database.orm, 'dead_letters')).toBe(0)
  ledger.advance(40)
  await verifyFinality(engine)
  expect(await count(database.orm, 'dead_letters')).toBe(1)
})

test('a fork that is noticed late does not remove what landed again and is final since', async () => {
  const rpc = ledger.rpc()
  let meanwhile: (() => Promise<void>) | undefined
  const settle = async <T>(calls: RpcCall[]): Promise<(T | LedgerRpcError)[]> => {
    const results = await rpc.settle<T>(calls)
    const run = calls[0]?.method === 'getBlock' ? meanwhile : undefined
    meanwhile = run === undefined ? meanwhile : undefined
    await run?.()
    return results
  }
  const engine = await openEngine(undefined, { ...rpc, settle })
  const sent = registration('a')
  const signature = ledger.send(sent)
  await createCatchUp(engine)()
  ledger.forkFrom(0)
  ledger.advance()
  meanwhile = async () => {
    ledger.send({ ...sent, signature })
    ledger.advance(200)
    expect(await verifyFinality(engine)).toEqual({ finalized: 0, orphaned: 0, late: 1 })
  }
  await orphanForkedTransactions(engine)
  expect(meanwhile).toBeUndefined()
  expect(await finalities()).toEqual(['finalized'])
  expect(await count(database.orm, 'agents')).toBe(1)
})

test('what a node that lags tells the leader during a check is corrected by the next check', async () => {
  let meanwhile: (() => Promise<void>) | undefined
  const engine = await openEngine(undefined, undefined, async () => {
    const run = meanwhile
    meanwhile = undefined
    await run?.()
  })
  const sent = registration('a')
  const before = { signature: ledger.send(sent), slot: ledger.slot, err: null }
  const rows = await fetchTransactions(ledger.rpc(), [before], engine.options)
  ledger.forkFrom(0)
  ledger.advance()
  const { slot } = ledger
  ledger.send({ ...sent, signature: before.signature })
  await createCatchUp(engine)()
  ledger.advance(200)
  // Before the check marks it as final.
  meanwhile = () =>
    kyselyOf(database.orm)
      .transaction()
      .execute((db) => mergeEvents(db, rows, webhookSink))
  await verifyFinality(engine)
  const row = kyselyOf(database.orm).selectFrom('ledger_transactions').select(['slot', 'finality'])
  expect(await row.execute()).toEqual([{ slot: before.slot, finality: 'confirmed' }])
  ledger.advance(200)
  await verifyFinality(engine)
  expect(await row.execute()).toEqual([{ slot, finality: 'finalized' }])
  expect(await finalities()).toEqual(['finalized'])
})

test('an account that was read before a fork was noticed is read again before it is written', async () => {
  const rpc = ledger.rpc()
  let onRead: (() => Promise<void>) | undefined
  const batch = async <T>(calls: RpcCall[]): Promise<T[]> => {
    const results = await rpc.batch<T>(calls)
    const notice = onRead
    onRead = undefined
    await notice?.()
    return results
  }
  const engine = await openEngine(undefined, { ...rpc, batch })
  ledger.send(registration('a'))
  onRead = () => {
    ledger.send(report('a', 250, 258))
    return engine.restore([keyOf('a')], async () => {})
  }
  await createCatchUp(engine)()
  const row = kyselyOf(database.orm).selectFrom('agents').select('reputation_score').executeTakeFirst()
  expect(await row).toEqual({ reputation_score: 258 })
})

test('an unlisted transaction is final if the block of its slot contains it', async () => {
  const engine = await openEngine()
  const dropped = ledger.send(registration('not indexed by the node'))
  ledger.advance()
  ledger.send(registration('next'))
  await createCatchUp(engine)()
  expect(await finalities()).toEqual(['confirmed', 'confirmed'])
  ledger.hidden.add(dropped)
  ledger.advance(40)
  expect(await verifyFinality(engine)).toEqual({ finalized: 2, orphaned: 0, late: 0 })
  expect(await finalities()).toEqual(['finalized', 'finalized'])
})

test('a transaction becomes final although the node no longer lists any history, not while it lists a part', async () => {
  const engine = await openEngine()
  const catchUp = createCatchUp(engine)
  const old = ledger.send(registration('old'))
  ledger.advance(200)
  await catchUp()
  await verifyFinality(engine)
  expect(engine.position.finalizedSignature).toBe(old)
  const recent = ledger.send(registration('recent'))
  await catchUp()
  expect(await finalities()).toEqual(['finalized', 'confirmed'])
  ledger.advance(40)
  ledger.hidden.add(old)
  const { position } = engine
  expect(await verifyFinality(engine)).toEqual({ finalized: 0, orphaned: 0, late: 0 })
  expect(engine.position).toBe(position)
  ledger.hidden.add(recent)
  expect(await verifyFinality(engine)).toEqual({ finalized: 1, orphaned: 0, late: 0 })
})

test.each([
  ['in the same slot', 0],
  ['in a later slot', 3],
])('a transaction that failed on the final fork, %s, is removed once', async (_, later) => {
  const engine = await openEngine()
  const sent = registration('a')
  const signature = ledger.send(sent)
  await createCatchUp(engine)()
  ledger.forkFrom(0)
  ledger.advance(later)
  ledger.send({ ...sent, signature, err: { InstructionError: [0, 'Custom'] } })
  for (const orphaned of [1, 0]) {
    ledger.advance(40)
    expect(await verifyFinality(engine)).toEqual({ finalized: 0, orphaned, late: 0 })
  }
  expect(await finalities()).toEqual(['orphaned'])
  expect(await count(database.orm, 'agents')).toBe(0)
})

test('an account that has not changed when its slot is final keeps the slot of its row', async () => {
  const engine = await openEngine()
  ledger.send(registration('a'))
  const { slot } = ledger
  await createCatchUp(engine)()
  ledger.advance(40)
  await verifyFinality(engine)
  expect(engine.nonFinalAccounts.readUpTo(ledger.slot, 1)).toEqual([])
  const row = kyselyOf(database.orm).selectFrom('agents').select('slot').executeTakeFirst()
  expect(await row).toEqual({ slot })
})

test('a moved transaction does not make the row of its old slot final', async () => {
  const engine = await openEngine()
  const signature = ledger.send(registration('moved'))
  await createCatchUp(engine)()
  await markFinalized(kyselyOf(database.orm), [{ signature, slot: ledger.slot + 3 }])
  expect(await finalities()).toEqual(['confirmed'])
  ledger.forkFrom(0)
  ledger.advance(3)
  ledger.send({ ...registration('moved'), signature })
  // The node lists the transaction in its new slot and does not serve it yet.
  ledger.missing.add(signature)
  ledger.advance(40)
  await verifyFinality(engine)
  expect(await finalities()).toEqual(['orphaned'])

  ledger.missing.delete(signature)
  ledger.advance()
  await verifyFinality(engine)
  expect(await finalities()).toEqual(['finalized'])
})

test('the finality check updates a transaction that a fork moved within its slot', async () => {
  let index = 0
  const rpc = ledger.rpc()
  const call: typeof rpc.call = async <T>(method: string, params?: unknown[]): Promise<T> => {
    const answer = await rpc.call<T>(method, params)
    if (method !== 'getSignaturesForAddress') return answer
    for (const info of answer as object[]) Object.assign(info, { transactionIndex: index })
    return answer
  }
  ledger.send(registration('a'))
  ledger.send(report('a', 250, 300))
  ledger.entries.shift()
  ledger.advance()
  const indexer = scriptedIndexer(database.orm, ledger, { rpc: { ...rpc, call } })
  await indexer.whenIdle()
  index = 1
  ledger.advance(40)
  const places = async (): Promise<unknown> => {
    const { rows } = await sql`
      select t.transaction_index, substring(e.position from 22 for 6) as in_event, substring(h.position from 22 for 6) as in_history,
        e.finality, o.cancelled_at
      from ledger_transactions t join ledger_events e using (signature)
      join agent_history h on h.event_id = e.id join outbox_events o on o.event_id = e.id`.execute(
      kyselyOf(database.orm),
    )
    return rows
  }
  try {
    await expect.poll(async () => JSON.stringify(await places())).toContain('"finality":"finalized"')
    expect(await places()).toEqual([
      {
        transaction_index: 1,
        in_event: '000001',
        in_history: '000001',
        finality: 'finalized',
        cancelled_at: null,
      },
    ])
  } finally {
    await indexer.stop()
  }
})
