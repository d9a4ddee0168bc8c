import {
  ComputeBudgetProgram,
  Keypair,
  sendAndConfirmTransaction,
  type SendTransactionError,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { describe, expect, it } from 'vitest'
import { MAX_TRANSACTION_VERSION } from '@agent-registry/solana'
import { failure, startTestLedger, transfer, useTestLedger } from './ledger.ts'

const ledger = useTestLedger()

const meta = async (signature: string) =>
  (
    await ledger.connection.getTransaction(signature, {
      maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
    })
  )?.meta

describe('sending', () => {
  it('confirms a transfer through the stock client, over HTTP and WebSocket', async () => {
    await using ticking = await startTestLedger({ slotMs: 25 })
    const from = Keypair.generate()
    const airdrop = await ticking.connection.requestAirdrop(from.publicKey, 2e9)
    await ticking.connection.confirmTransaction(airdrop)
    const to = Keypair.generate().publicKey
    const signature = await sendAndConfirmTransaction(ticking.connection, transfer(from.publicKey, to, 1e9), [
      from,
    ])
    expect(await ticking.connection.getBalance(to)).toBe(1e9)
    expect(await ticking.connection.getBalance(from.publicKey)).toBe(1e9 - 5000)
    const status = await ticking.connection.getSignatureStatus(signature)
    expect(status.value).toMatchObject({ err: null, confirmationStatus: 'confirmed' })
  })

  it('charges and reports the priority fee, and getFeeForMessage predicts it', async () => {
    const from = await ledger.wallet()
    const transaction = transfer(from.publicKey, Keypair.generate().publicKey, 1e9).add(
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 2_000_001 }),
      ComputeBudgetProgram.setComputeUnitLimit({ units: 1001 }),
    )
    transaction.feePayer = from.publicKey
    transaction.recentBlockhash = (await ledger.connection.getLatestBlockhash()).blockhash
    const predicted = await ledger.connection.getFeeForMessage(transaction.compileMessage())
    const signature = await ledger.land(transaction, [from])
    expect((await meta(signature))?.fee).toBe(5000 + 2003)
    expect(predicted.value).toBe(5000 + 2003)
    expect(await ledger.connection.getBalance(from.publicKey)).toBe(10e9 - 1e9 - 7003)
  })

  it.each([
    [
      'no budget instruction but a price',
      [ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 777_777 })],
    ],
    [
      'a limit over the maximum',
      [
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 10 }),
        ComputeBudgetProgram.setComputeUnitLimit({ units: 4_000_000 }),
      ],
    ],
  ])('predicts the fee that the VM charges: %s', async (_, extra) => {
    const from = await ledger.wallet()
    const transaction = transfer(from.publicKey, Keypair.generate().publicKey, 1e9).add(...extra)
    transaction.feePayer = from.publicKey
    transaction.recentBlockhash = (await ledger.connection.getLatestBlockhash()).blockhash
    const predicted = await ledger.connection.getFeeForMessage(transaction.compileMessage())
    const signature = await ledger.land(transaction, [from])
    expect((await meta(signature))?.fee).toBe(predicted.value)
  })

  it('stores a failed transaction with its error, logs and fee', async () => {
    const from = await ledger.wallet(1)
    const transaction = transfer(from.publicKey, Keypair.generate().publicKey, 5e9)
    const signature = await ledger.connection.sendTransaction(transaction, [from], { skipPreflight: true })
    ledger.net.stepSlot()
    const shown = await meta(signature)
    expect(shown?.err).toEqual({ InstructionError: [0, { Custom: 1 }] })
    expect(shown?.fee).toBe(5000)
    expect(shown?.logMessages?.join()).toContain('insufficient lamports')
    expect(await ledger.connection.getBalance(from.publicKey)).toBe(1e9 - 5000)
    const [info] = await ledger.connection.getSignaturesForAddress(from.publicKey)
    expect(info).toMatchObject({ signature, err: { InstructionError: [0, { Custom: 1 }] } })
    const { value } = await ledger.connection.getSignatureStatus(signature)
    expect(value?.err).toEqual({ InstructionError: [0, { Custom: 1 }] })
  })

  it('responds with -32002, logs and units if the preflight fails, and stores nothing', async () => {
    const from = await ledger.wallet(1)
    const transaction = transfer(from.publicKey, Keypair.generate().publicKey, 5e9)
    const error = (await failure(
      ledger.connection.sendTransaction(transaction, [from]),
    )) as SendTransactionError
    expect(error.message).toContain('custom program error: 0x1')
    expect(error.logs?.join()).toContain('insufficient lamports')
    const answer = await ledger.rpc('sendTransaction', [
      transaction.serialize().toString('base64'),
      { encoding: 'base64', preflightCommitment: 'confirmed' },
    ])
    expect(answer.error).toMatchObject({
      code: -32002,
      data: { err: { InstructionError: [0, { Custom: 1 }] }, unitsConsumed: 150, accounts: null },
    })
    expect(await ledger.connection.getBalance(from.publicKey)).toBe(1e9)
  })

  it('refuses the same transaction twice', async () => {
    const from = await ledger.wallet()
    const transaction = transfer(from.publicKey, Keypair.generate().publicKey, 1e9)
    await ledger.land(transaction, [from])
    const wire = transaction.serialize()
    const error = await failure(ledger.connection.sendRawTransaction(wire))
    expect(error.message).toContain('This transaction has already been processed')
    await ledger.connection.sendRawTransaction(wire, { skipPreflight: true })
    ledger.net.stepSlot()
    expect(await ledger.connection.getBalance(from.publicKey)).toBe(10e9 - 1e9 - 5000)
    expect(await ledger.connection.getSignaturesForAddress(from.publicKey)).toHaveLength(2)
  })

  it('accepts a blockhash for 150 blocks and no longer', async () => {
    // A new ledger, because web3.js reuses a blockhash for half a minute.
    await using own = await startTestLedger()
    const from = await own.wallet()
    const { blockhash, lastValidBlockHeight } = await own.connection.getLatestBlockhash()
    const signed = (lamports: number): Buffer => {
      const transaction = transfer(from.publicKey, Keypair.generate().publicKey, lamports)
      Object.assign(transaction, { recentBlockhash: blockhash, feePayer: from.publicKey })
      transaction.sign(from)
      return transaction.serialize()
    }
    const height = (): Promise<number> => own.connection.getBlockHeight('processed')
    expect(lastValidBlockHeight - (await own.connection.getBlockHeight('confirmed'))).toBe(150)
    own.net.stepSlot(lastValidBlockHeight - (await height()))
    expect(await height()).toBe(lastValidBlockHeight)
    await own.connection.sendRawTransaction(signed(1e9), { preflightCommitment: 'processed' })
    own.net.stepSlot()
    expect((await own.connection.isBlockhashValid(blockhash, { commitment: 'processed' })).value).toBe(false)
    const error = await failure(
      own.connection.sendRawTransaction(signed(2e9), { preflightCommitment: 'processed' }),
    )
    expect(error.message).toContain('Blockhash not found')
    const late = signed(3e9)
    await own.connection.sendRawTransaction(late, { skipPreflight: true })
    own.net.stepSlot()
    expect(await own.connection.getSignaturesForAddress(from.publicKey)).toHaveLength(2)
  })

  it('runs the preflight at the requested commitment', async () => {
    const from = await ledger.wallet()
    ledger.net.stepSlot(33)
    const transaction = transfer(from.publicKey, Keypair.generate().publicKey, 1e9)
    transaction.recentBlockhash = (await ledger.connection.getLatestBlockhash('confirmed')).blockhash
    transaction.feePayer = from.publicKey
    transaction.sign(from)
    const wire = transaction.serialize()
    const error = await failure(
      ledger.connection.sendRawTransaction(wire, { preflightCommitment: 'finalized' }),
    )
    expect(error.message).toContain('Blockhash not found')
    await ledger.connection.sendRawTransaction(wire, { preflightCommitment: 'confirmed' })
  })

  it('refuses a wrong signature with -32003 and a payer without funds with AccountNotFound', async () => {
    const from = await ledger.wallet()
    const transaction = transfer(from.publicKey, Keypair.generate().publicKey, 1e9)
    transaction.recentBlockhash = (await ledger.connection.getLatestBlockhash()).blockhash
    transaction.sign(from)
    const wire = transaction.serialize()
    wire[10] = (wire[10] ?? 0) ^ 1
    const options = { encoding: 'base64', preflightCommitment: 'confirmed' }
    const answer = await ledger.rpc('sendTransaction', [wire.toString('base64'), options])
    expect(answer.error).toMatchObject({
      code: -32003,
      message: 'Transaction signature verification failure',
    })

    const poor = Keypair.generate()
    const unpaid = transfer(poor.publicKey, from.publicKey, 1)
    const error = await failure(ledger.connection.sendTransaction(unpaid, [poor]))
    expect(error.message).toContain('Attempt to debit an account but found no record of a prior credit')
  })

  it('shows inner instructions, stack heights, token balances and compute units', async () => {
    const owner = await ledger.wallet()
    const answer = await ledger.rpc('localnet_mintUsdc', [owner.publicKey.toBase58(), '2500000'])
    ledger.net.stepSlot()
    const shown = await meta(String(answer.result))
    expect(shown?.err).toBeNull()
    expect(shown?.innerInstructions?.[0]).toMatchObject({
      index: 1,
      instructions: expect.any(Array) as unknown,
    })
    expect(shown?.innerInstructions?.[0]?.instructions[0]).toMatchObject({ stackHeight: 2 })
    expect(shown?.preTokenBalances).toEqual([])
    expect(shown?.postTokenBalances).toMatchObject([
      {
        mint: ledger.usdcMint.toBase58(),
        owner: owner.publicKey.toBase58(),
        uiTokenAmount: { amount: '2500000', decimals: 6, uiAmount: 2.5, uiAmountString: '2.5' },
      },
    ])
    expect(shown?.computeUnitsConsumed).toBeGreaterThan(1000)
  })
})

