import { join } from 'node:path'
import type { Keypair } from '@solana/web3.js'
import { loadOrCreateKeypair } from './keypair-file.ts'

/** The keys of a localnet, Solana CLI JSON files in `DATA_DIR/keys`. */
export interface LocalnetKeys {
  feePayer: Keypair
  registryAdmin: Keypair
  reputationReporter: Keypair
  usdcMint: Keypair
  usdcMintAuthority: Keypair
  faucet: Keypair
  /** The wallet of sample agent `index`, from 0. */
  sampleAgent(index: number): Keypair
}

export function loadLocalnetKeys(dataDir: string): LocalnetKeys {
  const key = (name: string): Keypair => loadOrCreateKeypair(join(dataDir, 'keys', `${name}.json`))
  return {
    feePayer: key('fee-payer'),
    registryAdmin: key('registry-admin'),
    reputationReporter: key('reputation-reporter'),
    usdcMint: key('usdc-mint'),
    usdcMintAuthority: key('usdc-mint-authority'),
    faucet: key('faucet'),
    sampleAgent: (index) => key(join('agents', `agent-${String(index + 1).padStart(2, '0')}`)),
  }
}
