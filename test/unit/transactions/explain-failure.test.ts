import { PublicKey, SystemProgram, TransactionInstruction, TransactionMessage } from '@solana/web3.js'
import { registryInstruction } from '@agent-registry/program'
import { expect, test } from 'vitest'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import { explainFailure } from '../../../src/transactions/explain-failure.ts'
import { addresses, programId } from '../../support/ledger/registry-world.ts'

const payer = addresses.config()
const suspension = registryInstruction(
  programId,
  'suspend_agent',
  { authority: payer, agent: addresses.agent(payer) },
  {},
)
const unknownInstruction = new TransactionInstruction({ programId: new PublicKey(programId), keys: [] })

const tooLong = new TransactionInstruction({
  programId: suspension.programId,
  keys: suspension.keys,
  data: Buffer.concat([suspension.data, Buffer.of(0)]),
})

let calls: unknown[] = []

/** The text for a message with this instruction. A fake node gives the replies of `node`. */
function explain(err: unknown, node: Record<string, unknown>, instruction = suspension, logs: string[] = []) {
  const content = {
    payerKey: new PublicKey(payer),
    recentBlockhash: payer,
    instructions: [instruction],
  }
  const bytes = new TransactionMessage(content).compileToV0Message().serialize()
  calls = []
  const call = async (method: string, params: unknown[] = []) => {
    calls.push([method, ...params])
    if (!(method in node)) throw new LedgerRpcError('timeout', 'no node')
    return node[method] as never
  }
  return explainFailure({ err, logs }, bytes, { rpc: { call }, registryProgram: programId })
}

const account = (lamports: number, space?: number) => ({ lamports, owner: 'x', data: ['', 'base64'], space })
const FEE = 'InsufficientFundsForFee'
const generic = `The fee payer ${payer} has not enough SOL for the network fee`
const fee = (lamports: number | null, found: object | null) => ({
  getFeeForMessage: { value: lamports },
  getMultipleAccounts: { value: [found] },
})

test.each<[string, Record<string, unknown>, string]>([
  [
    'too little',
    fee(5_000, account(4_999)),
    `The fee payer ${payer} has 0.000004999 SOL, and the network fee is 0.000005 SOL`,
  ],
  ['no account', fee(5_000, null), `The fee payer ${payer} has 0 SOL, and the network fee is 0.000005 SOL`],
  ['enough by now', fee(5_000, account(5_000)), generic],
  ['a blockhash that the node does not know', fee(null, account(1)), generic],
  ['no node that responds', {}, generic],
])('the network fee is named to a payer with %s', async (_, node, text) => {
  expect(await explain(FEE, node)).toBe(text)
})

test('the balance and the fee are those of the payer and the message, at the commitment of the simulation', async () => {
  await explain(FEE, fee(5_000, null))
  const config = { encoding: 'base64', commitment: 'confirmed', dataSlice: { offset: 0, length: 512 } }
  expect(calls).toEqual([
    ['getMultipleAccounts', [payer], config],
    ['getFeeForMessage', expect.stringMatching(/^[\w+/]{100,}=*$/), { commitment: 'confirmed' }],
  ])
})

const rent = (index?: number) => ({ InsufficientFundsForRent: { account_index: index } })
const poor = {
  getMultipleAccounts: { value: [account(2_000, 0)] },
  getMinimumBalanceForRentExemption: 890_880,
}
const left = `The transaction would leave too little SOL in ${payer} for its rent.`

test.each<[string, unknown, Record<string, unknown>, string]>([
  [
    'with both amounts',
    rent(0),
    poor,
    `${left} It has 0.000002 SOL now, and must keep 0.00089088 SOL or nothing`,
  ],
  ['of another account', rent(1), poor, expect.stringContaining(addresses.agent(payer)) as string],
  ['of a new account', rent(0), { getMultipleAccounts: { value: [null] } }, 'Insufficient funds for rent'],
  ['of no account of the message', rent(99), poor, 'Insufficient funds for rent'],
  ['of no account', rent(), poor, 'Insufficient funds for rent'],
])('too little rent is explained %s', async (_, err, node, text) => {
  expect(await explain(err, node)).toEqual(text)
})

const custom = (code: number, position = 0) => ({ InstructionError: [position, { Custom: code }] })

test.each<[string, unknown, TransactionInstruction]>([
  ['that the registry does not have', custom(6_005), unknownInstruction],
  ['whose data is too long', custom(6_005), tooLong],
  [
    'of another program',
    custom(1),
    SystemProgram.nonceAdvance({ noncePubkey: new PublicKey(payer), authorizedPubkey: new PublicKey(payer) }),
  ],
  ['that the message does not have', custom(6_005, 3), suspension],
  ['without a custom code', { InstructionError: [0, 'InvalidAccountData'] }, suspension],
  ['whose error has no reason', custom(6_003), suspension],
])('no account is read for an instruction %s', async (_, err, instruction) => {
  // Without a node, the text is the same only if nothing is read.
  const withoutNode = await explain(err, {}, instruction)
  const reading = {
    get getMultipleAccounts(): never {
      throw new Error('an account was read')
    },
  }
  expect(await explain(err, reading, instruction)).toBe(withoutNode)
})

test('an account that the program names and that is missing is explained', async () => {
  const logs = [
    'Program log: AnchorError caused by account: agent. Error Code: InvalidAccountOwner. Error Number: 6005. Error Message: x.',
  ]
  const text = await explain(custom(6_005), { getMultipleAccounts: { value: [null] } }, suspension, logs)
  expect(text).toContain(`There is no agent at this address: the account ${addresses.agent(payer)} does not`)
})

test('a defect is not hidden', async () => {
  await expect(explain(FEE, { getFeeForMessage: null, getMultipleAccounts: null })).rejects.toThrow(TypeError)
})
