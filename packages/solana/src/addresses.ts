import { PublicKey } from '@solana/web3.js'
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM, UPGRADEABLE_LOADER } from './program-ids.ts'
import { type Pubkey, pubkey, pubkeyBytes } from './pubkey.ts'

/** Derives the address of a program (PDA) from these seeds, with the canonical bump. */
export function programAddress(programId: Pubkey, seeds: readonly Uint8Array[]): Pubkey {
  const [address] = PublicKey.findProgramAddressSync([...seeds], new PublicKey(programId))
  return pubkey(address.toBase58())
}

/** The address of a wallet's associated token account for an SPL Token mint. */
export function associatedTokenAccount(owner: Pubkey, mint: Pubkey): Pubkey {
  return programAddress(ASSOCIATED_TOKEN_PROGRAM, [owner, TOKEN_PROGRAM, mint].map(pubkeyBytes))
}

/** The account in which the upgradeable loader stores a program's code and upgrade authority. */
export function programDataAddress(programId: Pubkey): Pubkey {
  return programAddress(UPGRADEABLE_LOADER, [pubkeyBytes(programId)])
}
