import { randomBytes } from 'node:crypto'
import {
  ComputeBudgetProgram,
  Keypair,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import bs58 from 'bs58'
import { expect, test } from 'vitest'
import { parseMessage, type Pubkey } from '@agent-registry/solana'
import { LedgerRpcError, VERSION_NOT_SUPPORTED } from '../../../src/ledger/rpc/rpc-error.ts'
import { matchKey } from '../../../src/transactions/match.ts'
import { SEARCH_LIMITS } from '../../../src/transactions/limits.ts'
import type { TransactionRow, TransactionStore } from '../../../src/transactions/transaction-store.ts'
import { createBudget, findLanded } from '../../../src/transactions/search-ledger.ts'

const LISTED = 2_000

/** A prepared row, and a search in a window with too many signatures to fetch and no call left. */
function createSearch() {
  const keypair = Keypair.generate()
  const payer = keypair.publicKey
  const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: payer, lamports: 1 })
  const recentBlockhash = bs58.encode(randomBytes(32))
  const content = { payerKey: payer, recentBlockhash, instructions: [transfer] }
  const transaction = new VersionedTransaction(new TransactionMessage(content).compileToV0Message())
  transaction.sign([keypair])
  const message = Buffer.from(transaction.message.serialize()).toString('base64')
  const search = (signatures: readonly Uint8Array[]) => {
    const infos = signatures.map((bytes) => ({ signature: bs58.encode(bytes), slot: 1, err: null }))
    const address = payer.toBase58() as Pubkey
    const window = { address, oldestSlot: 0, infos, pages: 5, complete: false }
    const rpc = { call: () => Promise.reject(new Error('no call is necessary')) }
    const context = { rpc, store: {} as TransactionStore, take: createBudget(0, { now: () => 0 }, 1) }
    return findLanded([{ id: 'a', message } as TransactionRow], window, context)
  }
  return { search, signature: transaction.signatures[0]! }
}

test('the search among many signatures of one fee payer lets other work run', async () => {
  const { search } = createSearch()
  let turns = 0
  const timer = setInterval(() => (turns += 1), 0)
  const results = await search(Array.from({ length: LISTED }, () => randomBytes(64)))
  clearInterval(timer)
  expect(results.get('a')).toEqual({ kind: 'unknown' })
  expect(turns).toBeGreaterThan(5)
})

test('a transaction whose signature is listed is searched again if it cannot be read now', async () => {
  const { search, signature } = createSearch()
  expect((await search([signature])).get('a')).toBeUndefined()
})

const payer = Keypair.generate()
const recentBlockhash = bs58.encode(randomBytes(32))

/** A transfer of the wallet, prepared with this priority fee and signed. */
function transfer(microLamports: number, lamports = 1) {
  const { publicKey } = payer
  const instructions = [
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports }),
    SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: publicKey, lamports }),
  ]
  const content = { payerKey: publicKey, recentBlockhash, instructions }
  const transaction = new VersionedTransaction(new TransactionMessage(content).compileToV0Message())
  transaction.sign([payer])
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
  return {
    signature: bs58.encode(transaction.signatures[0]!),
    message: base64(transaction.message.serialize()),
    signedTx: base64(transaction.serialize()),
  }
}

interface Listed {
  readonly signature: string
  readonly err?: unknown
  /** What `getTransaction` returns. */
  readonly signedTx?: string | null
  readonly error?: Error
}
const READ = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 1 }
const others = (count: number): Listed[] => Array.from({ length: count }, (_, i) => transfer(1, 100 + i))

