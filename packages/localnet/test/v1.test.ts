import { createSolanaRpc, type Signature } from '@solana/kit'
import { Keypair, SystemProgram } from '@solana/web3.js'
import * as fc from '../../../test/support/property.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { MAX_TRANSACTION_VERSION, parseTransaction, WireError } from '@agent-registry/solana'
import { openLedger } from '../src/ledger.ts'
import { silentLogger } from '../src/index.ts'
import { simulate } from '../src/rpc/simulation.ts'
import { useTestLedger } from './ledger.ts'
import { type V1Options, v1Transaction } from './v1-transaction.ts'

const ledger = useTestLedger()
let payer: Keypair
let signature: string
let bytes: Uint8Array
const other = Keypair.generate()

const transfer = (lamports: number) =>
  SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: other.publicKey, lamports })

async function build(config?: V1Options['config'], lamports = 2_000_000): Promise<Uint8Array> {
  const { blockhash } = await ledger.connection.getLatestBlockhash()
  return v1Transaction([transfer(lamports)], { blockhash, signers: [payer], config })
}

const send = (wire: Uint8Array, config = {}) =>
  ledger.rpc('sendTransaction', [Buffer.from(wire).toString('base64'), { encoding: 'base64', ...config }])

beforeAll(async () => {
  payer = await ledger.wallet()
  bytes = await build({ priorityFeeLamports: 777n, heapSize: 65_536 })
  signature = (await send(bytes, { preflightCommitment: 'confirmed' })).result as string
  ledger.net.stepSlot()
})

describe('a transaction of version 1', () => {
  it('is executed, and pays its priority fee in total lamports', async () => {
    expect(await ledger.connection.getBalance(other.publicKey)).toBe(2_000_000)
    expect(await ledger.connection.getBalance(payer.publicKey)).toBe(10e9 - 2_000_000 - 5_000 - 777)
    const message = Buffer.from(parseTransaction(bytes).messageBytes).toString('base64')
    const { result } = await ledger.rpc('getFeeForMessage', [message, { commitment: 'confirmed' }])
    expect(result).toMatchObject({ value: 5_777 })
  })

  it.each(['getTransaction', 'getBlock'])(
    'is an error of %s for clients of older versions',
    async (method) => {
      const { slot } = (await ledger.connection.getTransaction(signature, {
        maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
      }))!
      const of = method === 'getBlock' ? slot : signature
      const error = {
        code: -32015,
        message:
          'Transaction version (1) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": 1',
      }
      for (const config of [{}, { maxSupportedTransactionVersion: 0 }])
        for (const encoding of ['json', 'jsonParsed', 'base64'])
          expect(
            (await ledger.rpc(method, [of, { encoding, commitment: 'confirmed', ...config }])).error,
          ).toEqual(error)
      const config = { commitment: 'confirmed', maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION }
      expect((await ledger.rpc(method, [of, config])).error).toBeUndefined()
    },
  )

  it('does not hide the signatures of its block from clients of older versions', async () => {
    const slot = (await ledger.connection.getSignatureStatus(signature)).value?.slot
    const config = { commitment: 'confirmed', transactionDetails: 'signatures' }
    const { result } = await ledger.rpc('getBlock', [slot, config])
    expect(result).toMatchObject({ signatures: [signature] })
  })

  it('is read by web3.js, with its configuration and without lookup tables', async () => {
    const config = { maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION }
    const shown = await ledger.connection.getTransaction(signature, config)
    expect(shown?.version).toBe(1)
    expect(shown?.meta?.fee).toBe(5_777)
    expect(shown?.transaction.message).toMatchObject({
      version: 1,
      transactionConfig: {
        priorityFee: 777,
        computeUnitLimit: 200_000,
        loadedAccountsDataSizeLimit: 1_000_000,
        heapSize: 65_536,
      },
    })
    const { result } = await ledger.rpc('getTransaction', [signature, { ...config, commitment: 'confirmed' }])
    const { message } = (result as { transaction: { message: object } }).transaction
    expect(message).not.toHaveProperty('addressTableLookups')
    const parsed = await ledger.connection.getParsedTransaction(signature, config)
    expect(parsed?.transaction.message.instructions[0]).toMatchObject({ programId: SystemProgram.programId })
  })

  it('is returned to kit with the bytes that were sent', async () => {
    const found = await createSolanaRpc(ledger.net.rpcUrl)
      .getTransaction(signature as Signature, {
        encoding: 'base64',
        commitment: 'confirmed',
        maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
      })
      .send()
    expect(found?.version).toBe(1)
    expect(found?.transaction[0]).toBe(Buffer.from(bytes).toString('base64'))
  })

  it('has no compute units unless it sets them', async () => {
    const { error } = await send(await build({ computeUnitLimit: undefined }), {
      preflightCommitment: 'confirmed',
    })
    expect(error?.data).toMatchObject({ err: { InstructionError: [0, 'ComputationalBudgetExceeded'] } })
  })

  it('may have 4,096 bytes', async () => {
    const data = Buffer.alloc(4_000)
    const memo = { programId: SystemProgram.programId, keys: [], data }
    const { blockhash } = await ledger.connection.getLatestBlockhash()
    const large = await v1Transaction([memo], { blockhash, signers: [payer] })
    expect(large.length).toBeGreaterThan(4_096)
    expect((await send(large)).error?.message).toContain('too large')
  })
})

it('bytes that differ from a valid transaction are refused or run, and never abort the VM', () => {
  const own = openLedger({ dataDir: null, genesis: { faucet: Keypair.generate() }, logger: silentLogger })
  const change = fc.tuple(fc.nat(bytes.length - 1), fc.oneof(fc.nat(8), fc.nat(255)))
  const check = fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
    const changed = Uint8Array.from(bytes)
    for (const [at, value] of changes) changed[at] = value
    try {
      const transaction = parseTransaction(changed)
      simulate(own, own.bank.view('processed'), transaction, { sigVerify: false, checkAge: false })
    } catch (error) {
      if (!(error instanceof WireError)) throw error
    }
  })
  expect(fc.check(check, { numRuns: 3_000 }).counterexample).toBeNull()
  own.store.close()
})
