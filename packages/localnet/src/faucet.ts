import {
  type AccountMeta,
  ComputeBudgetProgram,
  type Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
} from '@solana/web3.js'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAccount,
  parseTransaction,
  type Pubkey,
  pubkey,
  TOKEN_PROGRAM,
} from '@agent-registry/solana'
import type { Bank } from './bank/bank.ts'
import type { GenesisOptions } from './options.ts'
import { invalidRequest, preflightFailure } from './rpc/rpc-error.ts'

const CREATE_IDEMPOTENT = 1
const MINT_TO = 7

/**
 * Gives SOL and USDC to wallets. Its transactions are normal ones, so they are part of the history.
 */
export class Faucet {
  readonly #bank: Bank
  readonly #genesis: GenesisOptions
  #sent = 0

  constructor(bank: Bank, genesis: GenesisOptions) {
    this.#bank = bank
    this.#genesis = genesis
  }

  /** @returns the signature */
  airdrop(to: Pubkey, lamports: bigint): string {
    const { faucet } = this.#genesis
    const toPubkey = new PublicKey(to)
    return this.#send(
      [SystemProgram.transfer({ fromPubkey: faucet.publicKey, toPubkey, lamports })],
      [faucet],
    )
  }

  /**
   * Mints to the associated token account of the owner and creates the account if necessary.
   * @param amount USDC base units (6 decimals)
   * @returns the signature
   */
  mintUsdc(owner: Pubkey, amount: bigint): string {
    const { faucet, usdcMint, usdcMintAuthority } = this.#genesis
    if (usdcMint === undefined || usdcMintAuthority === undefined)
      throw invalidRequest('this ledger has no USDC mint')
    const mint = usdcMint.publicKey
    const account = new PublicKey(associatedTokenAccount(owner, pubkey(mint.toBase58())))
    const tokenProgram = new PublicKey(TOKEN_PROGRAM)
    const create = new TransactionInstruction({
      programId: new PublicKey(ASSOCIATED_TOKEN_PROGRAM),
      keys: [
        { pubkey: faucet.publicKey, isSigner: true, isWritable: true },
        writable(account),
        ...[new PublicKey(owner), mint, SystemProgram.programId, tokenProgram].map(readonly),
      ],
      data: Buffer.of(CREATE_IDEMPOTENT),
    })
    const data = Buffer.alloc(9)
    data.writeUInt8(MINT_TO)
    data.writeBigUInt64LE(amount, 1)
    const authority = { pubkey: usdcMintAuthority.publicKey, isSigner: true, isWritable: false }
    const mintTo = new TransactionInstruction({
      programId: tokenProgram,
      keys: [writable(mint), writable(account), authority],
      data,
    })
    return this.#send([create, mintTo], [faucet, usdcMintAuthority])
  }

  #send(instructions: TransactionInstruction[], signers: Keypair[]): string {
    const transaction = new Transaction({
      feePayer: this.#genesis.faucet.publicKey,
      recentBlockhash: this.#bank.view('processed').tip.blockhash,
    })
    // The limit changes, so that equal requests in one slot are different transactions.
    this.#sent = (this.#sent + 1) % 1_000_000
    transaction.add(
      ComputeBudgetProgram.setComputeUnitLimit({ units: 300_000 + this.#sent }),
      ...instructions,
    )
    transaction.sign(...signers)
    const parsed = parseTransaction(transaction.serialize())
    const submission = this.#bank.submit(parsed)
    const err = 'refused' in submission ? submission.refused : submission.record.meta.err
    if (err !== null) throw preflightFailure(err, null)
    return parsed.signature
  }
}

function readonly(key: PublicKey): AccountMeta {
  return { pubkey: key, isSigner: false, isWritable: false }
}

function writable(key: PublicKey): AccountMeta {
  return { pubkey: key, isSigner: false, isWritable: true }
}
