import { expect, test } from 'vitest'
import type { Message } from '@agent-registry/solana'
import { messageAccounts, messageInstructions } from '../../../src/transactions/ledger-transaction.ts'
import { keyOf } from '../../support/factories.ts'

const keys = ['payer', 'reads and signs', 'written', 'program', 'from a table', 'also'].map(keyOf)
const message = {
  version: 0,
  staticKeys: keys.slice(0, 4),
  requiredSignatures: 2,
  readonlySigned: 1,
  readonlyUnsigned: 1,
  instructions: [{ programIdIndex: 3, accounts: Uint8Array.of(5, 0, 4, 2), data: Uint8Array.of(1) }],
} as unknown as Message
const account = (index: number, isSigner: boolean, isWritable: boolean) => ({
  pubkey: keys[index],
  isSigner,
  isWritable,
})
const own = [
  account(0, true, true),
  account(1, true, false),
  account(2, false, true),
  account(3, false, false),
]
const loaded = { writable: [keys[4]!], readonly: [keys[5]!] }
const [written, read] = [account(4, false, true), account(5, false, false)]

test('the accounts of a message are its own, then those of lookup tables, each with its flags', () => {
  for (const none of [undefined, null]) expect(messageAccounts(message, none)).toEqual(own)
  expect(messageAccounts(message, loaded)).toEqual([...own, written, read])
})

test('accounts of lookup tables that are not known are left out of an instruction', () => {
  const instruction = { programId: keys[3], data: 'AQ==' }
  expect(messageInstructions(message)).toEqual([{ ...instruction, accounts: [own[0], own[2]] }])
  expect(messageInstructions(message, loaded)).toEqual([
    { ...instruction, accounts: [read, own[0], written, own[2]] },
  ])
})
