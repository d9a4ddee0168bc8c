import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
} from '@solana/web3.js'
import { describe, expect, test } from 'vitest'
import { LIGHTHOUSE_PROGRAM, parseMessage, type WireTransaction } from '@agent-registry/solana'
import { hasSameBudget, matchesPrepared, matchKey, ownRows } from '../../../src/transactions/match.ts'
import { keyOf } from '../../support/factories.ts'

const key = (name: string) => new PublicKey(keyOf(name))
const [payer, cosigner, target, stranger] = ['payer', 'cosigner', 'target', 'stranger'].map(key) as [
  PublicKey,
  PublicKey,
  PublicKey,
  PublicKey,
]

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
const withKeys = (change: (key: Meta) => Meta) => changed({ keys: call.keys.map(change) })

const BLOCKHASH = keyOf('blockhash')

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

test('matches if the account of an assertion comes before the others', () => {
  const read = changed({ keys: [meta(target)] })
  const before = lighthouse(5, meta(stranger))
  expect(matchesPrepared(message([read]), message([before, read]))).toBe(true)
})

// More differences are in the tampered transactions of hostile-submits.test.ts.
describe('does not match', () => {
  const withCall = (last: TransactionInstruction) => [limit(50_000), price(1_000), transfer(), last]
  test.each<[string, TransactionInstruction[], Shape?]>([
    [
      'a table that only an assertion uses',
      [...PREPARED, lighthouse(5, meta(stranger))],
      { tables: [table] },
    ],
    ['the limit given twice', [limit(50_000), limit(50_000), price(1_000), transfer(), call]],
    ['a heap in the place of the limit', [heap, price(1_000), transfer(), call]],
    [
      'a heap in the place of the limit, with a lower number',
      [ComputeBudgetProgram.requestHeapFrame({ bytes: 32 * 1024 }), price(1_000), transfer(), call],
    ],
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
    ['another payer', PREPARED, { payerKey: stranger }],
    ['an instruction less', PREPARED.slice(0, -1)],
    ['another order', [limit(50_000), price(1_000), call, transfer()]],
    ['a lower amount', [limit(50_000), price(1_000), transfer(6), call]],
    ['another receiver', [limit(50_000), price(1_000), transfer(7, stranger), call]],
    ['another program', withCall(changed({ programId: stranger }))],
    ['an account that becomes a signer', withCall(withKeys((key) => ({ ...key, isSigner: true })))],
    ['a signer that no longer signs', withCall(withKeys((key) => ({ ...key, isSigner: false })))],
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

  test('two programs that change places, with the same accounts and data', () => {
    const [first, second] = ['program', 'another'].map((name) => changed({ programId: key(name) }))
    const [one, other] = [message([first!, second!]), message([second!, first!])]
    const sameKeys = { ...one, instructions: one.instructions.toReversed() }
    for (const submitted of [other, sameKeys]) expect(matchesPrepared(one, submitted)).toBe(false)
  })

  test('an instruction less that names no other account', () => {
    const more = message([...PREPARED, transfer()])
    for (const [one, other] of [
      [more, prepared],
      [prepared, more],
    ] as const)
      expect(matchesPrepared(one, other)).toBe(false)
  })

  test('another signer as the payer, with the same accounts', () => {
    const keys = [payer, cosigner].map((each) => meta(each, { isSigner: true, isWritable: true }))
    const one = message([changed({ keys })])
    const other = message([changed({ keys })], { payerKey: cosigner })
    expect(new Set(other.staticKeys)).toEqual(new Set(one.staticKeys))
    expect(matchesPrepared(one, other)).toBe(false)
    expect(matchKey(one)).not.toBe(matchKey(other))
  })

  test('a key that no instruction uses and that is missing', () => {
    const staticKeys = [...prepared.staticKeys, keyOf('unused')]
    const more = { ...prepared, staticKeys, readonlyUnsigned: prepared.readonlyUnsigned + 1 }
    expect(matchesPrepared(more, prepared)).toBe(false)
  })

  test('keys that are not there', () => {
    const [instruction] = prepared.instructions
    for (const wrong of [
      { ...instruction!, programIdIndex: 99 },
      { ...instruction!, accounts: Uint8Array.of(99) },
    ]) {
      const broken = { ...prepared, instructions: prepared.instructions.with(0, wrong) }
      expect(matchesPrepared(prepared, broken)).toBe(false)
      expect(matchesPrepared(broken, prepared)).toBe(false)
      expect(matchKey(broken)).toBeNull()
    }
  })
})

describe('the match key', () => {
  test.each<[string, TransactionInstruction[], Shape?]>([
    ['another payer', PREPARED, { payerKey: stranger }],
    ['another blockhash', PREPARED, { blockhash: keyOf('another') }],
    ['another amount', [limit(50_000), price(1_000), transfer(8), call]],
    ['another receiver', [limit(50_000), price(1_000), transfer(7, stranger), call]],
    ['another program', [limit(50_000), price(1_000), transfer(), changed({ programId: stranger })]],
    ['another order', [limit(50_000), price(1_000), call, transfer()]],
    ['an instruction less', [limit(50_000), price(1_000), transfer()]],
    ['another compute-budget instruction', [heap, price(1_000), transfer(), call]],
    ['a write of Lighthouse', [...PREPARED, lighthouse(1)]],
  ])('differs for %s', (_, instructions, shape) => {
    expect(matchKey(message(instructions, shape))).not.toBe(matchKey(prepared))
  })

  test('is null for another version and for lookup tables', () => {
    expect(matchKey(message(PREPARED, { legacy: true }))).toBeNull()
    expect(matchKey(message(PREPARED, { tables: [table] }))).toBeNull()
    const lookup = { table: keyOf('table'), writable: Uint8Array.of(0), readonly: new Uint8Array() }
    expect(matchKey({ ...prepared, lookups: [lookup] })).toBeNull()
  })
})

test.each<[boolean, string, TransactionInstruction[]]>([
  [true, 'itself', PREPARED],
  [true, 'a version with assertions', [assertion, ...PREPARED, assertion]],
  [false, 'another price', [limit(50_000), price(999), transfer(), call]],
  [false, 'another limit', [limit(49_999), price(1_000), transfer(), call]],
])('it is %s that the compute budget is the same as that of %s', (expected, _, submitted) => {
  expect(hasSameBudget(prepared, message(submitted))).toBe(expected)
})

describe('a transaction of the ledger is', () => {
  const at = (microLamports: number) => {
    const instructions = [limit(50_000), price(microLamports), transfer(), call]
    return new TransactionMessage({ payerKey: payer, recentBlockhash: BLOCKHASH, instructions })
      .compileToV0Message()
      .serialize()
  }
  const rows = [
    ['medium', 1_000],
    ['high', 2_000],
    ['high again', 2_000],
    ['submitted with 300', 3_000, 'signature at 300'],
  ] as const
  const prepared = rows.map(([name, microLamports, signature = null]) => ({
    name,
    signature,
    message: Buffer.from(at(microLamports)).toString('base64'),
  }))
  const own = (microLamports: number, ...names: string[]) => {
    const wire = { message: parseMessage(at(microLamports)), signature: `signature at ${microLamports}` }
    const given = prepared.filter(({ name }) => names.length === 0 || names.includes(name))
    return ownRows(wire as WireTransaction, given).map(({ name }) => name)
  }

  test.each<[number, string[], string[]]>([
    [2_000, [], ['high', 'high again']],
    [1_000, [], ['medium']],
    [300, [], ['submitted with 300']],
    [500, [], []],
    [4_000, [], []],
    [500, ['medium'], ['medium']],
    [500, ['high', 'high again'], ['high', 'high again']],
    [1_500, ['medium', 'high'], ['high']],
  ])('at a price of %d, of %j: %j', (microLamports, given, expected) => {
    expect(own(microLamports, ...given)).toEqual(expected)
  })
})
