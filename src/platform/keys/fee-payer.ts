import type { Keypair } from '@solana/web3.js'
import { parseKeypair, readKeypairFile } from './keypair-file.ts'

/** The key of FEE_PAYER_KEYPAIR: the path of a Solana CLI JSON file, or the JSON array itself. */
export function readFeePayer(setting: string): Keypair {
  return setting.startsWith('[') ? parseKeypair(setting, 'FEE_PAYER_KEYPAIR') : readKeypairFile(setting)
}
