import {
  ComputeBudgetProgram,
  type Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
} from '@solana/web3.js'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  parseTransaction,
  type Pubkey,
  TOKEN_PROGRAM,
} from '@agent-registry/solana'
import type { Bank } from './bank/bank.ts'
import type { GenesisOptions } from './options.ts'
import { invalidRequest, preflightFailure } from './rpc/rpc-error.ts'
const CREATE_IDEMPOTENT = 1
const MINT_TO = 7

/** Gives away SOL and USDC by ordinary transactions, so that they show in the history of the accounts. */
export class Faucet {
  readonly address: string
  readonly #bank: Bank
  readonly #genesis: GenesisOptions
  #sent = 0

  constructor(bank: Bank, genesis: GenesisOptions) {
    this.#bank = bank
    this.#genesis = genesis
    this.address = genesis.faucet.publicKey.toBase58()
  }

  /** @returns the signature */
  airdrop(to: Pubkey, lamports: bigint): string {
    const { faucet } = this.#genesis
    const transfer = SystemProgram.transfer({
      fromPubkey: faucet.publicKey,
      toPubkey: new PublicKey(to),
      lamports,
    })
    return this.#send([transfer], [faucet])
  }

  /**
   * Mints to the owner's associated token account, which is created where it is missing.
   * @param amount USDC base units (6 decimals)
   */
  mintUsdc(owner: Pubkey, amount: bigint): string {
    const { faucet, usdcMint, usdcMintAuthority } = this.#genesis
    if (usdcMint === undefined || usdcMintAuthority === undefined) {
      throw invalidRequest('this ledger has no USDC mint')
    }
    const [mint, wallet] = [usdcMint.publicKey, new PublicKey(owner)]
    const tokenProgram = new PublicKey(TOKEN_PROGRAM)
    const associated = new PublicKey(ASSOCIATED_TOKEN_PROGRAM)
    const seeds = [wallet.toBytes(), tokenProgram.toBytes(), mint.toBytes()]
    const [account] = PublicKey.findProgramAddressSync(seeds, associated)
    const create = new TransactionInstruction({
      programId: associated,
      keys: [
        { pubkey: faucet.publicKey, isSigner: true, isWritable: true },
        { pubkey: account, isSigner: false, isWritable: true },
        ...[wallet, mint, SystemProgram.programId, tokenProgram].map((pubkey) => ({
          pubkey,
          isSigner: false,
          isWritable: false,
        })),
      ],
      data: Buffer.from([CREATE_IDEMPOTENT]),
    })
    const data = Buffer.alloc(9)
    data.writeUInt8(MINT_TO)
    data.writeBigUInt64LE(amount, 1)
    const mintTo = new TransactionInstruction({
      programId: tokenProgram,
      keys: [
        { pubkey: mint, isSigner: false, isWritable: true },
        { pubkey: account, isSigner: false, isWritable: true },
        { pubkey: usdcMintAuthority.publicKey, isSigner: true, isWritable: false },
      ],
      data,
    })
    return this.#send([create, mintTo], [faucet, usdcMintAuthority])
  }

  #send(instructions: TransactionInstruction[], signers: Keypair[]): string {
    const transaction = new Transaction({
      feePayer: this.#genesis.faucet.publicKey,
      recentBlockhash: this.#bank.view('processed').tip.blockhash,
    })
    // A different limit each time: two gifts of one amount in one slot are two transactions.
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