/** Searches a transfer that was prepared with a priority fee of 1,000. */
async function searchAmong(
  listed: readonly Listed[],
  { calls = 100, complete = true, prepared = [] as { message: string }[], rows = 1 } = {},
) {
  const fetched: unknown[] = []
  const rpc = {
    call: async (method: string, [signature, config]: unknown[] = []) => {
      expect([method, config]).toEqual(['getTransaction', READ])
      fetched.push(signature)
      const { error, signedTx } = listed.find((each) => each.signature === signature)!
      if (error !== undefined) throw error
      return (signedTx ? { transaction: [signedTx, 'base64'] } : null) as never
    },
  }
  const infos = listed.map(({ signature, err = null }) => ({ signature, slot: 1, err }))
  const window = { address: payer.publicKey.toBase58() as Pubkey, oldestSlot: 0, infos, pages: 1, complete }
  const row = { message: transfer(1_000).message, signature: null } as TransactionRow
  const same = Array.from({ length: rows }, (_, i) => ({ ...row, id: i === 0 ? 'a' : `${i}` }))
  const key = matchKey(parseMessage(Buffer.from(row.message, 'base64')))
  const store = {
    findByMatchKeys: async ([asked]: string[]) => (asked === key ? prepared : []),
  } as unknown as TransactionStore
  const take = createBudget(calls, { now: () => 0 }, 1)
  const results = await findLanded(same, window, { rpc, store, take })
  return { result: results.get('a'), searched: results.size, fetched }
}
const foundAs = ({ signature, signedTx }: Listed) => ({ kind: 'found', signature, signedTx })
const [exact, lowered, other] = [transfer(1_000), transfer(900), transfer(1_000, 2)]
const [absent, unknown] = [{ kind: 'absent' }, { kind: 'unknown' }]
const notSupported = new LedgerRpcError('rpc', 'too new', { code: VERSION_NOT_SUPPORTED })
const tooNew: Listed = { ...other, error: notSupported }
const alsoPrepared = { prepared: [lowered] }

test('the exact transaction is the only one that is read', async () => {
  const listed = [...others(40), lowered, exact]
  expect(await searchAmong(listed, { rows: 2 })).toEqual({
    result: foundAs(exact),
    searched: 2,
    fetched: [exact.signature],
  })
})

test.each<[string, Listed[], object | undefined, Parameters<typeof searchAmong>[1]?]>([
  ['a version with a lower fee', [other, lowered], foundAs(lowered)],
  ['the version that succeeded', [{ ...transfer(800), err: {} }, lowered], foundAs(lowered)],
  ['the version that failed, if there is no other', [{ ...lowered, err: {} }, other], foundAs(lowered)],
  ['absent among others', [other], absent],
  ['absent without others', [], absent],
  ['absent among as many as are read', others(SEARCH_LIMITS.fetches), absent],
  ['unknown among more', others(SEARCH_LIMITS.fetches + 1), unknown],
  ['found before more', [...others(SEARCH_LIMITS.fetches + 1), lowered], foundAs(lowered)],
  ['unknown after as many as are read', [lowered, ...others(SEARCH_LIMITS.fetches)], unknown],
  [
    'open among more while no node returns one of them',
    [...others(SEARCH_LIMITS.fetches), { ...other, signedTx: null }],
    undefined,
  ],
  ['unknown if not all are listed', [other], unknown, { complete: false }],
  ['absent beside one that is too new', [tooNew], absent],
  ['absent beside one that cannot be parsed', [{ ...other, signedTx: 'AA==' }], absent],
  ['absent beside one that is too new and others', [tooNew, ...others(1)], absent],
  ['a version listed after one that is too new', [tooNew, lowered], foundAs(lowered)],
  ['open while no node returns one of them', [{ ...other, signedTx: null }], undefined],
  ['open while no node returns the exact one', [{ ...exact, signedTx: null }], undefined],
  ['open while the exact one is too new', [{ ...exact, error: notSupported }], undefined],
  ['open while the exact one cannot be parsed', [{ ...exact, signedTx: 'AA==' }], undefined],
  ['open while the exact one is another one', [{ ...exact, signedTx: other.signedTx }], undefined],
  ['open after the last call', [lowered, other], undefined, { calls: 1 }],
  ['found with the last call', [lowered, other], foundAs(lowered), { calls: 2 }],
  ['unknown if another prepared one has the lower fee', [lowered], unknown, alsoPrepared],
  [
    'unknown if another prepared one has the lower fee, beside others',
    [lowered, ...others(1)],
    unknown,
    alsoPrepared,
  ],
  ['unknown if it can be one of two', [lowered], unknown, { prepared: [transfer(2_000)] }],
  ['found beside another prepared one', [exact], foundAs(exact), { prepared: [transfer(2_000)] }],
])('an expired transaction is %s', async (_, listed, result, options) => {
  expect((await searchAmong(listed, options)).result).toEqual(result)
})

test('a search verifies a limited number of signatures, and the other rows are searched again', async () => {
  const { searched } = await searchAmong(others(50), { rows: 64 })
  expect(searched).toBe(Math.floor(SEARCH_LIMITS.verifications / 51))
})

test.each([
  ['the node does not respond', new LedgerRpcError('timeout', 'no node')],
  ['there is a defect', new TypeError('broken')],
])('the search ends with the error if %s', async (_, error) => {
  await expect(searchAmong([{ ...other, error }])).rejects.toBe(error)
})
