import { Keypair, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js'
import bs58 from 'bs58'
import { expect, test } from 'vitest'
import { parseMessage } from '@agent-registry/solana'
import type { RpcTransaction } from '../../../src/ledger/decode/rpc-transaction.ts'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import type { TransactionsContext } from '../../../src/transactions/context.ts'
import { matchKey } from '../../../src/transactions/match.ts'
import { SEEN_LIMITS } from '../../../src/transactions/limits.ts'
import type { TransactionChange, TransactionRow } from '../../../src/transactions/transaction-store.ts'
import { createSelfSent, wireTransaction } from '../../../src/transactions/self-sent.ts'
import { keyOf } from '../../support/factories.ts'

const payer = Keypair.generate()
const { publicKey } = payer
const transaction = new VersionedTransaction(
  new TransactionMessage({
    payerKey: publicKey,
    recentBlockhash: keyOf('blockhash'),
    instructions: [SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: publicKey, lamports: 1 })],
  }).compileToV0Message(),
)
transaction.sign([payer])
const bytes = Buffer.from(transaction.serialize())
const message = Buffer.from(transaction.message.serialize())
const signature = bs58.encode(transaction.signatures[0]!)

/** As a node returns it. */
const returned = (
  change: Partial<RpcTransaction> = {},
  part: Partial<RpcTransaction['transaction']['message']> = {},
): RpcTransaction => ({
  slot: 9,
  version: 0,
  meta: { err: null, logMessages: ['log'] },
  transaction: {
    signatures: [signature],
    message: {
      header: transaction.message.header,
      accountKeys: transaction.message.staticAccountKeys.map((key) => key.toBase58()),
      recentBlockhash: transaction.message.recentBlockhash,
      instructions: transaction.message.compiledInstructions.map((each) => ({
        programIdIndex: each.programIdIndex,
        accounts: each.accountKeyIndexes,
        data: bs58.encode(each.data),
      })),
      ...part,
    },
  },
  ...change,
})
const failed = (meta: Partial<RpcTransaction['meta']> = {}) =>
  returned({ meta: { err: { InstructionError: [0, { Custom: 1 }] }, logMessages: ['why'], ...meta } })
const withSignatures = (signatures?: string[]) =>
  returned({ transaction: { message: returned().transaction.message, ...(signatures && { signatures }) } })
const wrongSignature = withSignatures([bs58.encode(new Uint8Array(64).fill(1))])

test('the bytes of a transaction that a node returns as JSON are those of the wallet', () => {
  expect(Buffer.from(wireTransaction(returned())!.bytes)).toEqual(bytes)
})

test.each<[string, RpcTransaction]>([
  ['of version 1', returned({ version: 1 })],
  ['without a version', returned({ version: 'legacy' })],
  ['with a lookup table', returned({}, { addressTableLookups: [{}] })],
  ['without signatures', withSignatures()],
  ['without a header', { ...returned({}, { header: undefined as never }) }],
  ['without a blockhash', { ...returned({}, { recentBlockhash: undefined as never }) }],
  ['with a signature that is not base-58', withSignatures(['0'])],
])('a transaction %s is not compared', (_, json) => {
  expect(wireTransaction(json)).toBeNull()
})

const open = {
  id: 'a',
  version: 1,
  status: 'simulated',
  message: message.toString('base64'),
  matchKey: matchKey(parseMessage(message)),
  signature: null,
  signedTx: null,
  sentAt: null,
  slot: null,
  landed: false,
  misses: 0,
  settled: false,
} as unknown as TransactionRow

/** What the fake node and the fake store return. Other processes write at chosen moments. */
interface Fakes {
  readonly row?: Partial<TransactionRow>
  /** What `getTransaction` returns. */
  readonly fetched?: () => unknown
  readonly unsubmitted?: number
  readonly known?: readonly string[]
  /** Rows that another process writes first. The last one stays. */
  readonly written?: readonly (TransactionRow | null)[]
}

