import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { pubkey, SYSTEM_PROGRAM } from '@agent-registry/solana'
import { systemClock } from '../../../src/platform/clock.ts'
import { createFailoverRpc, type FailoverRpc } from '../../../src/ledger/failover/failover-rpc.ts'
import { LedgerRpcError, UncertainResultError } from '../../../src/ledger/rpc/rpc-error.ts'
import { silentLogger } from '../../support/ledger/indexer.ts'
import {
  type Reply,
  type ReplyTo,
  type ScriptedNode,
  startScriptedNode,
} from '../../support/ledger/scripted-nodes.ts'
import { scaled } from '../../support/machine-speed.ts'
import { assertComplete, listSignatures } from '../../../src/ledger/indexer/fetch/signature-listing.ts'
import { fetchStatuses } from '../../../src/transactions/fetch-statuses.ts'
import type { TransactionRow } from '../../../src/transactions/transaction-store.ts'

let nodes: [ScriptedNode, ScriptedNode]
let now = 0
const clock = { ...systemClock, now: () => now }

beforeEach(async () => {
  now = 1_000_000
  nodes = [await startScriptedNode(), await startScriptedNode()]
})
afterEach(async () => {
  for (const node of nodes) await node.close()
})

const rpcOf = (genesisHash?: string): FailoverRpc =>
  createFailoverRpc({
    urls: nodes.map((node) => node.url),
    clock,
    logger: silentLogger,
    timeoutMs: scaled(500),
    genesisHash,
  })
const first = (replyTo: ReplyTo): void => void (nodes[0].replyTo = replyTo)
const second = (replyTo: ReplyTo): void => void (nodes[1].replyTo = replyTo)
const unlessGenesis =
  (reply: Reply): ReplyTo =>
  (method) =>
    method === 'getGenesisHash' ? { result: 'ours' } : reply
const calls = (): number[] => nodes.map((node) => node.calls.length)

test('only the first node is used while it is healthy', async () => {
  const rpc = rpcOf()
  for (let i = 0; i < 3; i += 1) expect(await rpc.call('getSlot')).toBe('ours')
  expect(calls()).toEqual([3, 0])
})

test.each([
  ['does not respond in time', { silent: true }],
  ['responds with HTTP 503', { status: 503 }],
  ['is behind', { error: { code: -32005, message: 'Node is behind' } }],
])(
  'if the first node %s, the same call succeeds on the second, and the first is paused',
  async (_, reply) => {
    first(unlessGenesis(reply))
    second(unlessGenesis({ result: 7 }))
    const rpc = rpcOf()
    expect(await rpc.call('getBalance')).toBe(7)
    expect(await rpc.call('getBalance')).toBe(7)
    expect(calls()).toEqual([1, 2])
    first(unlessGenesis({ result: 6 }))
    now += 2_500
    expect(await rpc.call('getBalance')).toBe(6)
  },
)

test('Retry-After is honoured: the call throws an error with the remaining time, and no node is asked before', async () => {
  for (const each of [first, second]) each(unlessGenesis({ status: 429, retryAfter: '30' }))
  const rpc = rpcOf()
  await expect(rpc.call('getSlot')).rejects.toMatchObject({ code: 429, retryAfterMs: 30_000 })
  now += 20_000
  await expect(rpc.call('getSlot')).rejects.toMatchObject({ code: 429, retryAfterMs: 10_000 })
  expect(calls()).toEqual([1, 1])
  for (const each of [first, second]) each(unlessGenesis({ result: 1 }))
  now += 10_000
  expect(await rpc.call('getSlot')).toBe(1)
})

test('when every node has failed, the one with the shortest pause is tried again', async () => {
  for (const each of [first, second]) each(unlessGenesis({ status: 500 }))
  const rpc = rpcOf()
  await expect(rpc.call('getSlot')).rejects.toBeInstanceOf(LedgerRpcError)
  for (const each of [first, second]) each(unlessGenesis({ result: 1 }))
  expect(await rpc.call('getSlot')).toBe(1)
})

test('a node of another ledger is never used', async () => {
  second((method) => ({ result: method === 'getGenesisHash' ? 'another' : 666 }))
  const rpc = rpcOf()
  expect(await rpc.call('getSlot')).toBe('ours')
  first(unlessGenesis({ status: 500 }))
  await expect(rpc.call('getSlot')).rejects.toMatchObject({ kind: 'http' })
  expect(calls()[1]).toBe(0)
})

const onAnotherLedger: ReplyTo = (method) => ({
  result: method === 'getGenesisHash' ? 'another' : 666,
})

