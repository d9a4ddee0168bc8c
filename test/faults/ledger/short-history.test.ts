import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { audit } from '../../../src/ledger/audit/audit.ts'
import { rebuild } from '../../../src/ledger/audit/rebuild.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { createFailoverRpc } from '../../../src/ledger/failover/failover-rpc.ts'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { scriptedIndexer, silentLogger } from '../../support/ledger/indexer.ts'
import { registration, report } from '../../support/ledger/samples.ts'
import { PROGRAM_ID, ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'
import { count, dumpTables, kyselyOf } from '../../support/ledger/tables.ts'
import { webhookSink } from '../../../src/webhooks/enqueue.ts'
import {
  repliesFrom,
  type ReplyTo,
  type ScriptedNode,
  startScriptedNode,
} from '../../support/ledger/scripted-nodes.ts'

let database: TestDatabase
let ledger: ScriptedLedger
let nodes: ScriptedNode[] = []
let indexer: Indexer | undefined

/** A registration and ten reports, all final. */
beforeEach(async () => {
  database = await createTestDatabase()
  ledger = new ScriptedLedger()
  ledger.pageCap = 4
  ledger.send(registration('a'))
  ledger.advance(10)
  for (let score = 250; score < 260; score += 1) sendReport(score)
  ledger.advance(400)
})
afterEach(async () => {
  await indexer?.stop()
  for (const node of nodes) await node.close()
  nodes = []
  await database.drop()
})

function sendReport(score: number): void {
  ledger.send(report('a', score, score + 1))
  ledger.advance(10)
}
const start = (rpc: LedgerRpc): Indexer => (indexer = scriptedIndexer(database.orm, ledger, { rpc }))
const historyRows = () => count(database.orm, 'agent_history')
const deadLetters = async () =>
  (await dumpTables(database.orm)).dead_letters as { kind: string; data: string }[]
const differences = async () =>
  (await audit({ orm: database.orm, rpc: ledger.rpc(), programId: PROGRAM_ID, settleMs: 0 })).differences

/** These nodes in order of preference. */
async function rpcOver(...replies: ReplyTo[]): Promise<LedgerRpc> {
  for (const replyTo of replies) nodes.push(await startScriptedNode(replyTo))
  const urls = nodes.map((node) => node.url)
  return createFailoverRpc({ urls, clock: systemClock, logger: silentLogger })
}

/** Fails once, on the second page of a listing. */
function failingInTheMiddle(replyTo: ReplyTo): ReplyTo {
  let pages = 0
  return (method, params) => {
    pages += Number(method === 'getSignaturesForAddress')
    if (method === 'getSignaturesForAddress' && pages === 2) return { status: 503 }
    return replyTo(method, params)
  }
}

// The second node's history ends at the end of the first page, and in the middle of the second.
test.each([4, 6])(
  'nothing is lost if a node fails in the first listing and the other has only %i transactions',
  async (newest) => {
    const rpc = await rpcOver(failingInTheMiddle(repliesFrom(ledger)), repliesFrom(ledger, { newest }))
    await start(rpc).whenIdle()
    expect(await historyRows()).toBe(10)
    expect(await deadLetters()).toEqual([])
  },
)

test('a rebuild gives the same tables if a node fails in the middle', async () => {
  await start(ledger.rpc()).whenIdle()
  await indexer?.stop()
  const before = await dumpTables(database.orm)
  const rpc = await rpcOver(failingInTheMiddle(repliesFrom(ledger)), repliesFrom(ledger, { newest: 4 }))
  expect(await rebuild({ sink: webhookSink, orm: database.orm, rpc, programId: PROGRAM_ID })).toMatchObject({
    transactions: 11,
  })
  expect(await dumpTables(database.orm)).toEqual(before)
})

test('a rebuild from a node with a shorter history changes nothing, unless allowLoss is set', async () => {
  await start(ledger.rpc()).whenIdle()
  const finalities = async (): Promise<Set<string>> =>
    new Set(
      ((await dumpTables(database.orm)).ledger_transactions as { finality: string }[]).map(
        (row) => row.finality,
      ),
    )
  await expect.poll(finalities).toEqual(new Set(['finalized']))
  await indexer?.stop()
  const before = await dumpTables(database.orm)
  const rpc = await rpcOver(repliesFrom(ledger, { newest: 4 }))
  const work = { sink: webhookSink, orm: database.orm, rpc, programId: PROGRAM_ID }
  await expect(rebuild(work)).rejects.toThrow('7 finalized transactions')
  expect(await dumpTables(database.orm)).toEqual(before)
  expect(await rebuild({ ...work, allowLoss: true })).toMatchObject({ transactions: 4 })
  expect(await historyRows()).toBe(4)
})

test('history that the first node does not have is read from the second, without a dead letter', async () => {
  await start(ledger.rpc()).whenIdle()
  await indexer?.stop()
  for (let score = 260; score < 264; score += 1) sendReport(score)
  await start(await rpcOver(repliesFrom(ledger, { newest: 2 }), repliesFrom(ledger))).whenIdle()
  expect(await historyRows()).toBe(14)
  expect(await deadLetters()).toEqual([])
  expect(await differences()).toEqual([])
})

test('skipped history is read once a node lists it, and retries until then are rare', async () => {
  await start(ledger.rpc()).whenIdle()
  await expect.poll(() => indexer?.status().finalizedSlot).toBeGreaterThan(0)
  await indexer?.stop()
  for (let score = 260; score < 264; score += 1) sendReport(score)
  for (const { signature } of ledger.entries.slice(0, -2)) ledger.hidden.add(signature)

  const rpc = ledger.rpc()
  let retries = 0
  let gap: string | undefined
  const counting: LedgerRpc = {
    ...rpc,
    call: (method, params = []) => {
      const { before } = (params[1] ?? {}) as { before?: string }
      retries += Number(before !== undefined && before === gap)
      return rpc.call(method, params)
    },
  }
  start(counting)
  await expect.poll(async () => (await deadLetters()).map((each) => each.kind)).toEqual(['missing_history'])
  await indexer?.whenIdle()
  expect(await historyRows()).toBe(12)
  const finalized = () =>
    kyselyOf(database.orm).selectFrom('indexer_state').select('finalized_signature').executeTakeFirst()
  // After this the finality check starts above the gap.
  ledger.advance(400)
  await expect.poll(finalized).toMatchObject({ finalized_signature: ledger.entries.at(-1)?.signature })
  sendReport(264)
  await indexer?.whenIdle()
  const checkedOnce = async (): Promise<void> => {
    const { finalizedSlot = 0 } = indexer?.status() ?? {}
    ledger.advance()
    await expect.poll(() => indexer?.status().finalizedSlot).toBeGreaterThan(finalizedSlot)
  }
  const writtenAgo = (time: string) =>
    sql`update dead_letters set created_at = now() - ${time}::interval`.execute(kyselyOf(database.orm))
  await writtenAgo('11 minutes')
  await indexer?.stop()
  gap = (await deadLetters())[0]?.data
  start(counting)
  await expect.poll(() => retries).toBe(1)
  for (let i = 0; i < 3; i += 1) await checkedOnce()
  expect(retries).toBe(1)

  await writtenAgo('1 minute')
  await expect.poll(() => retries).toBeGreaterThan(1)
  ledger.hidden.clear()
  await expect.poll(deadLetters).toEqual([])
  expect(await historyRows()).toBe(15)
  expect(await differences()).toEqual([])
})