describe('simulateTransaction', () => {
  const build = async (lamports: number, blockhash?: string) => {
    const from = await ledger.wallet()
    const to = Keypair.generate().publicKey
    const message = new TransactionMessage({
      payerKey: from.publicKey,
      recentBlockhash: blockhash ?? (await ledger.connection.getLatestBlockhash()).blockhash,
      instructions: [SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports })],
    }).compileToV0Message()
    return { from, to, transaction: new VersionedTransaction(message) }
  }

  it('runs an unsigned transaction and returns accounts after it, changing nothing', async () => {
    const { from, to, transaction } = await build(1e9)
    const { value } = await ledger.connection.simulateTransaction(transaction, {
      sigVerify: false,
      accounts: { encoding: 'base64', addresses: [to.toBase58(), from.publicKey.toBase58()] },
      innerInstructions: true,
    })
    expect(value.err).toBeNull()
    expect(value.accounts?.map((each) => each?.lamports)).toEqual([1e9, 10e9 - 1e9 - 5000])
    expect(value.unitsConsumed).toBe(150)
    expect(value.innerInstructions).toEqual([])
    expect(await ledger.connection.getBalance(to)).toBe(0)
  })

  it('reports a failing program in value.err with its logs', async () => {
    const { transaction } = await build(100e9)
    const { value } = await ledger.connection.simulateTransaction(transaction)
    expect(value.err).toEqual({ InstructionError: [0, { Custom: 1 }] })
    expect(value.logs?.join()).toContain('insufficient lamports')
  })

  it('replaces an unknown blockhash only when asked to', async () => {
    const { transaction } = await build(1e9, Keypair.generate().publicKey.toBase58())
    const plain = await ledger.connection.simulateTransaction(transaction)
    expect(plain.value.err).toBe('BlockhashNotFound')
    const replaced = await ledger.connection.simulateTransaction(transaction, {
      replaceRecentBlockhash: true,
    })
    expect(replaced.value.err).toBeNull()
    const answer = await ledger.rpc('simulateTransaction', [
      Buffer.from(transaction.serialize()).toString('base64'),
      { encoding: 'base64', replaceRecentBlockhash: true, commitment: 'confirmed' },
    ])
    expect(answer.result).toMatchObject({
      value: {
        replacementBlockhash: { blockhash: (await ledger.connection.getLatestBlockhash()).blockhash },
      },
    })
  })

  it('verifies signatures with sigVerify, and refuses it together with replaceRecentBlockhash', async () => {
    const { from, transaction } = await build(1e9)
    const wire = (): string => Buffer.from(transaction.serialize()).toString('base64')
    const config = { encoding: 'base64', sigVerify: true, commitment: 'confirmed' }
    expect((await ledger.rpc('simulateTransaction', [wire(), config])).error?.code).toBe(-32003)
    transaction.sign([from])
    expect((await ledger.rpc('simulateTransaction', [wire(), config])).result).toMatchObject({
      value: { err: null },
    })
    const both = { ...config, replaceRecentBlockhash: true }
    expect((await ledger.rpc('simulateTransaction', [wire(), both])).error?.code).toBe(-32602)
  })

  it('reads the accounts at the requested commitment', async () => {
    const { from, transaction } = await build(1e9)
    const at = async (commitment: 'confirmed' | 'finalized') =>
      (await ledger.connection.simulateTransaction(transaction, { commitment, replaceRecentBlockhash: true }))
        .value.err
    expect(await at('confirmed')).toBeNull()
    expect(await at('finalized')).toBe('AccountNotFound')
    expect(await ledger.connection.getBalance(from.publicKey)).toBe(10e9)
  })
})

it('an empty transaction pays its fee and does nothing else, as on a cluster', async () => {
  const from = await ledger.wallet()
  const signature = await ledger.land(new Transaction({ feePayer: from.publicKey }), [from])
  expect((await meta(signature))?.fee).toBe(5000)
})
