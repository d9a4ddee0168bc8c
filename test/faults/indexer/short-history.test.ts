import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { audit } from '../../../src/ledger/audit/audit.ts'
import { rebuild } from '../../../src/ledger/audit/rebuild.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { createFailoverRpc } from '../../../src/ledger/failover/failover-rpc.ts'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { eventually } from '../../support/indexer/eventually.ts'
import { scriptedIndexer, silentLogger } from '../../support/indexer/indexer.ts'
import { registration, report } from '../../support/indexer/samples.ts'
import { PROGRAM_ID, ScriptedLedger } from '../../support/indexer/scripted-ledger.ts'
import { count, dumpTables, kyselyOf } from '../../support/indexer/tables.ts'
import { answersOf, type ToldNode, toldNode } from '../../support/indexer/scripted-nodes.ts'

let database: TestDatabase
let ledger: ScriptedLedger
let nodes: ToldNode[] = []
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
const known = () => count(database.orm, 'agent_history')
const letters = async () => (await dumpTables(database.orm)).dead_letters as { kind: string; data: string }[]
const differences = async () =>
  (await audit({ orm: database.orm, rpc: ledger.rpc(), programId: PROGRAM_ID, settleMs: 0 })).differences

/** These nodes in order of preference. */
async function over(...answers: ToldNode['answer'][]): Promise<LedgerRpc> {
  for (const answer of answers) nodes.push(await toldNode(answer))
  const urls = nodes.map((node) => node.url)
  return createFailoverRpc({ urls, clock: systemClock, logger: silentLogger })
}

/** Fails once, at the second page of a listing. */
function failingInTheMiddle(answer: ToldNode['answer']): ToldNode['answer'] {
  let pages = 0
  return (method, params) => {
    pages += Number(method === 'getSignaturesForAddress')
    if (method === 'getSignaturesForAddress' && pages === 2) return { status: 503 }
    return answer(method, params)
  }
}

// The second node's history ends just where the first page does, and in the middle of the second.
test.each([4, 6])(
  'a node that fails in the middle of the first listing loses nothing to one that has %i transactions',
  async (newest) => {
    const rpc = await over(failingInTheMiddle(answersOf(ledger)), answersOf(ledger, { newest }))
    await start(rpc).whenIdle()
    expect(await known()).toBe(10)
    expect(await letters()).toEqual([])
  },
)

test('a rebuild whose node fails in the middle gives the same tables', async () => {
  await start(ledger.rpc()).whenIdle()
  await indexer?.stop()
  const before = await dumpTables(database.orm)
  const rpc = await over(failingInTheMiddle(answersOf(ledger)), answersOf(ledger, { newest: 4 }))
  expect(await rebuild({ orm: database.orm, rpc, programId: PROGRAM_ID })).toMatchObject({ transactions: 11 })
  expect(await dumpTables(database.orm)).toEqual(before)
})

test('a rebuild from a node with less history changes nothing, unless it is told to', async () => {
  await start(ledger.rpc()).whenIdle()
  const finalities = async (): Promise<Set<string>> =>
    new Set(
      ((await dumpTables(database.orm)).ledger_transactions as { finality: string }[]).map(
        (row) => row.finality,
      ),
    )
  await eventually(finalities).toEqual(new Set(['finalized']))
  await indexer?.stop()
  const before = await dumpTables(database.orm)
  const rpc = await over(answersOf(ledger, { newest: 4 }))
  const work = { orm: database.orm, rpc, programId: PROGRAM_ID }
  await expect(rebuild(work)).rejects.toThrow('7 finalized transactions')
  expect(await dumpTables(database.orm)).toEqual(before)
  expect(await rebuild({ ...work, allowLoss: true })).toMatchObject({ transactions: 4 })
  expect(await known()).toBe(4)
})

test('history that the first node does not have is read from the second, with no letter', async () => {
  await start(ledger.rpc()).whenIdle()
  await indexer?.stop()
  for (let score = 260; score < 264; score += 1) sendReport(score)
  await start(await over(answersOf(ledger, { newest: 2 }), answersOf(ledger))).whenIdle()
  expect(await known()).toBe(14)
  expect(await letters()).toEqual([])
  expect(await differences()).toEqual([])
})

test('history passed over is read once a node shows it; until then looking for it costs little', async () => {
  await start(ledger.rpc()).whenIdle()
  await eventually(() => indexer?.status().finalizedSlot).toBeGreaterThan(0)
  await indexer?.stop()
  for (let score = 260; score < 264; score += 1) sendReport(score)
  for (const { signature } of ledger.entries.slice(0, -2)) ledger.hidden.add(signature)

  const rpc = ledger.rpc()
  let looks = 0
  let gap: string | undefined
  const counting: LedgerRpc = {
    ...rpc,
    call: (method, params = []) => {
      const { before } = (params[1] ?? {}) as { before?: string }
      looks += Number(before !== undefined && before === gap)
      return rpc.call(method, params)
    },
  }
  start(counting)
  await eventually(async () => (await letters()).map((each) => each.kind)).toEqual(['missing_history'])
  await indexer?.whenIdle()
  expect(await known()).toBe(12)
  const finalized = () =>
    kyselyOf(database.orm).selectFrom('indexer_state').select('finalized_signature').executeTakeFirst()
  // So far that the check of finality begins above the gap from now on.
  ledger.advance(400)
  await eventually(finalized).toMatchObject({ finalized_signature: ledger.entries.at(-1)?.signature })
  sendReport(264)
  await indexer?.whenIdle()
  const checkedOnce = async (): Promise<void> => {
    const { finalizedSlot = 0 } = indexer?.status() ?? {}
    ledger.advance()
    await eventually(() => indexer?.status().finalizedSlot).toBeGreaterThan(finalizedSlot)
  }
  const writtenAgo = (time: string) =>
    sql`update dead_letters set created_at = now() - ${time}::interval`.execute(kyselyOf(database.orm))
  await writtenAgo('11 minutes')
  await indexer?.stop()
  gap = (await letters())[0]?.data
  start(counting)
  await eventually(() => looks).toBe(1)
  for (let i = 0; i < 3; i += 1) await checkedOnce()
  expect(looks).toBe(1)

  await writtenAgo('1 minute')
  await eventually(() => looks).toBeGreaterThan(1)
  ledger.hidden.clear()
  await eventually(letters).toEqual([])
  expect(await known()).toBe(15)
  expect(await differences()).toEqual([])
})
