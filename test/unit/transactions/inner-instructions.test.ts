import bs58 from 'bs58'
import { expect, test } from 'vitest'
import { innerData, innerInstructions } from '../../../src/transactions/ledger-transaction.ts'
import { keyOf } from '../../support/factories.ts'

const accounts = ['payer', 'program'].map((label) => ({
  pubkey: keyOf(label),
  isSigner: label === 'payer',
  isWritable: true,
}))
const invoked = { programIdIndex: 1, accounts: [0], data: bs58.encode(Buffer.from('data')) }

test('inner instructions have the number of their instruction, their depth and their accounts', () => {
  const groups = [
    { index: 0, instructions: [invoked] },
    { index: 2, instructions: [{ ...invoked, stackHeight: 3 }] },
  ]
  const found = innerInstructions(accounts, groups)
  const program = { programId: keyOf('program'), accounts: [accounts[0]] }
  expect(found).toMatchObject([
    { ...program, instruction: 1, depth: 1 },
    { ...program, instruction: 3, depth: 2 },
  ])
  expect(innerData(found[0]!)).toBe(Buffer.from('data').toString('base64'))
})

test('an odd answer of a node leaves out what is unknown', () => {
  const { accounts: _none, ...withoutAccounts } = invoked
  const instructions = [{ ...invoked, programIdIndex: 9 }, { ...invoked, accounts: [0, 9] }, withoutAccounts]
  expect(innerInstructions(accounts, [{ index: 0, instructions }])).toMatchObject([
    { accounts: [accounts[0]] },
    { accounts: [] },
  ])
})

test('data that is too long, or not base-58, is null', () => {
  const dataOf = (data: string) =>
    innerData(innerInstructions(accounts, [{ index: 0, instructions: [{ ...invoked, data }] }])[0]!)
  expect(dataOf(bs58.encode(Buffer.alloc(600, 7)))).not.toBeNull()
  expect([dataOf(bs58.encode(Buffer.alloc(10_240, 7))), dataOf('0OIl')]).toEqual([null, null])
})
