import { PublicKey } from '@solana/web3.js'
import { type Pubkey, pubkey } from '../domain/pubkey.ts'

const TOKEN_PROGRAM = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const ASSOCIATED_TOKEN_PROGRAM = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')

/** The address of a wallet's associated account for an SPL Token mint. */
export function associatedTokenAccount(owner: Pubkey, mint: Pubkey): Pubkey {
  const seeds = [new PublicKey(owner).toBytes(), TOKEN_PROGRAM.toBytes(), new PublicKey(mint).toBytes()]
  return pubkey(PublicKey.findProgramAddressSync(seeds, ASSOCIATED_TOKEN_PROGRAM)[0].toBase58())
}
