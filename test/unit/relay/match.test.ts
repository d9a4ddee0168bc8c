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

interface Shape {
  payerKey?: PublicKey
  tables?: AddressLookupTableAccount[]
}
function message(instructions: TransactionInstruction[], shape: Shape = {}) {
  const built = new TransactionMessage({
    payerKey: shape.payerKey ?? payer,
    recentBlockhash: keyOf('blockhash'),
    instructions,
  })
  return parseMessage(built.compileToV0Message(shape.tables).serialize())
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

  test('another payer among the same writable signers', () => {
    const both = [transfer(), SystemProgram.transfer({ fromPubkey: cosigner, toPubkey: target, lamports: 1 })]
    const submitted = message(both, { payerKey: cosigner })
    expect(matchesPrepared(message(both), message(both))).toBe(true)
    expect(matchesPrepared(message(both), submitted)).toBe(false)
    expect(matchKey(submitted)).not.toBe(matchKey(message(both)))
  })

  test('an instruction less or more, with the same accounts', () => {
    const [once, twice] = [message([transfer()]), message([transfer(), transfer()])]
    expect(matchesPrepared(twice, once)).toBe(false)
    expect(matchesPrepared(once, twice)).toBe(false)
    expect(matchKey(once)).not.toBe(matchKey(twice))
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
