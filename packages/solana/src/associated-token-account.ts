import { PublicKey } from '@solana/web3.js'
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM } from './program-ids.ts'
import { type Pubkey, pubkey } from './pubkey.ts'

/** The address of a wallet's associated account for an SPL Token mint. */
export function associatedTokenAccount(owner: Pubkey, mint: Pubkey): Pubkey {
  const seeds = [owner, TOKEN_PROGRAM, mint].map((key) => new PublicKey(key).toBytes())
  return pubkey(
    PublicKey.findProgramAddressSync(seeds, new PublicKey(ASSOCIATED_TOKEN_PROGRAM))[0].toBase58(),
  )
}