function withFakes({ row, fetched = () => null, unsubmitted = 1, known = [], written = [] }: Fakes = {}) {
  const [changes, fetches, notified] = [[] as TransactionChange[], [] as unknown[], [] as string[]]
  const warnings: unknown[] = []
  const others = [...written]
  const selfSent = createSelfSent({
    clock: { now: () => 0 },
    logger: { warn: (warning: unknown) => warnings.push(warning) },
    registryProgram: keyOf('registry'),
    updates: { notify: (id: string) => notified.push(id) },
    rpc: {
      call: async (method: string, [wanted]: unknown[]) => {
        fetches.push(method, wanted)
        return fetched()
      },
    },
    store: {
      countOpen: async () => ({ submitted: 9, unsubmitted }),
      findSignatures: async () => new Set(known),
      findByMatchKeys: async (keys: string[]) =>
        [{ ...open, ...row }].filter((each) => keys.includes(each.matchKey!)),
      find: async () => others.shift(),
      update: async (each: TransactionRow, change: TransactionChange) => {
        if (others.length > 0) return null
        changes.push(change)
        return each
      },
    },
  } as unknown as TransactionsContext)
  const see = async (json: RpcTransaction | null, name = signature) => {
    selfSent.see({ signature: name, transaction: json })
    await selfSent.idle()
  }
  return { selfSent, see, changes, fetches, notified, warnings }
}

const FOUND = { slot: 9, signature, signedTx: bytes.toString('base64'), landed: true, settled: false }
const SUCCESS = { ...FOUND, status: 'confirmed', error: null }

test('a transaction that succeeded is stored without a call of the node', async () => {
  const { see, changes, fetches, notified } = withFakes()
  await see(returned())
  expect(changes).toEqual([expect.objectContaining(SUCCESS)])
  expect([fetches, notified]).toEqual([[], ['a']])
})

test.each([
  [['why'], ['why']],
  [null, []],
  [undefined, []],
])('a transaction that failed is read and stored with its reason, with the logs %j', async (given, logs) => {
  const { see, changes, fetches } = withFakes({ fetched: () => failed({ logMessages: given }) })
  await see(null)
  expect(fetches).toEqual(['getTransaction', signature])
  const error = { code: 'execution_failed', message: 'The compute budget: custom program error 0x1', logs }
  expect(changes).toEqual([expect.objectContaining({ ...FOUND, status: 'failed', error })])
})

test.each<[string, Fakes, fetched: number]>([
  ['nothing is open', { unsubmitted: 0, fetched: failed }, 0],
  ['it was submitted here', { known: [signature], fetched: failed }, 0],
  ['the node does not have it', {}, 1],
  ['the node does not have its outcome', { fetched: () => returned({ meta: null }) }, 1],
  [
    'the node does not respond',
    { fetched: () => Promise.reject(new LedgerRpcError('timeout', 'no node')) },
    1,
  ],
  ['its signature is wrong', { fetched: () => wrongSignature }, 1],
  ['the row has its outcome', { row: { settled: true }, fetched: failed }, 1],
  ['nobody prepared it', { row: { matchKey: 'another' }, fetched: failed }, 1],
])('nothing is stored for a failed transaction if %s', async (_, given, calls) => {
  const { see, changes, fetches, warnings } = withFakes(given)
  await see(null)
  expect([changes, warnings]).toEqual([[], []])
  expect(fetches).toHaveLength(2 * calls)
})

test('a row that another process writes at the same time is compared again', async () => {
  const again = withFakes({ written: [open] })
  await again.see(returned())
  expect([again.changes, again.notified]).toEqual([[expect.objectContaining(SUCCESS)], ['a']])
  for (const current of [null, { ...open, settled: true }]) {
    const { see, changes, notified } = withFakes({ written: [current] })
    await see(returned())
    expect([changes, notified]).toEqual([[], []])
  }
})

test('other errors are logged, and what is seen later is compared', async () => {
  let isBroken = true
  const { see, changes, warnings } = withFakes({
    fetched: () => {
      if (isBroken) throw new Error('broken')
      return failed()
    },
  })
  await see(null)
  expect([changes, warnings]).toEqual([[], [{ err: new Error('broken') }]])
  isBroken = false
  await see(null)
  expect(changes).toHaveLength(1)
})

test.each([
  [SEEN_LIMITS.waiting - 1, 1],
  [SEEN_LIMITS.waiting, 0],
])('while %d wait for the comparison, %d more is kept', async (waiting, kept) => {
  const { selfSent, see, changes, fetches } = withFakes()
  const running = 4
  for (let i = 0; i < running + waiting; i += 1) selfSent.see({ signature: `${i}`, transaction: null })
  await see(returned())
  expect(changes).toHaveLength(kept)
  expect(fetches).toHaveLength(2 * (running + SEEN_LIMITS.fetches))
})

test('nothing is compared after the end', async () => {
  const { selfSent, see, changes } = withFakes()
  await selfSent.stop()
  await see(returned())
  expect(changes).toEqual([])
})
