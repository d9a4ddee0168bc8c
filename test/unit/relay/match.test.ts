import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
} from '@solana/web3.js'
import { describe, expect, test } from 'vitest'
import { LIGHTHOUSE_PROGRAM, parseMessage } from '@agent-registry/solana'
import { matchesPrepared, matchKey } from '../../../src/relay/match.ts'
import { keyOf } from '../../support/factories.ts'

const key = (name: string) => new PublicKey(keyOf(name))
const [payer, cosigner, target, stranger] = ['payer', 'cosigner', 'target', 'stranger'].map(key) as [
  PublicKey,
  PublicKey,
  PublicKey,
  PublicKey,
]
const BLOCKHASH = keyOf('blockhash')

const limit = (units: number) => ComputeBudgetProgram.setComputeUnitLimit({ units })
const price = (microLamports: number | bigint) => ComputeBudgetProgram.setComputeUnitPrice({ microLamports })
const heap = ComputeBudgetProgram.requestHeapFrame({ bytes: 64 * 1024 })
const transfer = (lamports = 7, to = target) =>
  SystemProgram.transfer({ fromPubkey: payer, toPubkey: to, lamports })
const call = new TransactionInstruction({
  programId: key('program'),
  keys: [
    { pubkey: cosigner, isSigner: true, isWritable: false },
    { pubkey: target, isSigner: false, isWritable: true },
    { pubkey: key('read'), isSigner: false, isWritable: false },
  ],
  data: Buffer.from([1, 2, 3]),
})
type Meta = { pubkey: PublicKey; isSigner: boolean; isWritable: boolean }
const meta = (pubkey: PublicKey, flags: Partial<Meta> = {}): Meta => ({
  pubkey,
  isSigner: false,
  isWritable: false,
  ...flags,
})
const lighthouse = (kind: number | null, ...keys: Meta[]) =>
  new TransactionInstruction({
    programId: new PublicKey(LIGHTHOUSE_PROGRAM),
    keys,
    data: Buffer.from(kind === null ? [] : [kind, 0, 9]),
  })
const changed = (change: Partial<TransactionInstruction>) =>
  new TransactionInstruction({ programId: call.programId, keys: call.keys, data: call.data, ...change })
const withKeys = (change: (keys: Meta[]) => Meta[]) =>
  changed({ keys: change(call.keys.map((each) => ({ ...each }))) })

interface Shape {
  payerKey?: PublicKey
  blockhash?: string
  tables?: AddressLookupTableAccount[]
  legacy?: boolean
}
function message(instructions: TransactionInstruction[], shape: Shape = {}) {
  const built = new TransactionMessage({
    payerKey: shape.payerKey ?? payer,
    recentBlockhash: shape.blockhash ?? BLOCKHASH,
    instructions,
  })
  const compiled =
    shape.legacy === true ? built.compileToLegacyMessage() : built.compileToV0Message(shape.tables)
  return parseMessage(compiled.serialize())
}

const PREPARED = [limit(50_000), price(1_000), transfer(), call]
const prepared = message(PREPARED)
const assertion = lighthouse(5, meta(payer))
const table = new AddressLookupTableAccount({
  key: key('table'),
  state: {
    deactivationSlot: 2n ** 64n - 1n,
    lastExtendedSlot: 0,
    lastExtendedSlotStartIndex: 0,
    addresses: [target, key('read'), stranger],
  },
})

describe('matches', () => {
  test.each<[string, TransactionInstruction[]]>([
    ['itself', PREPARED],
    ['a lower price', [limit(50_000), price(999), transfer(), call]],
    ['no price at all', [limit(50_000), price(0), transfer(), call]],
    ['a lower limit', [limit(49_999), price(1_000), transfer(), call]],
    ['an assertion at the end', [...PREPARED, assertion]],
    [
      'assertions before, among and after',
      [assertion, limit(50_000), assertion, price(1), assertion, transfer(), call, assertion],
    ],
    ['eight assertions', [...PREPARED, ...Array.from({ length: 8 }, () => assertion)]],
    ['an assertion about an account that nobody names', [...PREPARED, lighthouse(2, meta(stranger))]],
    ['an assertion about an account that is written', [...PREPARED, lighthouse(9, meta(target))]],
    ['the last kind of assertion', [...PREPARED, lighthouse(15)]],
  ])('%s', (_, submitted) => {
    expect(matchesPrepared(prepared, message(submitted))).toBe(true)
    expect(matchKey(message(submitted))).toBe(matchKey(prepared))
  })
})

