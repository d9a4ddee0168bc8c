import {
  ComputeBudgetProgram,
  Keypair,
  NONCE_ACCOUNT_LENGTH,
  type ParsedAccountData,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { describe, expect, it } from 'vitest'
import {
  MAX_TRANSACTION_VERSION,
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAccount,
  pubkey,
  TOKEN_PROGRAM,
} from '@agent-registry/solana'
import { useTestLedger } from './ledger.ts'

const ledger = useTestLedger()

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
const TOKEN = new PublicKey(TOKEN_PROGRAM)

function memo(data: Buffer): TransactionInstruction {
  return new TransactionInstruction({ programId: MEMO, keys: [], data })
}

/**
 * Creates the associated token account of the owner. Its inner instructions are of two programs.
 */
function createTokenAccount(owner: PublicKey): { account: string; instruction: TransactionInstruction } {
  const mint = pubkey(ledger.usdcMint.toBase58())
  const account = associatedTokenAccount(pubkey(owner.toBase58()), mint)
  const readonly = [owner, ledger.usdcMint, SystemProgram.programId, TOKEN]
  const instruction = new TransactionInstruction({
    programId: new PublicKey(ASSOCIATED_TOKEN_PROGRAM),
    keys: [
      { pubkey: owner, isSigner: true, isWritable: true },
      { pubkey: new PublicKey(account), isSigner: false, isWritable: true },
      ...readonly.map((key) => ({ pubkey: key, isSigner: false, isWritable: false })),
    ],
    data: Buffer.alloc(0),
  })
  return { account, instruction }
}

/** Of the creation: of the token program, of the System program, and two of the token program. */
const innerOf = (account: string, owner: string) => {
  const mint = ledger.usdcMint.toBase58()
  return [
    { programId: TOKEN_PROGRAM, accounts: [mint] },
    { programId: SystemProgram.programId.toBase58(), accounts: [owner, account] },
    { programId: TOKEN_PROGRAM, accounts: [account] },
    { programId: TOKEN_PROGRAM, accounts: [account, mint] },
  ].map(({ programId, accounts }) => ({
    programId,
    accounts,
    data: expect.any(String) as string,
    stackHeight: 2,
  }))
}

async function signed(payer: Keypair, instructions: TransactionInstruction[]): Promise<VersionedTransaction> {
  const { blockhash: recentBlockhash } = await ledger.connection.getLatestBlockhash()
  const message = new TransactionMessage({ payerKey: payer.publicKey, recentBlockhash, instructions })
  const transaction = new VersionedTransaction(message.compileToV0Message())
  transaction.sign([payer])
  return transaction
}

describe('simulateTransaction', () => {
  it('returns inner instructions with keys, which the stock client accepts', async () => {
    const owner = await ledger.wallet()
    const { account, instruction } = createTokenAccount(owner.publicKey)
    const transaction = await signed(owner, [memo(Buffer.from('hello')), instruction])
    const { value } = await ledger.connection.simulateTransaction(transaction, { innerInstructions: true })
    expect(value.err).toBeNull()
    const wire = Buffer.from(transaction.serialize()).toString('base64')
    const { result } = await ledger.rpc('simulateTransaction', [
      wire,
      { encoding: 'base64', innerInstructions: true, commitment: 'processed' },
    ])
    expect((result as { value: { innerInstructions: unknown } }).value.innerInstructions).toEqual([
      { index: 1, instructions: innerOf(account, owner.publicKey.toBase58()) },
    ])
  })

  it('returns the fee and the balances before and after the transaction', async () => {
    const owner = await ledger.wallet()
    const { account, instruction } = createTokenAccount(owner.publicKey)
    const wire = Buffer.from((await signed(owner, [instruction])).serialize()).toString('base64')
    const config = { encoding: 'base64', commitment: 'processed' }
    const { result } = await ledger.rpc('simulateTransaction', [wire, config])
    expect(result).toMatchObject({
      value: {
        fee: 5000,
        loadedAddresses: { writable: [], readonly: [] },
        preTokenBalances: [],
        postTokenBalances: [
          { accountIndex: 1, mint: ledger.usdcMint.toBase58(), owner: owner.publicKey.toBase58() },
        ],
      },
    })
    expect((result as { value: { postBalances: number[] } }).value.postBalances[0]).toBe(
      10e9 - 5000 - 2039280,
    )
    expect(await ledger.connection.getAccountInfo(new PublicKey(account))).toBeNull()
  })
})

describe('jsonParsed transactions', () => {
  it('getParsedTransaction of the stock client shows each instruction with the keys of its program and accounts', async () => {
    const owner = await ledger.wallet()
    const { account, instruction } = createTokenAccount(owner.publicKey)
    const wallet = owner.publicKey.toBase58()
    const transaction = new Transaction().add(
      ComputeBudgetProgram.setComputeUnitLimit({ units: 200_000 }),
      memo(Buffer.from('grüß')),
      instruction,
      SystemProgram.transfer({ fromPubkey: owner.publicKey, toPubkey: owner.publicKey, lamports: 7 }),
    )
    const signature = await ledger.land(transaction, [owner])
    const shown = await ledger.connection.getParsedTransaction(signature, {
      maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
    })
    expect(shown?.meta?.err).toBeNull()
    expect(shown?.transaction.message.accountKeys[0]).toMatchObject({ signer: true, writable: true })
    const raw = await ledger.rpc('getTransaction', [
      signature,
      {
        encoding: 'jsonParsed',
        commitment: 'confirmed',
        maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
      },
    ])
    expect(raw.result).toMatchObject({
      version: 'legacy',
      meta: { innerInstructions: [{ index: 2, instructions: innerOf(account, wallet) }] },
      transaction: {
        signatures: [signature],
        message: {
          instructions: [
            {
              programId: ComputeBudgetProgram.programId.toBase58(),
              accounts: [],
              data: expect.any(String) as string,
              stackHeight: 1,
            },
            { programId: MEMO.toBase58(), accounts: [], stackHeight: 1 },
            {
              programId: ASSOCIATED_TOKEN_PROGRAM,
              accounts: [
                wallet,
                account,
                wallet,
                ledger.usdcMint.toBase58(),
                SystemProgram.programId.toBase58(),
                TOKEN_PROGRAM,
              ],
            },
            { programId: SystemProgram.programId.toBase58(), accounts: [wallet, wallet] },
          ],
        },
      },
    })
    expect(raw.result).not.toHaveProperty('meta.loadedAddresses')
    expect(raw.result).not.toHaveProperty('transaction.message.addressTableLookups')
    const block = await ledger.connection.getParsedBlock(shown?.slot ?? 0)
    expect(block.transactions[0]).toHaveProperty('transaction.message.instructions.length', 4)
  })
})

describe('jsonParsed accounts', () => {
  const parsed = async (key: PublicKey): Promise<ParsedAccountData> => {
    const { value } = await ledger.connection.getParsedAccountInfo(key)
    expect(value?.data).toHaveProperty('parsed')
    return value?.data as ParsedAccountData
  }

  it('shows nonce accounts, mints and token accounts', async () => {
    const owner = await ledger.wallet()
    const nonce = Keypair.generate()
    const createNonce = SystemProgram.createNonceAccount({
      fromPubkey: owner.publicKey,
      noncePubkey: nonce.publicKey,
      authorizedPubkey: owner.publicKey,
      lamports: 2_000_000,
    })
    const { account, instruction } = createTokenAccount(owner.publicKey)
    const transaction = new Transaction().add(createNonce, instruction)
    await ledger.land(transaction, [owner, nonce])
    const wallet = owner.publicKey.toBase58()

    expect(await parsed(nonce.publicKey)).toMatchObject({
      program: 'nonce',
      parsed: {
        type: 'initialized',
        info: { authority: wallet, feeCalculator: { lamportsPerSignature: '5000' } },
      },
      space: NONCE_ACCOUNT_LENGTH,
    })
    expect(await parsed(ledger.usdcMint)).toMatchObject({ program: 'spl-token', parsed: { type: 'mint' } })
    expect(await parsed(new PublicKey(account))).toMatchObject({
      parsed: { type: 'account', info: { owner: wallet, isNative: false, state: 'initialized' } },
    })
  })

  it('shows an account that no parser knows in base64', async () => {
    const owner = await ledger.wallet()
    const { result } = await ledger.rpc('getAccountInfo', [
      owner.publicKey.toBase58(),
      { encoding: 'jsonParsed', commitment: 'confirmed' },
    ])
    expect(result).toMatchObject({ value: { data: ['', 'base64'] } })
  })
})