test('a node of another ledger is reported before it is needed', async () => {
  second(onAnotherLedger)
  const error = vi.spyOn(silentLogger, 'error')
  onTestFinished(() => error.mockRestore())
  const rpc = rpcOf()
  await rpc.call('getSlot')
  await expect.poll(() => rpc.nodes()).toEqual(['healthy', 'refused'])
  const node = { node: 2, genesisHash: 'another', expected: 'ours' }
  expect(error).toHaveBeenCalledWith(node, expect.stringContaining('another ledger'))
  expect(calls()).toEqual([1, 0])
})

test('the ledger of the database decides, not the node that responds first', async () => {
  first(() => ({ status: 500 }))
  second(onAnotherLedger)
  const rpc = rpcOf('ours')
  await expect(rpc.call('getSlot')).rejects.toMatchObject({ kind: 'http', code: 500 })
  first(unlessGenesis({ result: 7 }))
  now += 1_000
  expect(await rpc.call('getSlot')).toBe(7)
  expect(calls()).toEqual([1, 0])
})

test('when no node is on the ledger of the database, only getGenesisHash works', async () => {
  for (const each of [first, second]) each(onAnotherLedger)
  const rpc = rpcOf('ours')
  await expect(rpc.call('getSlot')).rejects.toThrow('every ledger node is on another ledger')
  expect(await rpc.call('getGenesisHash')).toBe('another')
  expect(rpc.nodes()).toEqual(['refused', 'refused'])
  expect(calls()).toEqual([0, 0])
})

test('a node that comes back on another ledger is refused', async () => {
  first(unlessGenesis({ result: 1 }))
  second(unlessGenesis({ result: 2 }))
  const rpc = rpcOf()
  expect(await rpc.call('getSlot')).toBe(1)
  first(unlessGenesis({ status: 503 }))
  expect(await rpc.call('getSlot')).toBe(2)
  expect(rpc.nodes()).toEqual(['paused', 'healthy'])
  first(onAnotherLedger)
  now += 60_000
  expect(await rpc.call('getSlot')).toBe(2)
  expect(rpc.nodes()).toEqual(['refused', 'healthy'])
})

test('a transaction is sent to the next node if the first failed before it was sent', async () => {
  first(() => ({ status: 503 }))
  second(unlessGenesis({ result: 'signature' }))
  expect(await rpcOf().call('sendTransaction', ['wire'])).toBe('signature')
})

test('a slot far below that of another node is used only when no better node responds', async () => {
  first(unlessGenesis({ result: 1_000 }))
  second(unlessGenesis({ result: 1_001 }))
  const rpc = rpcOf()
  expect(await rpc.call('getSlot')).toBe(1_000)
  first(unlessGenesis({ result: 500 }))
  expect(await rpc.call('getSlot')).toBe(1_001)
  second(unlessGenesis({ status: 500 }))
  now += 5_000
  expect(await rpc.call('getSlot')).toBe(500)
})

test('what the first node does not have is requested from the second', async () => {
  first(unlessGenesis({ result: null }))
  second(unlessGenesis({ result: { slot: 5 } }))
  const transactions = ['a', 'b'].map((signature) => ({ method: 'getTransaction', params: [signature] }))
  expect(await rpcOf().batch(transactions)).toEqual([{ slot: 5 }, { slot: 5 }])
  first(unlessGenesis({ error: { code: -32007, message: 'skipped' } }))
  second(unlessGenesis({ result: { signatures: ['a'] } }))
  expect(await rpcOf().settle([{ method: 'getBlock', params: [5] }])).toEqual([{ signatures: ['a'] }])
})

test('a node that has not reached minContextSlot is skipped', async () => {
  first(unlessGenesis({ error: { code: -32016, message: 'Minimum context slot has not been reached' } }))
  second(unlessGenesis({ result: ['new'] }))
  expect(await rpcOf().call('getSignaturesForAddress', ['p', { minContextSlot: 9 }])).toEqual(['new'])
})

test('a transaction that a node may have accepted is not sent to a second node', async () => {
  first(unlessGenesis({ silent: true }))
  const rpc = rpcOf()
  await expect(rpc.call('sendTransaction', ['wire'])).rejects.toMatchObject({ kind: 'timeout' })
  expect(nodes[1].calls).toEqual([])
  now += 100_000
  first(unlessGenesis({ status: 429 }))
  expect(await rpc.call('sendTransaction', ['wire'])).toBe('ours')
})

test('an error that is the same on every node is thrown at once', async () => {
  first(unlessGenesis({ error: { code: -32602, message: 'Invalid params' } }))
  await expect(rpcOf().call('getBalance')).rejects.toMatchObject({ code: -32602 })
  expect(calls()).toEqual([1, 0])
})

