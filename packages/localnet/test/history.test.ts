import {
  AddressLookupTableProgram,
  Keypair,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  PublicKey,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { describe, expect, it } from 'vitest'
import { encodeBase58, MAX_TRANSACTION_VERSION } from '@agent-registry/solana'
import { failure, startTestLedger, transfer, useTestLedger } from './ledger.ts'

const ledger = useTestLedger({ finalizedDepth: 4 })

describe('getSignaturesForAddress', () => {
  it('lists newest first, by slot and then by position, and pages with before and until', async () => {
    const { connection, net } = ledger
    const from = await ledger.wallet()
    const to = Keypair.generate().publicKey
    const sent: string[] = []
    for (let index = 0; index < 9; index += 1) {
      sent.unshift(await connection.sendTransaction(transfer(from.publicKey, to, 1e9 / 2 + index), [from]))
      if (index % 3 === 2) net.stepSlot()
    }
    const all = await connection.getSignaturesForAddress(to)
    expect(all.map((each) => each.signature)).toEqual(sent)
    expect(new Set(all.map((each) => each.slot)).size).toBe(3)
    const page = async (options: object): Promise<string[]> =>
      (await connection.getSignaturesForAddress(to, options)).map((each) => each.signature)
    expect(await page({ limit: 2 })).toEqual(sent.slice(0, 2))
    expect(await page({ limit: 4, before: sent[1] ?? '' })).toEqual(sent.slice(2, 6))
    expect(await page({ until: sent[4] ?? '' })).toEqual(sent.slice(0, 4))
    expect(await page({ before: sent[1] ?? '', until: sent[4] ?? '' })).toEqual(sent.slice(2, 4))
  })

  it('responds by commitment, with status and memo', async () => {
    const { connection, net } = ledger
    const from = await ledger.wallet()
    const memo = new TransactionInstruction({
      programId: new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
      keys: [],
      data: Buffer.from('grüß'),
    })
    await connection.sendTransaction(new Transaction().add(memo), [from])
    const newest = async (commitment: 'confirmed' | 'finalized') =>
      (await connection.getSignaturesForAddress(from.publicKey, {}, commitment))[0]
    expect((await newest('confirmed'))?.memo).toBeNull()
    net.stepSlot()
    expect(await newest('confirmed')).toMatchObject({ memo: '[6] grüß', confirmationStatus: 'confirmed' })
    expect(await newest('finalized')).toBeUndefined()
    net.stepSlot(4)
    expect(await newest('finalized')).toMatchObject({ memo: '[6] grüß', confirmationStatus: 'finalized' })
  })

  it('refuses a limit over 1,000 and commitment processed', async () => {
    const address = Keypair.generate().publicKey.toBase58()
    const code = async (config: object) =>
      (await ledger.rpc('getSignaturesForAddress', [address, config])).error?.code
    expect(await code({ limit: 1001 })).toBe(-32602)
    expect(await code({ commitment: 'processed' })).toBe(-32602)
    expect(await code({ minContextSlot: ledger.net.slot + 1 })).toBe(-32016)
  })
})

describe('versions and lookup tables', () => {
  it('runs a v0 transaction with a lookup table, indexes the loaded accounts, and hides it from old clients', async () => {
    const { connection, net } = ledger
    const payer = await ledger.wallet()
    const target = Keypair.generate().publicKey
    const [create, address] = AddressLookupTableProgram.createLookupTable({
      authority: payer.publicKey,
      payer: payer.publicKey,
      recentSlot: await connection.getSlot('confirmed'),
    })
    const extend = AddressLookupTableProgram.extendLookupTable({
      payer: payer.publicKey,
      authority: payer.publicKey,
      lookupTable: address,
      addresses: [target, SystemProgram.programId],
    })
    await connection.sendTransaction(new Transaction().add(create, extend), [payer])
    const fromPubkey = payer.publicKey
    const instruction = SystemProgram.transfer({ fromPubkey, toPubkey: target, lamports: 1e9 })
    const useTable = async (): Promise<VersionedTransaction> => {
      const { value } = await connection.getAddressLookupTable(address, { commitment: 'processed' })
      if (value === null) throw new Error('no table')
      const message = new TransactionMessage({
        payerKey: payer.publicKey,
        recentBlockhash: (await connection.getLatestBlockhash()).blockhash,
        instructions: [instruction],
      }).compileToV0Message([value])
      expect(message.addressTableLookups).toHaveLength(1)
      const transaction = new VersionedTransaction(message)
      transaction.sign([payer])
      return transaction
    }
    const early = await failure(
      connection.sendTransaction(await useTable(), { preflightCommitment: 'processed' }),
    )
    expect(early.message).toContain('invalid index')
    net.stepSlot()
    const signature = await connection.sendTransaction(await useTable())
    net.stepSlot()

    const [info] = await connection.getSignaturesForAddress(target)
    expect(info?.signature).toBe(signature)
    const shown = await connection.getTransaction(signature, {
      maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
    })
    expect(shown?.version).toBe(0)
    expect(shown?.meta?.loadedAddresses?.writable.map(String)).toEqual([target.toBase58()])
    expect(shown?.transaction.message.addressTableLookups[0]?.accountKey.toBase58()).toBe(address.toBase58())
    const parsed = await connection.getParsedTransaction(signature, {
      maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
    })
    expect(
      parsed?.transaction.message.accountKeys.map(({ pubkey, source, writable }) => [
        pubkey.toBase58(),
        source,
        writable,
      ]),
    ).toEqual([
      [payer.publicKey.toBase58(), 'transaction', true],
      [SystemProgram.programId.toBase58(), 'transaction', false],
      [target.toBase58(), 'lookupTable', true],
    ])
    expect(parsed?.transaction.message.instructions).toMatchObject([
      {
        programId: SystemProgram.programId,
        accounts: [payer.publicKey, target],
        data: encodeBase58(instruction.data),
      },
    ])
    expect(parsed?.transaction.message.addressTableLookups).toHaveLength(1)
    const old = await ledger.rpc('getTransaction', [signature, { commitment: 'confirmed' }])
    expect(old.error).toMatchObject({ code: -32015 })
    const block = await ledger.rpc('getBlock', [shown?.slot, { commitment: 'confirmed' }])
    expect(block.error).toMatchObject({ code: -32015 })
  })
})

describe('getTransaction', () => {
  it('returns the wire bytes in base64, the position and the time', async () => {
    const from = await ledger.wallet()
    const transaction = transfer(from.publicKey, Keypair.generate().publicKey, 1e9)
    const signature = await ledger.land(transaction, [from])
    const ask = (encoding: string) =>
      ledger.rpc('getTransaction', [signature, { encoding, commitment: 'confirmed' }])
    expect((await ask('base64')).result).toMatchObject({
      slot: ledger.net.slot - 1,
      transactionIndex: 0,
      transaction: [transaction.serialize().toString('base64'), 'base64'],
    })
    expect((await ledger.rpc('getTransaction', [signature, 'json'])).result).toBeNull()
  })

  it('returns a transaction only when it is confirmed; getSignatureStatuses returns it at once', async () => {
    const { connection, net } = ledger
    const from = await ledger.wallet()
    const signature = await connection.sendTransaction(transfer(from.publicKey, from.publicKey, 1), [from])
    const status = async () => (await connection.getSignatureStatus(signature)).value
    expect(await connection.getTransaction(signature)).toBeNull()
    expect(await status()).toMatchObject({ confirmationStatus: 'processed', confirmations: 0 })
    net.stepSlot()
    expect(await connection.getTransaction(signature)).not.toBeNull()
    expect(await status()).toMatchObject({ confirmationStatus: 'confirmed', confirmations: 1 })
    net.stepSlot(4)
    expect(await status()).toMatchObject({ confirmationStatus: 'finalized', confirmations: null })
  })

  it('finds old statuses only with searchTransactionHistory', async () => {
    await using own = await startTestLedger()
    const from = await own.wallet()
    const signature = await own.land(transfer(from.publicKey, from.publicKey, 1), [from])
    own.net.stepSlot(301)
    const status = async (searchTransactionHistory: boolean) =>
      (await own.connection.getSignatureStatus(signature, { searchTransactionHistory })).value
    expect(await status(false)).toBeNull()
    expect(await status(true)).toMatchObject({ confirmationStatus: 'finalized', err: null })
  })
})

describe('blocks', () => {
  it('links blocks by parent and hash, and returns them at each level of detail', async () => {
    const { connection } = ledger
    const from = await ledger.wallet()
    const signature = await ledger.land(transfer(from.publicKey, from.publicKey, 1), [from])
    const slot = ledger.net.slot - 1
    const full = await connection.getBlock(slot, {
      maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
      rewards: false,
    })
    expect(full?.transactions.map((each) => each.transaction.signatures[0])).toEqual([signature])
    const list = await connection.getBlockSignatures(slot)
    expect(list.signatures).toEqual([signature])
    const parent = await connection.getBlock(slot - 1, { transactionDetails: 'none' })
    expect(full).toMatchObject({ parentSlot: slot - 1, previousBlockhash: parent?.blockhash })
    expect(await connection.getBlockTime(slot)).toBe(full?.blockTime)
    expect(await connection.getBlocks(slot - 2, slot)).toEqual([slot - 2, slot - 1, slot])
    const config = { transactionDetails: 'accounts', commitment: 'confirmed' }
    const { transactions } = (await ledger.rpc('getBlock', [slot, config])).result as {
      transactions: { transaction: { accountKeys: unknown[] } }[]
    }
    expect(transactions[0]?.transaction.accountKeys[0]).toEqual({
      pubkey: from.publicKey.toBase58(),
      signer: true,
      writable: true,
      source: 'transaction',
    })
  })

  it('has error codes for a future slot and for a skipped slot', async () => {
    await using own = await startTestLedger()
    await own.wallet()
    const { slot } = own.net
    const code = async (method: string, at: number) =>
      (await own.rpc(method, method === 'getBlock' ? [at, { commitment: 'confirmed' }] : [at])).error?.code
    expect(await code('getBlock', slot + 1)).toBe(-32004)
    expect(await code('getBlockTime', slot + 1)).toBe(-32004)
    own.net.fault.fork()
    own.net.stepSlot(2)
    expect(await code('getBlock', slot - 1)).toBe(-32007)
    expect(await code('getBlockTime', slot - 1)).toBe(-32009)
    expect(await own.connection.getBlocks(0, own.net.slot)).not.toContain(slot - 1)
  })
})

it('reports the lowest price that landed in each slot for the requested accounts', async () => {
  const { connection } = ledger
  const from = await ledger.wallet()
  const price = (microLamports: number) =>
    ledger
      .rpc('getRecentPrioritizationFees', [[from.publicKey.toBase58()]])
      .then(({ result }) =>
        (result as { prioritizationFee: number }[]).filter(
          (each) => each.prioritizationFee === microLamports,
        ),
      )
  const { ComputeBudgetProgram } = await import('@solana/web3.js')
  const transaction = transfer(from.publicKey, from.publicKey, 1)
  await ledger.land(transaction.add(ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 4321 })), [
    from,
  ])
  expect(await price(4321)).toEqual([{ slot: ledger.net.slot - 1, prioritizationFee: 4321 }])
  const other = await connection.getRecentPrioritizationFees({
    lockedWritableAccounts: [Keypair.generate().publicKey],
  })
  expect(other.at(-1)?.prioritizationFee).toBe(0)
})

it('returns a block with an empty list of rewards, unless the request excludes them', async () => {
  const slot = await ledger.connection.getSlot('confirmed')
  const block = async (config: object): Promise<unknown> =>
    (await ledger.rpc('getBlock', [slot, { commitment: 'confirmed', transactionDetails: 'none', ...config }]))
      .result
  expect(await block({})).toMatchObject({ rewards: [] })
  expect(await block({ rewards: false })).not.toHaveProperty('rewards')
})

it('returns heights, hashes and epochs in the form that web3.js reads', async () => {
  const { connection, net } = ledger
  const info = await connection.getEpochInfo('processed')
  expect(info).toMatchObject({ absoluteSlot: net.slot, epoch: 0, slotIndex: net.slot })
  expect(await connection.getGenesisHash()).toBe(net.genesisHash)
  expect((await connection.getVersion())['solana-core']).toMatch(/^\d+\.\d+\.\d+$/)
  expect(await connection.getMinimumBalanceForRentExemption(165)).toBeGreaterThan(1e6)
  const [processed, finalized] = [
    await connection.getSlot('processed'),
    await connection.getSlot('finalized'),
  ]
  expect(processed - finalized).toBe(4)
})
