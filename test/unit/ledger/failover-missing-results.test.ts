import { afterEach, beforeEach, expect, test } from 'vitest'
import { pubkey, SYSTEM_PROGRAM } from '@agent-registry/solana'
import { systemClock } from '../../../src/platform/clock.ts'
import { createFailoverRpc, type FailoverRpc } from '../../../src/ledger/failover/failover-rpc.ts'
import { assertComplete, listSignatures } from '../../../src/ledger/indexer/fetch/signature-listing.ts'
import { UncertainResultError } from '../../../src/ledger/rpc/rpc-error.ts'
import { fetchStatuses } from '../../../src/transactions/fetch-statuses.ts'
import type { TransactionRow } from '../../../src/transactions/transaction-store.ts'
import { silentLogger } from '../../support/ledger/indexer.ts'
import {
  type Reply,
  type ReplyTo,
  type ScriptedNode,
  startScriptedNode,
} from '../../support/ledger/scripted-nodes.ts'
import { scaled } from '../../support/machine-speed.ts'

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

const rpcOf = (): FailoverRpc =>
  createFailoverRpc({
    urls: nodes.map((node) => node.url),
    clock,
    logger: silentLogger,
    timeoutMs: scaled(500),
  })

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