test('a single node on another ledger than the database is asked only for its genesis hash', async () => {
  const [alone] = nodes
  let filledFrom: string | undefined
  const rpc = createFailoverRpc({
    urls: [alone.url],
    clock,
    logger: silentLogger,
    readGenesisHash: async () => filledFrom,
  })
  expect(await rpc.call('getSlot')).toBe('ours')
  filledFrom = 'ours'
  expect(await rpc.batch([{ method: 'getSlot', params: [] }])).toEqual(['ours'])
  const all: string[] = []
  first((method) => (all.push(method), { error: { code: -32602, message: 'Invalid params' } }))
  for (let i = 0; i < 2; i += 1) await expect(rpc.call('getSlot')).rejects.toMatchObject({ code: -32602 })
  expect(all).toEqual(['getSlot', 'getSlot'])
  first(() => ({ status: 503 }))
  await expect(rpc.call('getSlot')).rejects.toMatchObject({ code: 503 })
  first(onAnotherLedger)
  alone.calls = []
  await expect(rpc.call('sendTransaction', ['wire'])).rejects.toThrow('on another ledger')
  await expect(rpc.settle([{ method: 'getSlot', params: [] }])).rejects.toThrow('on another ledger')
  expect(alone.calls).toEqual([])
  expect(rpc.nodes()).toEqual(['refused'])
  expect(await rpc.call('getGenesisHash')).toBe('another')
})

test.each([1, 2])(
  'calls that wait at the same time share one check of a node, with %i nodes',
  async (count) => {
    let checks = 0
    first((method) => {
      if (method === 'getGenesisHash') checks += 1
      return method === 'getGenesisHash' ? { result: 'ours' } : { result: 7 }
    })
    const urls = nodes.slice(0, count).map((node) => node.url)
    const rpc = createFailoverRpc({
      urls,
      clock,
      logger: silentLogger,
      timeoutMs: scaled(500),
      genesisHash: 'ours',
    })
    const all = await Promise.all(Array.from({ length: 20 }, () => rpc.call('getBalance')))
    expect(all).toEqual(Array(20).fill(7))
    expect(checks).toBe(1)
  },
)

/** Sets the node's replies by method. Any other call fails. */
function reply(node: ScriptedNode, replies: Record<string, Reply>): void {
  node.replyTo = (method) => ({ getGenesisHash: { result: 'ours' }, ...replies })[method] ?? { status: 500 }
}

const [LIMIT, OTHER_LIMIT] = [429, -32429].map((code) => ({ error: { code, message: 'too many calls' } }))
const transactions = ['a', 'b'].map((signature) => ({ method: 'getTransaction', params: [signature] }))

test.each([
  [429, LIMIT],
  [-32429, OTHER_LIMIT],
])('error %i is a rate limit: the call goes to the next node, and this one is paused', async (_, limit) => {
  const [first, second] = nodes
  reply(first, { getBalance: limit!, getTransaction: limit!, sendTransaction: limit! })
  reply(second, {
    getBalance: { result: 7 },
    getTransaction: { result: { slot: 5 } },
    sendTransaction: { result: 'signature' },
  })
  for (const work of [
    async (rpc: FailoverRpc) => expect(await rpc.call('getBalance')).toBe(7),
    async (rpc: FailoverRpc) => expect(await rpc.call('sendTransaction', ['wire'])).toBe('signature'),
    async (rpc: FailoverRpc) => expect(await rpc.batch(transactions)).toEqual([{ slot: 5 }, { slot: 5 }]),
  ]) {
    const rpc = rpcOf()
    await work(rpc)
    expect(rpc.nodes()).toEqual(['paused', 'healthy'])
    const before = first.calls.length
    await work(rpc)
    expect(first.calls).toHaveLength(before)
  }
})

test('the refused part of a batch goes to the next node, and the first node is paused', async () => {
  const [first, second] = nodes
  first.replyTo = (method, [signature]) => {
    if (method === 'getGenesisHash') return { result: 'ours' }
    return signature === 'a' ? { result: { slot: 4 } } : OTHER_LIMIT!
  }
  reply(second, { getTransaction: { result: { slot: 5 } } })
  const rpc = rpcOf()
  expect(await rpc.batch(transactions)).toEqual([{ slot: 4 }, { slot: 5 }])
  expect(second.calls).toHaveLength(1)
  expect(rpc.nodes()).toEqual(['paused', 'healthy'])
})

const FINAL = { slot: 5, err: null, confirmationStatus: 'finalized' }
const statuses = (...value: unknown[]): Reply => ({ result: { context: { slot: 1_001 }, value } })
const searched = [['a', 'b'], { searchTransactionHistory: true }]

