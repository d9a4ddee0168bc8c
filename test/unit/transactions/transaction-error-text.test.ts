import { Keypair, PublicKey, TransactionInstruction, TransactionMessage } from '@solana/web3.js'
import { expect, test } from 'vitest'
import { parseMessage } from '@agent-registry/solana'
import { transactionErrorText } from '../../../src/transactions/error-text.ts'
import { addresses, keyOf, programId } from '../../support/ledger/registry-world.ts'
import { registration } from '../../support/transactions/relay-world.ts'

const payer = Keypair.generate()
const message = parseMessage(
  new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: addresses.config(),
    instructions: [registration(payer)],
  })
    .compileToV0Message()
    .serialize(),
)
const text = (error: unknown, logs?: string[]) => transactionErrorText(error, message, programId, logs)
const line = (account: string, name: string) =>
  `Program log: AnchorError caused by account: ${account}. Error Code: ${name}. Error Number: 6003. Error Message: x.`

test.each([
  ['AccountNotFound', `The fee payer ${keyOf(payer)} has no SOL: the account does not exist on the ledger`],
  ['InsufficientFundsForFee', `The fee payer ${keyOf(payer)} has not enough SOL for the network fee`],
  ['BlockhashNotFound', 'Blockhash not found'],
  [{ DuplicateInstruction: 3 }, 'Duplicate instruction'],
  [{}, 'Unknown error'],
  [null, 'Unknown error'],
  [{ InstructionError: 'x' }, 'Instruction error'],
  [{ InstructionError: [1, 'InvalidAccountData'] }, 'The compute budget: Invalid account data'],
  [{ InstructionError: [2, 'InvalidAccountData'] }, 'Instruction 0: Invalid account data'],
  [{ InstructionError: [2, { BorshIoError: 'x' }] }, 'Instruction 0: Borsh io error'],
  [{ InstructionError: [2, null] }, 'Instruction 0: unknown error'],
])('the text of %j says what is wrong', (error, expected) => {
  expect(text(error)).toBe(expected)
})

test.each([
  ['Transfer: insufficient lamports 0, need 1788720', /: an account has 0 lamports, .* needs 1788720$/],
  ['Program log: Error: insufficient funds', /: a token account has too few tokens$/],
  ['Transfer: insufficient lamports 0, need 5<b>', /custom program error 0x1$/],
])('the text of the error 0x1 has the reason of a known line: %s', (logged, expected) => {
  const error = { InstructionError: [2, { Custom: 1 }] }
  expect(text(error, ['Program log: x', logged, 'Program log: y'])).toMatch(expected)
})

test('the text of an account with a wrong owner says that it may not exist', () => {
  const error = { InstructionError: [0, { Custom: 6005 }] }
  expect(text(error, [line('agent', 'InvalidAccountOwner')])).toMatch(
    /program\. It may not exist\. Account: agent$/,
  )
})

test('the text names the account of the last line for this error, if the IDL has an account of this name', () => {
  const error = { InstructionError: [0, { Custom: 6003 }] }
  const words = ': NotWritable: An account must be writable.'
  expect(text(error, [line('owner', 'NotWritable'), line('agent', 'NotWritable')])).toMatch(
    new RegExp(`${words} Account: agent$`),
  )
  for (const logs of [[], [line('agent', 'InvalidPda')], [line('<script>', 'NotWritable')]])
    expect(text(error, logs)).toMatch(new RegExp(`${words}$`))
})

test('an error of an instruction that does not exist is no error of the registry', () => {
  const instructions = [new TransactionInstruction({ programId: new PublicKey(programId), keys: [] })]
  const content = { payerKey: payer.publicKey, recentBlockhash: addresses.config(), instructions }
  const short = parseMessage(new TransactionMessage(content).compileToV0Message().serialize())
  expect(short.staticKeys[1]).toBe(programId)
  const textOf = (position: number) =>
    transactionErrorText({ InstructionError: [position, { Custom: 6003 }] }, short, programId)
  expect(textOf(9)).toBe('Instruction 7: custom program error 0x1773')
  expect(textOf(0)).toBe('The compute budget: NotWritable: An account must be writable.')
})
