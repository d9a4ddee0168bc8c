import { Keypair, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js'
import { expect, test } from 'vitest'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import type { TransactionsContext } from '../../../src/transactions/context.ts'
import {
  EXPIRED,
  type TransactionChange,
  type TransactionRow,
} from '../../../src/transactions/transaction-store.ts'
import { RELAY_TIMING } from '../../../src/transactions/limits.ts'
import { createTracker, settleExpired } from '../../../src/transactions/tracker.ts'
import { keyOf } from '../../support/factories.ts'
import { SUBMITTED } from './submitted-row.ts'

const NOW = Date.parse('2026-11-21T08:00:00.000Z')
const { pollMs, finalityPollMs, resendMs } = RELAY_TIMING
const after = (ms: number) => new Date(NOW + ms).toISOString()
const FINALIZED = { blockHeight: 200, absoluteSlot: 250 }

const payer = Keypair.generate()
const transaction = new VersionedTransaction(
  new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: keyOf('blockhash'),
    instructions: [
      SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: payer.publicKey, lamports: 1 }),
    ],
  }).compileToV0Message(),
)
transaction.sign([payer])
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** Submitted, not sent, and valid for 800 more blocks. */
const submitted = {
  ...SUBMITTED,
  id: 'a',
  signature: 'signature',
  message: base64(transaction.message.serialize()),
  signedTx: base64(transaction.serialize()),
  lastValidBlockHeight: 1_000,
  blockhashSlot: 1,
} as unknown as TransactionRow
const confirmed = { status: 'confirmed', slot: 90, landed: true, sentAt: after(-60_000) } as const
const expired = { lastValidBlockHeight: 199, sentAt: after(-60_000) }

type Reply = (method: string) => unknown

/** A node that has finalized block 200 and lists no signatures. */
const withStatus =
  (status: object | null, slot = 300): Reply =>
  (method) => {
    if (method === 'getSignatureStatuses') return { context: { slot }, value: [status] }
    if (method === 'getEpochInfo') return FINALIZED
    return method === 'getSignaturesForAddress' ? [] : null
  }
const landed = (confirmationStatus: string, slot = 90) => withStatus({ slot, err: null, confirmationStatus })

/** A fake node that lags and fails on demand, and a fake store that records what is written. */
function fakeContext(rows: TransactionRow[], reply: Reply) {
  const [changes, calls, notified] = [[] as TransactionChange[], [] as string[], [] as string[]]
  const [sends, leases] = [[] as unknown[], [] as unknown[]]
  const stepped = Promise.withResolvers<void>()
  const context = {
    clock: { now: () => NOW },
    timing: RELAY_TIMING,
    logger: { warn: () => stepped.resolve() },
    updates: { notify: (id: string) => notified.push(id) },
    rpc: {
      call: async (method: string, params: unknown) => {
        calls.push(method)
        if (method === 'sendTransaction') sends.push(params)
        return reply(method)
      },
    },
    store: {
      claim: async (lease: unknown) => {
        leases.push(lease)
        return rows.splice(0)
      },
      update: async (row: TransactionRow, change: TransactionChange) => {
        changes.push(change)
        return row
      },
      countOpen: async () => {
        stepped.resolve()
        return { submitted: 0, unsubmitted: 0 }
      },
    },
  } as unknown as TransactionsContext
  return { context, changes, calls, sends, leases, notified, stepped: stepped.promise }
}

/** What the tracker writes and calls when the row is due. */
async function track(change: Partial<TransactionRow> | null, reply: Reply) {
  const rows = change === null ? [] : [{ ...submitted, ...change }]
  const { context, stepped, ...seen } = fakeContext(rows, reply)
  const tracker = createTracker(context)
  tracker.start()
  await stepped
  await tracker.stop()
  return seen
}

const SENT = { sentAt: after(0), accepted: true, nextCheckAt: after(pollMs) }
const ON_LEDGER = { status: 'confirmed', error: null, slot: 90, landed: true, misses: 0 }
const finalCheck = { nextCheckAt: after(finalityPollMs) }

test.each<[string, Partial<TransactionRow>, Reply, object]>([
  ['is not on the ledger and was not sent', {}, withStatus(null), SENT],
  ['was sent as long ago as a resend waits', { sentAt: after(-resendMs) }, withStatus(null), SENT],
  [
    'was on the ledger, and is absent for the second time',
    { ...confirmed, misses: 1 },
    withStatus(null),
    { ...SENT, status: 'submitted', error: null, slot: null },
  ],
])('a transaction is sent if it %s', async (_, row, reply, change) => {
  const { calls, changes, notified } = await track(row, reply)
  expect(calls.filter((each) => each === 'sendTransaction')).toHaveLength(1)
  expect([changes, notified]).toEqual([[{ misses: 0, ...change }], ['a']])
})