test('statuses in the whole history that one node does not know are requested from the other', async () => {
  const [first, second] = nodes
  reply(first, { getSignatureStatuses: statuses(FINAL, null) })
  let asked: unknown
  second.replyTo = (method, params) => {
    if (method === 'getGenesisHash') return { result: 'ours' }
    asked = params
    return statuses({ ...FINAL, slot: 6 })
  }
  const rpc = rpcOf()
  expect(await rpc.call('getSignatureStatuses', searched)).toMatchObject({ value: [FINAL, { slot: 6 }] })
  expect(asked).toEqual([['b'], { searchTransactionHistory: true }])
  // Without searchTransactionHistory, null has no meaning.
  const recent = await rpc.call('getSignatureStatuses', [['a', 'b']])
  expect(recent).toMatchObject({ value: [FINAL, null] })
})

/** Polls a submitted transaction that is past its last valid block height. */
async function pollExpired(first: Record<string, Reply>, second: Record<string, Reply>) {
  const epoch = { result: { blockHeight: 900, absoluteSlot: 1_000 } }
  reply(nodes[0], { getEpochInfo: epoch, ...first })
  reply(nodes[1], { getEpochInfo: epoch, ...second })
  const row = { id: 'x', signature: 'a', lastValidBlockHeight: 100, slot: null } as TransactionRow
  return (await fetchStatuses([row], { rpc: rpcOf(), registryProgram: pubkey(SYSTEM_PROGRAM) })).get('x')
}

test('who waits for nodes that asked for a pause is told the shortest', async () => {
  const third = await startScriptedNode()
  onTestFinished(() => third.close())
  for (const [i, retryAfter] of ['30', '10'].entries())
    reply(nodes[i]!, { getSignatureStatuses: { status: 429, retryAfter } })
  reply(third, { getSignatureStatuses: { result: { value: [null] } } })
  const urls = [...nodes, third].map((node) => node.url)
  const rpc = createFailoverRpc({ urls, clock, logger: silentLogger, timeoutMs: scaled(500) })
  const call = rpc.call('getSignatureStatuses', [['a'], { searchTransactionHistory: true }])
  const message = expect.stringContaining('number 1, 2')
  await expect(call).rejects.toMatchObject({ message, retryAfterMs: 10_000 })
})

test('a transaction counts as expired only if no node knows it', async () => {
  const unknown = { getSignatureStatuses: statuses(null) }
  expect(await pollExpired(unknown, { getSignatureStatuses: statuses(FINAL) })).toMatchObject({
    kind: 'landed',
    slot: 5,
  })
  expect(await pollExpired(unknown, unknown)).toEqual({ kind: 'absent', expired: true })
  expect(await pollExpired(unknown, { getSignatureStatuses: { status: 503 } })).toBeUndefined()
  expect(await pollExpired(unknown, { getSignatureStatuses: LIMIT! })).toBeUndefined()
})

test('a listing is complete when every node confirms its end, except nodes that failed for ten minutes', async () => {
  const [first, second] = nodes
  const page = { result: [{ signature: 'new', slot: 9, err: null }] }
  const beforeOf = ([, config]: unknown[]) => (config as { before?: string } | undefined)?.before
  const history =
    (...older: object[]): ReplyTo =>
    (method, params) => {
      if (method === 'getGenesisHash') return { result: 'ours' }
      const before = beforeOf(params)
      return before === undefined ? page : { result: before === 'new' ? older : [] }
    }
  first.replyTo = history()
  second.replyTo = history({ signature: 'old', slot: 1, err: null })
  const rpc = rpcOf()
  const list = () => listSignatures(rpc, { programId: 'p', commitment: 'confirmed', until: null, minSlot: 0 })
  expect(await list()).toMatchObject({ count: 2, complete: true, oldest: 'old' })

  reply(second, {})
  const cut = await list()
  expect(cut).toMatchObject({ count: 1, complete: false, certain: false })
  expect(() => assertComplete(cut)).toThrow(UncertainResultError)
  for (let minutes = 0; minutes < 10; minutes += 1) {
    now += 61_000
    expect((await list()).complete).toBe(minutes === 9)
  }
})

test('a transaction without inner instructions is asked of the next node, and kept if no node has more', async () => {
  const [first, second] = nodes
  const withMeta = (innerInstructions: unknown, err: unknown = null) => ({
    slot: 5,
    meta: { err, innerInstructions },
  })
  reply(first, { getTransaction: { result: withMeta(null) } })
  reply(second, { getTransaction: { result: withMeta([]) } })
  expect(await rpcOf().call('getTransaction', ['a'])).toEqual(withMeta([]))
  reply(second, { getTransaction: { result: null } })
  expect(await rpcOf().call('getTransaction', ['a'])).toEqual(withMeta(null))
  reply(first, { getTransaction: { result: withMeta(null, 'AccountNotFound') } })
  const asked = second.calls.length
  expect(await rpcOf().call('getTransaction', ['a'])).toEqual(withMeta(null, 'AccountNotFound'))
  expect(second.calls.slice(asked)).not.toContain('getTransaction')
})
