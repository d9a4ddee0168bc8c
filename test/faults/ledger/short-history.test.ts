import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { createFailoverRpc } from '../../../src/ledger/failover/failover-rpc.ts'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { silentLogger } from '../../support/ledger/indexer.ts'
import { perTest } from '../../support/lifetime.ts'
import { registration, report } from '../../support/ledger/samples.ts'
import { repliesFrom, type ReplyTo, startScriptedNode } from '../../support/ledger/scripted-nodes.ts'
import { useScriptedWorld } from '../../support/ledger/scripted-world.ts'
import { count } from '../../support/ledger/tables.ts'

const world = useScriptedWorld()
const { database, ledger, start, stop, idle, status, audited, rebuilt, dump } = world
const open = perTest(() => {
  const nodes: { close(): Promise<void> }[] = []
  return { nodes, close: () => Promise.all(nodes.map((node) => node.close())) }
})

/** A registration and ten reports, all final. */
beforeEach(() => {
  ledger.pageCap = 4
  ledger.send(registration('a'))
  ledger.advance(10)
  sendReports(250, 260)
  ledger.advance(400)
})

function sendReports(from: number, to: number): void {
  for (let score = from; score < to; score += 1) {
    ledger.send(report('a', score, score + 1))
    ledger.advance(10)
  }
}
const historyRows = () => count(database.orm, 'agent_history')
const deadLetters = async () => (await dump()).dead_letters as { kind: string; data: string }[]
const differences = async () => (await audited()).differences

async function rpcOver(...replies: ReplyTo[]): Promise<LedgerRpc> {
  const nodes = await Promise.all(replies.map((replyTo) => startScriptedNode(replyTo)))
  open.nodes.push(...nodes)
  return createFailoverRpc({ urls: nodes.map(({ url }) => url), clock: systemClock, logger: silentLogger })
}

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
    await start({ rpc }).whenIdle()
    expect(await historyRows()).toBe(10)
    expect(await deadLetters()).toEqual([])
  },
)

test('a rebuild gives the same tables if a node fails in the middle', async () => {
  await idle()
  await stop()
  const before = await dump()
  const rpc = await rpcOver(failingInTheMiddle(repliesFrom(ledger)), repliesFrom(ledger, { newest: 4 }))
  expect(await rebuilt({ rpc })).toMatchObject({ transactions: 11 })
  expect(await dump()).toEqual(before)
})

test('a rebuild from a node with a shorter history changes nothing, unless allowLoss is set', async () => {
  await idle()
  const finalities = async (): Promise<Set<string>> =>
    new Set(((await dump()).ledger_transactions as { finality: string }[]).map((row) => row.finality))
  await expect.poll(finalities).toEqual(new Set(['finalized']))
  await stop()
  const before = await dump()
  const rpc = await rpcOver(repliesFrom(ledger, { newest: 4 }))
  await expect(rebuilt({ rpc })).rejects.toThrow('7 finalized transactions')
  expect(await dump()).toEqual(before)
  expect(await rebuilt({ rpc, allowLoss: true })).toMatchObject({ transactions: 4 })
  expect(await historyRows()).toBe(4)
})

test('history that the first node does not have is read from the second, without a dead letter', async () => {
  await idle()
  await stop()
  sendReports(260, 264)
  await start({ rpc: await rpcOver(repliesFrom(ledger, { newest: 2 }), repliesFrom(ledger)) }).whenIdle()
  expect(await historyRows()).toBe(14)
  expect(await deadLetters()).toEqual([])
  expect(await differences()).toEqual([])
})

test('skipped history is read once a node lists it, and retries until then are rare', async () => {
  await idle()
  await expect.poll(() => status().finalizedSlot).toBeGreaterThan(0)
  await stop()
  sendReports(260, 264)
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
  start({ rpc: counting })
  await expect.poll(async () => (await deadLetters()).map((each) => each.kind)).toEqual(['missing_history'])
  await idle()
  expect(await historyRows()).toBe(12)
  const finalized = () =>
    world.db.selectFrom('indexer_state').select('finalized_signature').executeTakeFirst()
  // After this the finality check starts above the gap.
  ledger.advance(400)
  await expect.poll(finalized).toMatchObject({ finalized_signature: ledger.entries.at(-1)?.signature })
  sendReports(264, 265)
  await idle()
  const checkedOnce = async (): Promise<void> => {
    const { finalizedSlot } = status()
    ledger.advance()
    await expect.poll(() => status().finalizedSlot).toBeGreaterThan(finalizedSlot)
  }
  const writtenAgo = (time: string) =>
    sql`update dead_letters set created_at = now() - ${time}::interval`.execute(world.db)
  await writtenAgo('11 minutes')
  await stop()
  gap = (await deadLetters())[0]?.data
  start({ rpc: counting })
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