const nextPoll = { nextCheckAt: after(pollMs) }
const unsent = { ...expired, sentAt: null }
test.each<[string, Partial<TransactionRow>, Reply, object]>([
  ['was sent a moment ago', { sentAt: after(1 - resendMs) }, withStatus(null), { misses: 0, ...nextPoll }],
  ['is in a block', {}, landed('processed'), { misses: 0, ...nextPoll }],
  ['is confirmed', {}, landed('confirmed'), { ...ON_LEDGER, settled: false, ...finalCheck }],
  ['is finalized', {}, landed('finalized'), { ...ON_LEDGER, settled: true, ...finalCheck }],
  ['was confirmed, and is absent once', confirmed, withStatus(null), { misses: 1, ...finalCheck }],
  ['was confirmed, and the node is behind', { ...confirmed, slot: 301 }, withStatus(null), finalCheck],
  ['was refused', { status: 'failed' }, withStatus(null), { misses: 0, ...finalCheck }],
  ['has expired and is absent once', unsent, withStatus(null), { misses: 1, ...nextPoll }],
  ['has expired, and the node is behind', { ...unsent, misses: 1 }, withStatus(null, 249), nextPoll],
])('a transaction is not sent if it %s', async (_, row, reply, change) => {
  const { calls, changes, notified } = await track(row, reply)
  expect(calls).not.toContain('sendTransaction')
  expect(calls).not.toContain('getSignaturesForAddress')
  expect([changes, notified]).toEqual([[change], ['a']])
})

const PREFLIGHT = -32_002
const preflight = (data: unknown, code = PREFLIGHT) =>
  new LedgerRpcError('rpc', 'preflight failed', { code, data })
const err = { InstructionError: [2, 'InvalidAccountData'] }
const refusal = (logs: string[]) => ({
  status: 'failed',
  error: { code: 'simulation_failed', message: 'Instruction 0: Invalid account data', logs },
})
const sentNow = { sentAt: after(0) }
const httpFailure = { code: PREFLIGHT, data: { err } }

test.each<[string, Error | null, object, Partial<TransactionRow>?]>([
  ['is accepted', null, { ...sentNow, accepted: true }],
  ['is known', preflight({ err: 'AlreadyProcessed' }), { ...sentNow, accepted: true }],
  ['is too early for the node', preflight({ err: 'BlockhashNotFound' }), {}],
  ['times out', new LedgerRpcError('timeout', 'no node'), sentNow],
  ['fails without a reason', preflight(undefined), sentNow],
  ['fails with an empty reason', preflight({ err: null, logs: null }), sentNow],
  ['fails with another code', preflight({ err }, -32_005), sentNow],
  ['fails at the node with HTTP', new LedgerRpcError('http', 'x', httpFailure), sentNow],
  ['is refused', preflight({ err, logs: ['log'] }), refusal(['log'])],
  ['is refused without logs', preflight({ err, logs: null }), refusal([])],
  ['is refused after an earlier send', preflight({ err }), sentNow, { sentAt: after(-resendMs) }],
])('the outcome of a send that %s is stored', async (_, error, change, row = {}) => {
  const { changes } = await track(row, (method) => {
    if (method === 'sendTransaction' && error !== null) throw error
    return withStatus(null)(method)
  })
  expect(changes).toEqual([{ misses: 0, ...change, nextCheckAt: after(pollMs) }])
})

test('the same bytes are sent with the preflight of the node until one has accepted them', async () => {
  const config = { encoding: 'base64', preflightCommitment: 'confirmed', maxRetries: 0 }
  for (const accepted of [false, true]) {
    const { sends } = await track({ accepted }, withStatus(null))
    expect(sends).toEqual([[submitted.signedTx, { ...config, skipPreflight: accepted }]])
  }
})

test('an expired transaction is searched before it fails, unless only the service could send it', async () => {
  const failed = { status: 'failed', error: EXPIRED, slot: null, misses: 0, settled: true }
  const searched = await track({ ...expired, misses: 1 }, withStatus(null))
  expect(searched.calls).toContain('getSignaturesForAddress')
  const sponsored = await track({ ...expired, misses: 1, sponsored: true }, withStatus(null))
  expect(sponsored.calls).not.toContain('getSignaturesForAddress')
  for (const { changes } of [searched, sponsored]) expect(changes).toEqual([expect.objectContaining(failed)])
})

test('due transactions are leased, and no node is called while there is none', async () => {
  const { leases, calls } = await track(null, withStatus(null))
  expect(leases[0]).toEqual({ now: NOW, until: NOW + RELAY_TIMING.leaseMs, limit: 256 })
  expect(calls).toEqual([])
})

test('while no node responds, a transaction does not change and is due again', async () => {
  const down = () => Promise.reject(new LedgerRpcError('transport', 'no node'))
  expect((await track({ ...confirmed, misses: 1 }, down)).changes).toEqual([finalCheck])
})

test.each([
  [0, 1],
  [3, 8],
  [8, 150],
  [16, 150],
])('after %d searches without a result, the next one waits %d times as long', async (misses, times) => {
  const { context, changes, notified } = fakeContext([], (method) => {
    if (method === 'getEpochInfo') return FINALIZED
    throw new LedgerRpcError('transport', 'no node')
  })
  await settleExpired([{ ...submitted, misses }], context)
  const nextCheckAt = after(times * finalityPollMs)
  expect([changes, notified]).toEqual([[{ misses: misses + 1, nextCheckAt }], ['a']])
})
