import { Keypair, TransactionMessage, VersionedTransaction } from '@solana/web3.js'
import { expect, test } from 'vitest'
import { pubkey } from '@agent-registry/solana'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { fetchStatuses } from '../../../src/transactions/fetch-statuses.ts'
import { LedgerRpcError, UncertainResultError } from '../../../src/ledger/rpc/rpc-error.ts'
import type { TransactionRow } from '../../../src/transactions/transaction-store.ts'

const FINALIZED = { blockHeight: 200, absoluteSlot: 250 }

/** A node that knows no transaction. `recent` and `history` are the slots of its answers. */
const nodeAt = (recent: number, history: number) =>
  ({
    call: async (method: string, params: [unknown, { searchTransactionHistory: boolean }]) => {
      if (method === 'getEpochInfo') return FINALIZED
      const slot = params[1].searchTransactionHistory ? history : recent
      return { context: { slot }, value: [null] }
    },
  }) as unknown as LedgerRpc

async function statusOf(
  row: Pick<TransactionRow, 'lastValidBlockHeight' | 'slot'>,
  rpc: LedgerRpc,
): Promise<unknown> {
  const registryProgram = pubkey('11111111111111111111111111111111')
  const rows = [{ id: 'one', signature: 'signature', ...row } as TransactionRow]
  return (await fetchStatuses(rows, { rpc, registryProgram })).get('one')
}

test('a transaction is not expired while the history of the node is older than the block that expired it', async () => {
  const row = { lastValidBlockHeight: 199, slot: null }
  expect(await statusOf(row, nodeAt(300, 249))).toBeUndefined()
  expect(await statusOf(row, nodeAt(300, 250))).toEqual({ kind: 'absent', expired: true })
})

test('a transaction can still land at its last valid block height itself', async () => {
  const row = { lastValidBlockHeight: 200, slot: null }
  expect(await statusOf(row, nodeAt(300, 300))).toEqual({ kind: 'absent', expired: false })
})

test('a node that is behind the slot of a transaction does not make it absent', async () => {
  const row = { lastValidBlockHeight: 1_000, slot: 280 }
  expect(await statusOf(row, nodeAt(279, 300))).toBeUndefined()
  expect(await statusOf(row, nodeAt(280, 300))).toEqual({ kind: 'absent', expired: false })
})

const { publicKey } = Keypair.generate()
const signedTx = new VersionedTransaction(
  new TransactionMessage({
    payerKey: publicKey,
    recentBlockhash: publicKey.toBase58(),
    instructions: [],
  }).compileToV0Message(),
).serialize()

/** The status of a transaction that failed in slot 7. `found` is what `getTransaction` returns. */
async function failureOf(row: Partial<TransactionRow>, found: () => unknown) {
  const calls: unknown[] = []
  const err = { InstructionError: [2, { Custom: 1 }] }
  const status = { slot: 7, err, confirmationStatus: 'confirmed' }
  const call = async (method: string, params: unknown[]) => {
    calls.push(method === 'getTransaction' ? params : method)
    return method === 'getTransaction' ? found() : { context: { slot: 9 }, value: [status] }
  }
  const submitted = { slot: null, error: null, signedTx: Buffer.from(signedTx).toString('base64') }
  const landed = await statusOf({ lastValidBlockHeight: 1, ...submitted, ...row }, {
    call,
  } as unknown as LedgerRpc)
  return [(landed as { failure: unknown }).failure, ...calls]
}

const config = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 1 }
const READ = ['getSignatureStatuses', ['signature', config]]
const failure = { code: 'execution_failed', message: 'Instruction 0: custom program error 0x1' } as const
const line = 'Program log: Error: insufficient funds'
const poor = { ...failure, message: `${failure.message}: a token account has too few tokens`, logs: [line] }

test.each<[string, () => unknown, object?]>([
  ['with its logs', () => ({ meta: { logMessages: [line] } }), poor],
  ['without logs if the node has none', () => ({ meta: { logMessages: null } })],
  ['without logs if the node has no outcome', () => ({ meta: null })],
  ['without logs if the node does not have it', () => null],
  [
    'without logs if the node does not respond',
    () => Promise.reject(new LedgerRpcError('timeout', 'no node')),
  ],
])('a transaction that failed on the ledger is reported %s', async (_, found, expected = failure) => {
  expect(await failureOf({}, found)).toEqual([expected, ...READ])
})

test('the logs of a failure are read once for each block that it was seen in', async () => {
  const error = { ...failure, logs: ['known'] }
  const found = () => ({ meta: { logMessages: ['new'] } })
  expect(await failureOf({ slot: 7, error }, found)).toEqual([error, READ[0]])
  expect(await failureOf({ slot: 6, error }, found)).toEqual([{ ...failure, logs: ['new'] }, ...READ])
  await expect(failureOf({}, () => Promise.reject(new TypeError('broken')))).rejects.toThrow('broken')
})

test('an expired transaction is not known while a node that may know it does not respond', async () => {
  const expired = (error: Error) => {
    const call = async (method: string, params: unknown[]) => {
      if (JSON.stringify(params).includes('"searchTransactionHistory":true')) throw error
      return nodeAt(300, 300).call(method, params)
    }
    return statusOf({ lastValidBlockHeight: 1, slot: null }, { call } as unknown as LedgerRpc)
  }
  expect(await expired(new UncertainResultError('silent'))).toBeUndefined()
  await expect(expired(new LedgerRpcError('timeout', 'no node'))).rejects.toThrow('no node')
})

test('an expired transaction that only the history has is on the ledger', async () => {
  const status = { slot: 5, err: null, confirmationStatus: 'finalized' }
  const call = async (method: string, params: unknown[]) =>
    JSON.stringify(params).includes('"searchTransactionHistory":true')
      ? { context: { slot: 0 }, value: [status] }
      : nodeAt(300, 300).call(method, params)
  expect(await statusOf({ lastValidBlockHeight: 1, slot: null }, { call } as unknown as LedgerRpc)).toEqual({
    kind: 'landed',
    slot: 5,
    finality: 'finalized',
    failure: null,
  })
})

const RECENT = ['getSignatureStatuses', ['signature'], { searchTransactionHistory: false }]
const HEIGHT = ['getEpochInfo', { commitment: 'finalized' }]
const HISTORY = ['getSignatureStatuses', ['signature'], { searchTransactionHistory: true }]

const at = (confirmationStatus: string) => ({ slot: 5, err: null, confirmationStatus })
const landed = { kind: 'landed', slot: 5, failure: null }

test.each<[string, object | null, number, calls: unknown[], object]>([
  ['a processed', at('processed'), 1, [RECENT], { kind: 'processed' }],
  ['a confirmed', at('confirmed'), 1, [RECENT], { ...landed, finality: 'confirmed' }],
  ['a finalized', at('finalized'), 1_000, [RECENT], { ...landed, finality: 'finalized' }],
  ['an absent', null, 1_000, [RECENT, HEIGHT], { kind: 'absent', expired: false }],
  ['an expired', null, 1, [RECENT, HEIGHT, HISTORY], { kind: 'absent', expired: true }],
])(
  'the status of %s transaction takes only the calls that it needs',
  async (_, found, height, ...expected) => {
    const calls: unknown[] = []
    const call = async (method: string, params: unknown[]) => {
      calls.push([method, ...params])
      return method === 'getEpochInfo' ? FINALIZED : { context: { slot: 300 }, value: [found] }
    }
    const row = { lastValidBlockHeight: height, slot: null }
    const status = await statusOf(row, { call } as unknown as LedgerRpc)
    expect([calls, status]).toEqual(expected)
  },
)
