import { join } from 'node:path'
import type { Keypair } from '@solana/web3.js'
import { loadOrCreateKeypair } from './keypair-file.ts'

export type LocalnetKeys = ReturnType<typeof loadLocalnetKeys>

/** The keys of a localnet: Solana CLI JSON files in `DATA_DIR/keys`. Creates missing ones. */
export function loadLocalnetKeys(dataDir: string) {
  const load = (name: string): Keypair => loadOrCreateKeypair(join(dataDir, 'keys', `${name}.json`))
  return {
    feePayer: load('fee-payer'),
    registryAdmin: load('registry-admin'),
    reputationReporter: load('reputation-reporter'),
    usdcMint: load('usdc-mint'),
    usdcMintAuthority: load('usdc-mint-authority'),
    faucet: load('faucet'),
    /** Issues the credentials of sample agents. */
    sampleAuditor: load('sample-auditor'),
    /** The wallet of a sample agent. The index starts at 0. */
    sampleAgent: (index: number): Keypair =>
      load(join('agents', `agent-${String(index + 1).padStart(2, '0')}`)),
  }
}
