import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Keypair, NonceAccount, SystemProgram, Transaction } from '@solana/web3.js'
import { describe, expect, it } from 'vitest'
import { failure, startTestLedger, type TestLedger } from './ledger.ts'

async function withNonce(ledger: TestLedger) {
  const { connection } = ledger
  const payer = await ledger.wallet()
  const account = Keypair.generate()
  const noncePubkey = account.publicKey
  const create = SystemProgram.createNonceAccount({
    fromPubkey: payer.publicKey,
    noncePubkey,
    authorizedPubkey: payer.publicKey,
    lamports: await connection.getMinimumBalanceForRentExemption(80),
  })
  await ledger.land(create, [payer, account])
  const created = create.recentBlockhash ?? ''
  const stored = async (commitment: 'processed' | 'confirmed' = 'confirmed'): Promise<string> => {
    const info = await connection.getAccountInfo(noncePubkey, commitment)
    return NonceAccount.fromAccountData(info?.data ?? Buffer.alloc(0)).nonce
  }
  /** A signed transaction that pays `lamports` to a new address, valid until the nonce advances. */
  const payment = async (lamports: number, signer = payer) => {
    const to = Keypair.generate().publicKey
    const transaction = new Transaction({
      feePayer: payer.publicKey,
      nonceInfo: {
        nonce: await stored('processed'),
        nonceInstruction: SystemProgram.nonceAdvance({ noncePubkey, authorizedPubkey: signer.publicKey }),
      },
    }).add(SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports }))
    transaction.sign(...new Set([payer, signer]))
    return { to, wire: transaction.serialize(), transaction }
  }
  const send = (wire: Buffer, skipPreflight = false): Promise<string> =>
    connection.sendRawTransaction(wire, { skipPreflight, preflightCommitment: 'processed' })
  return { payer, noncePubkey, created, stored, payment, send }
}

describe('durable nonces', () => {
  it('a transaction lands long after its blockhash would have expired, once', async () => {
    await using ledger = await startTestLedger()
    const { stored, payment, send } = await withNonce(ledger)
    const before = await stored()
    const { to, wire, transaction } = await payment(1e9)
    ledger.net.stepSlot(400)
    const fee = await ledger.connection.getFeeForMessage(transaction.compileMessage(), 'processed')
    expect(fee.value).toBe(5000)
    const signature = await send(wire)
    ledger.net.stepSlot()
    expect(await ledger.connection.getBalance(to)).toBe(1e9)
    expect((await ledger.connection.getSignatureStatus(signature)).value).toMatchObject({ err: null })
    expect(await stored()).not.toBe(before)
    ledger.net.stepSlot(3)
    expect((await failure(send(wire))).message).toContain('Blockhash not found')
    expect(await send(wire, true)).toBe(signature)
    ledger.net.stepSlot()
    expect(await ledger.connection.getBalance(to)).toBe(1e9)
  })

  it('a failing transaction pays its fee and advances the nonce', async () => {
    await using ledger = await startTestLedger()
    const { payer, stored, payment, send } = await withNonce(ledger)
    const before = await stored()
    const balance = await ledger.connection.getBalance(payer.publicKey)
    const { wire } = await payment(100e9)
    ledger.net.stepSlot(200)
    const signature = await send(wire, true)
    ledger.net.stepSlot()
    const status = (await ledger.connection.getSignatureStatus(signature)).value
    expect(status?.err).toEqual({ InstructionError: [1, { Custom: 1 }] })
    expect(await ledger.connection.getBalance(payer.publicKey)).toBe(balance - 5000)
    expect(await stored()).not.toBe(before)
  })

  it('a nonce is valid once per block, and only with the signature of its authority', async () => {
    await using ledger = await startTestLedger()
    const { payer, noncePubkey, payment, send, stored } = await withNonce(ledger)
    const stranger = await ledger.wallet()
    const foreign = await payment(1e9, stranger)
    expect((await failure(send(foreign.wire))).message).toContain('Blockhash not found')
    const first = await payment(1e9)
    const balance = await ledger.connection.getBalance(payer.publicKey)
    const config = { encoding: 'base64', commitment: 'processed' }
    const accounts = { encoding: 'base64', addresses: [noncePubkey.toBase58()] }
    const simulated = await ledger.rpc('simulateTransaction', [
      first.wire.toString('base64'),
      { ...config, accounts },
    ])
    await send(first.wire)
    const info = await ledger.rpc('getAccountInfo', [noncePubkey.toBase58(), config])
    const { value } = info.result as { value: unknown }
    expect(simulated.result).toMatchObject({ value: { err: null, accounts: [value] } })
    expect(await stored('processed')).not.toBe(first.transaction.recentBlockhash)
    const second = await payment(1e9)
    expect((await failure(send(second.wire))).message).toContain('Blockhash not found')
    ledger.net.stepSlot()
    expect(await ledger.connection.getBalance(payer.publicKey)).toBe(balance - 1e9 - 5000)
    expect(await send(second.wire)).toBeTruthy()
  })

  it('an advance compares the nonce with the last block, whatever blockhash the transaction has', async () => {
    await using ledger = await startTestLedger()
    const { payer, noncePubkey, stored, created } = await withNonce(ledger)
    const advance = (blockhash: string) => {
      const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash })
      transaction.add(SystemProgram.nonceAdvance({ noncePubkey, authorizedPubkey: payer.publicKey }))
      transaction.sign(payer)
      const config = { preflightCommitment: 'processed' } as const
      return ledger.connection.sendRawTransaction(transaction.serialize(), config)
    }
    const first = await stored()
    ledger.net.stepSlot()
    const { blockhash: old } = await ledger.connection.getLatestBlockhash('confirmed')
    ledger.net.stepSlot(2)
    await advance(created)
    const second = await stored('processed')
    expect(second).not.toBe(first)
    const { blockhash } = await ledger.connection.getLatestBlockhash('confirmed')
    expect((await failure(advance(blockhash))).message).toContain('custom program error: 0x7')
    expect((await failure(advance(old))).message).toContain('custom program error: 0x7')
    expect(await stored('processed')).toBe(second)
    ledger.net.stepSlot()
    await advance(old)
    expect(await stored('processed')).not.toBe(second)
  })

  it('nonces survive a restart, and a fork takes an advance back', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'localnet-'))
    const genesis = { faucet: Keypair.generate() }
    try {
      const first = await startTestLedger({ dataDir, genesis })
      const { stored, payment, send, noncePubkey } = await withNonce(first)
      const nonce = await stored()
      const { wire, to } = await payment(1e9)
      first.net.stepSlot(40)
      await send(wire)
      first.net.stepSlot()
      expect(await stored()).not.toBe(nonce)
      first.net.fault.fork({ slots: 2 })
      first.net.stepSlot(40)
      expect(await stored()).toBe(nonce)
      await first.net.close()
      await using second = await startTestLedger({ dataDir, genesis })
      const info = await second.connection.getAccountInfo(noncePubkey)
      expect(NonceAccount.fromAccountData(info?.data ?? Buffer.alloc(0)).nonce).toBe(nonce)
      await second.connection.sendRawTransaction(wire)
      second.net.stepSlot()
      expect(await second.connection.getBalance(to)).toBe(1e9)
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
