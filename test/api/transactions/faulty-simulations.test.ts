import { Keypair } from '@solana/web3.js'
import { beforeAll, expect, test } from 'vitest'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { SPONSOR_POLICY } from '../../../src/transactions/sponsor-policy.ts'
import { keyOf } from '../../support/factories.ts'
import { programId, signed } from '../../support/transactions/relay-world.ts'
import { newClient, useSponsorWorld } from '../../support/transactions/sponsor-world.ts'

interface Account {
  lamports: number
  owner: string
  data: [string, string]
}
/** The part of a simulation that the fee payer's decision uses. */
interface Value {
  err: unknown
  preBalances?: number[]
  accounts: [Account, Account | null]
}

const world = useSponsorWorld()
let code: string
beforeAll(async () => {
  code = await world.code(100)
})

/** A fault: the node reports another result of a simulation, or another block height. */
function faultyNode(change: (value: Value) => void, height?: number): LedgerRpc {
  return {
    ...world.rpc,
    call: async <T>(method: string, params?: unknown[]) => {
      if (method === 'getBlockHeight' && height !== undefined) return height as T
      const result = await world.rpc.call<T>(method, params)
      if (method === 'simulateTransaction') change((result as { value: Value }).value)
      return result
    },
  }
}

/** Prepares with the real node and submits with a faulty one. */
async function submit(change: (value: Value) => void, heightOf?: (lastValid: number) => number) {
  const owner = Keypair.generate()
  const { body } = await world.register({ owner, inviteCode: code })
  const before = await world.balance()
  const node = faultyNode(change, heightOf?.(body.lastValidBlockHeight))
  const outcome = await world
    .sponsorReplica(node)
    .submitRegistration(
      {
        id: body.id,
        signedTx: signed(body, owner),
        signerPubkey: owner.publicKey.toBase58(),
        inviteCode: code,
      },
      newClient(),
    )
    .then(
      ({ status, error }) => error?.code ?? status,
      (error: unknown) => (error as { code: string }).code,
    )
  const sponsored = (await world.sponsorships(owner)).length
  return { outcome, sponsored, spent: before - (await world.balance()) }
}

const succeeded = (value: Value) => value.err === null
/** What the registration costs, in lamports: rent, two signatures and the priority fee. */
const costOf = (value: Value) => value.preBalances![0]! - value.accounts[0].lamports

test.each<[string, (value: Value) => void]>([
  ['a loss of one lamport more than the rent and the fee', (value) => (value.preBalances![0]! += 1)],
  [
    'a loss of more than any registration may cost',
    (value) => (value.preBalances![0]! += SPONSOR_POLICY.maxLamports),
  ],
  ['a fee payer that is gone', (value) => (value.accounts[0].lamports = 0)],
])('%s is not signed for', async (_, change) => {
  const result = await submit((value) => void (succeeded(value) && change(value)))
  expect(result).toEqual({ outcome: 'SPONSOR_COST_EXCEEDED', sponsored: 0, spent: 0 })
})

test.each<[string, (value: Value) => void]>([
  ['a fee payer that another program owns', (value) => (value.accounts[0].owner = programId)],
  ['a fee payer with data', (value) => (value.accounts[0].data = ['AA==', 'base64'])],
  ['no new agent', (value) => (value.accounts[1] = null)],
  ['an agent of another program', (value) => (value.accounts[1]!.owner = keyOf('program'))],
  ['an agent of another size', (value) => (value.accounts[1]!.data = ['AA==', 'base64'])],
])('a simulation that ends with %s is not signed for', async (_, change) => {
  const result = await submit((value) => void (succeeded(value) && change(value)))
  expect(result).toEqual({ outcome: 'TRANSACTION_MISMATCH', sponsored: 0, spent: 0 })
})

test.each([
  ['the last block has passed', 1, 'TRANSACTION_EXPIRED'],
  ['the node is at the last block', 0, 'LEDGER_UNAVAILABLE'],
])('if the node does not know the blockhash and %s, nothing is signed', async (_, blocks, outcome) => {
  const result = await submit(
    (value) => (value.err = 'BlockhashNotFound'),
    (lastValid) => lastValid + blocks,
  )
  expect(result).toEqual({ outcome, sponsored: 0, spent: 0 })
})

test('a failed simulation ends the transaction unsigned', async () => {
  const result = await submit((value) => (value.err = { InstructionError: [2, 'Custom'] }))
  expect(result).toEqual({ outcome: 'simulation_failed', sponsored: 0, spent: 0 })
})

test('a node that reports no balances before the simulation is asked for the balance', async () => {
  let cost = 0
  const { outcome, sponsored, spent } = await submit((value) => {
    cost = costOf(value)
    delete value.preBalances
  })
  expect({ outcome, sponsored, spent }).toEqual({ outcome: 'confirmed', sponsored: 1, spent: cost })
})