describe('does not match', () => {
  test.each<[string, TransactionInstruction[], Shape?]>([
    ['another payer', PREPARED, { payerKey: stranger }],
    ['another blockhash', PREPARED, { blockhash: keyOf('another') }],
    ['a legacy message', PREPARED, { legacy: true }],
    ['a lookup table', PREPARED, { tables: [table] }],
    [
      'a table that only an assertion uses',
      [...PREPARED, lighthouse(5, meta(stranger))],
      { tables: [table] },
    ],
    ['a higher price', [limit(50_000), price(1_001), transfer(), call]],
    ['a price of 2^64 - 1', [limit(50_000), price(2n ** 64n - 1n), transfer(), call]],
    ['a higher limit', [limit(50_001), price(1_000), transfer(), call]],
    ['the limit given twice', [limit(50_000), limit(50_000), price(1_000), transfer(), call]],
    ['a second price', [...PREPARED, price(5)]],
    ['another compute-budget instruction', [heap, ...PREPARED]],
    ['one in the place of the limit', [heap, price(1_000), transfer(), call]],
    ['no compute budget', [transfer(), call]],
    ['the compute budget in another order', [price(1_000), limit(50_000), transfer(), call]],
    [
      'a shorter limit',
      [
        new TransactionInstruction({ programId: limit(0).programId, keys: [], data: Buffer.from([2, 0]) }),
        price(1_000),
        transfer(),
        call,
      ],
    ],
    ['another order', [limit(50_000), price(1_000), call, transfer()]],
    ['an instruction less', [limit(50_000), price(1_000), transfer()]],
    ['an instruction more', [...PREPARED, transfer()]],
    ['an instruction twice', [...PREPARED, call]],
    ['another amount', [limit(50_000), price(1_000), transfer(8), call]],
    ['another receiver', [limit(50_000), price(1_000), transfer(7, stranger), call]],
    ['longer data', [limit(50_000), price(1_000), transfer(), changed({ data: Buffer.from([1, 2, 3, 0]) })]],
    ['shorter data', [limit(50_000), price(1_000), transfer(), changed({ data: Buffer.from([1, 2]) })]],
    ['another program', [limit(50_000), price(1_000), transfer(), changed({ programId: stranger })]],
    [
      'an account more',
      [limit(50_000), price(1_000), transfer(), withKeys((keys) => [...keys, meta(target)])],
    ],
    ['an account less', [limit(50_000), price(1_000), transfer(), withKeys((keys) => keys.slice(0, 2))]],
    [
      'accounts in another order',
      [limit(50_000), price(1_000), transfer(), withKeys((keys) => keys.toReversed())],
    ],
    [
      'an account that becomes writable',
      [
        limit(50_000),
        price(1_000),
        transfer(),
        withKeys((keys) => keys.map((each) => ({ ...each, isWritable: true }))),
      ],
    ],
    [
      'an account that becomes a signer',
      [
        limit(50_000),
        price(1_000),
        transfer(),
        withKeys((keys) => keys.map((each) => ({ ...each, isSigner: true }))),
      ],
    ],
    [
      'a signer that no longer signs',
      [
        limit(50_000),
        price(1_000),
        transfer(),
        withKeys((keys) => keys.map((each) => ({ ...each, isSigner: false }))),
      ],
    ],
    ['nine assertions', [...PREPARED, ...Array.from({ length: 9 }, () => assertion)]],
    ['Lighthouse’s memory write', [...PREPARED, lighthouse(0, meta(payer))]],
    ['Lighthouse’s memory close', [...PREPARED, lighthouse(1, meta(payer))]],
    ['an unknown Lighthouse instruction', [...PREPARED, lighthouse(16)]],
    ['a Lighthouse instruction without data', [...PREPARED, lighthouse(null)]],
    ['an assertion with a new signer', [...PREPARED, lighthouse(5, meta(stranger, { isSigner: true }))]],
    [
      'an assertion with a new writable account',
      [...PREPARED, lighthouse(5, meta(stranger, { isWritable: true }))],
    ],
    [
      'an assertion that makes a read account writable',
      [...PREPARED, lighthouse(5, meta(key('read'), { isWritable: true }))],
    ],
    [
      'an assertion that makes an account sign',
      [...PREPARED, lighthouse(5, meta(target, { isSigner: true }))],
    ],
    ['assertions alone', [assertion]],
  ])('%s', (_, submitted, shape) => {
    expect(matchesPrepared(prepared, message(submitted, shape))).toBe(false)
  })

  test('an unused lookup table', () => {
    const lookup = { table: keyOf('table'), writable: Uint8Array.of(0), readonly: new Uint8Array() }
    expect(matchesPrepared(prepared, { ...message(PREPARED), lookups: [lookup] })).toBe(false)
  })

  test('an unused key and a repeated key', () => {
    const submitted = message(PREPARED)
    for (const extra of [keyOf('stranger'), submitted.staticKeys.at(-1)!]) {
      const staticKeys = [...submitted.staticKeys, extra]
      const readonlyUnsigned = submitted.readonlyUnsigned + 1
      expect(matchesPrepared(prepared, { ...submitted, staticKeys, readonlyUnsigned })).toBe(false)
    }
  })
})
