import { expect, test } from 'vitest'
import { encodeBase58 } from '@agent-registry/solana'
import { registryCalls } from '../../../src/ledger/decode/decode-transaction.ts'

const PROGRAM = 'program'
const callWith = (bytes: number) => {
  const data = encodeBase58(new Uint8Array(bytes).fill(255))
  return [{ programId: PROGRAM, accounts: [], data, inner: [] }]
}

test('instruction data that no instruction of the registry has is refused before it is decoded', () => {
  expect(registryCalls(callWith(1_232), PROGRAM)).toMatchObject([{ data: { length: 1_232 } }])
  expect(() => registryCalls(callWith(10_240), PROGRAM)).toThrow('too long')
})
