import {
  ComputeBudgetProgram,
  Keypair,
  type PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { describe, expect, it } from 'vitest'
import { type JsonRpcAnswer, transfer, useTestLedger } from './ledger.ts'

const ledger = useTestLedger()

async function signed(transaction: Transaction, signer: Keypair): Promise<string> {
  transaction.feePayer = signer.publicKey
  transaction.recentBlockhash = (await ledger.connection.getLatestBlockhash('confirmed')).blockhash
  transaction.sign(signer)
  return transaction.serialize().toString('base64')
}

const send = (wire: string, config: object): Promise<JsonRpcAnswer> =>
  ledger.rpc('sendTransaction', [wire, { encoding: 'base64', ...config }])

const call = (programId: PublicKey): Transaction =>
  new Transaction().add(new TransactionInstruction({ programId, keys: [], data: Buffer.alloc(0) }))

describe('preflight', () => {
  it("accepts a transaction again until the preflight's commitment contains it", async () => {
    const from = await ledger.wallet()
    const wire = await signed(transfer(from.publicKey, from.publicKey, 1), from)
    const first = await send(wire, { preflightCommitment: 'confirmed' })
    expect(await send(wire, { preflightCommitment: 'confirmed' })).toEqual(first)
    expect((await send(wire, { preflightCommitment: 'processed' })).error?.data).toMatchObject({
      err: 'AlreadyProcessed',
    })
    ledger.net.stepSlot()
    expect((await send(wire, { preflightCommitment: 'confirmed' })).error?.data).toMatchObject({
      err: 'AlreadyProcessed',
    })
    expect(await ledger.connection.getSignaturesForAddress(from.publicKey, { limit: 1 })).toMatchObject([
      { signature: first.result },
    ])
  })

  it('verifies signatures before the blockhash', async () => {
    const from = await ledger.wallet()
    const transaction = transfer(from.publicKey, from.publicKey, 1)
    await signed(transaction, from)
    transaction.recentBlockhash = Keypair.generate().publicKey.toBase58()
    const wire = transaction.serialize({ verifySignatures: false }).toString('base64')
    expect((await send(wire, { preflightCommitment: 'confirmed' })).error?.code).toBe(-32003)
  })

  it('refuses a future minContextSlot also without a preflight', async () => {
    const from = await ledger.wallet()
    const wire = await signed(transfer(from.publicKey, from.publicKey, 1), from)
    const config = { skipPreflight: true, minContextSlot: ledger.net.slot + 1 }
    expect((await send(wire, config)).error?.code).toBe(-32016)
    expect((await send(wire, { ...config, minContextSlot: ledger.net.slot })).error).toBeUndefined()
  })

  it.each([true, false])(
    'refuses a lookup table that is not there as an invalid parameter, skipPreflight %s',
    async (skipPreflight) => {
      const from = await ledger.wallet()
      const { blockhash } = await ledger.connection.getLatestBlockhash()
      const message = new TransactionMessage({
        payerKey: from.publicKey,
        recentBlockhash: blockhash,
        instructions: [],
      }).compileToV0Message()
      message.addressTableLookups.push({
        accountKey: Keypair.generate().publicKey,
        writableIndexes: [0],
        readonlyIndexes: [],
      })
      const transaction = new VersionedTransaction(message)
      transaction.sign([from])
      const wire = Buffer.from(transaction.serialize()).toString('base64')
      const answers = [
        await send(wire, { preflightCommitment: 'confirmed', skipPreflight }),
        await ledger.rpc('simulateTransaction', [wire, { encoding: 'base64', commitment: 'confirmed' }]),
      ]
      for (const { error } of answers) {
        expect(error?.code).toBe(-32602)
        expect(error?.message).toBe(
          "invalid transaction: Transaction loads an address table account that doesn't exist",
        )
      }
    },
  )

  it.each([
    [
      'Transaction results in an account (1) with insufficient funds for rent',
      (from: PublicKey) => transfer(from, Keypair.generate().publicKey, 1),
    ],
    [
      'Transaction contains a duplicate instruction (1) that is not allowed',
      () =>
        new Transaction().add(
          ComputeBudgetProgram.setComputeUnitLimit({ units: 1 }),
          ComputeBudgetProgram.setComputeUnitLimit({ units: 1 }),
        ),
    ],
    ['Error processing Instruction 0: invalid instruction data', () => call(SystemProgram.programId)],
    ['Attempt to load a program that does not exist', () => call(Keypair.generate().publicKey)],
  ])('has the error text of a node: %s', async (text, make) => {
    const from = await ledger.wallet()
    const answer = await send(await signed(make(from.publicKey), from), { preflightCommitment: 'confirmed' })
    expect(answer.error?.message).toBe(`Transaction simulation failed: ${text}`)
  })
})

it.each([
  ['ProgramAccountNotFound', () => call(Keypair.generate().publicKey)],
  ['InvalidProgramForExecution', () => call(ledger.usdcMint)],
  [
    'MaxLoadedAccountsDataSizeExceeded',
    () =>
      new Transaction().add(
        new TransactionInstruction({
          programId: ComputeBudgetProgram.programId,
          keys: [],
          data: Buffer.from([4, 1, 0, 0, 0]),
        }),
      ),
  ],
])('charges the fee of a transaction that cannot be loaded, and stores it: %s', async (err, make) => {
  const from = await ledger.wallet(1)
  const { result } = await send(await signed(make(), from), { skipPreflight: true })
  ledger.net.stepSlot()
  expect(await ledger.connection.getBalance(from.publicKey)).toBe(1e9 - 5000)
  const shown = await ledger.connection.getTransaction(String(result))
  expect(shown?.meta).toMatchObject({ err, fee: 5000, preBalances: [1e9, expect.any(Number)] })
  ledger.net.fault.fork()
  expect(await ledger.connection.getBalance(from.publicKey, 'processed')).toBe(0)
})

it('drops a transaction that cannot be loaded when its payer cannot pay', async () => {
  const from = await ledger.wallet(0.000_892)
  const { result } = await send(await signed(call(Keypair.generate().publicKey), from), {
    skipPreflight: true,
  })
  expect((await ledger.connection.getSignatureStatus(String(result))).value).toBeNull()
  expect(await ledger.connection.getBalance(from.publicKey, 'processed')).toBe(892_000)
})
