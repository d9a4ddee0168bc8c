import { type Connection, type Keypair, PublicKey } from '@solana/web3.js'
import { programDataAddress, pubkey, type Pubkey } from '@agent-registry/solana'
import { registryAddresses, registryInstruction, USDC_UNIT } from '@agent-registry/program'
import type { LocalnetKeys } from '../platform/keys/localnet-keys.ts'
import type { TransactionSender } from './transaction-sender.ts'

const TIER_THRESHOLDS = [0n, 100n, 500n, 1_000n].map((usdc) => usdc * USDC_UNIT)
const SECONDS_PER_DAY = 86_400n
const REPORTER_WEIGHT = 10

export const keyOf = (keypair: Keypair): Pubkey => pubkey(keypair.publicKey.toBase58())

/** Initializes the registry and its reputation reporter, unless they exist. */
export async function setUpRegistry(options: {
  connection: Connection
  programId: Pubkey
  keys: LocalnetKeys
  sender: TransactionSender
}): Promise<void> {
  const { connection, programId, keys, sender } = options
  const addresses = registryAddresses(programId)
  const exists = async (address: Pubkey): Promise<boolean> =>
    (await connection.getAccountInfo(new PublicKey(address), 'processed')) !== null

  if (!(await exists(addresses.config()))) {
    const initialize = registryInstruction(
      programId,
      'initialize',
      {
        admin: keyOf(keys.registryAdmin),
        programData: programDataAddress(programId),
        usdcMint: keyOf(keys.usdcMint),
        treasury: keyOf(keys.registryAdmin),
      },
      { tierThresholds: TIER_THRESHOLDS, cooldownSeconds: 7n * SECONDS_PER_DAY },
    )
    await sender.send([{ instructions: [initialize], signers: [keys.registryAdmin] }])
  }
  if (!(await exists(addresses.reporter(keyOf(keys.reputationReporter))))) {
    const register = registryInstruction(
      programId,
      'register_reporter',
      { admin: keyOf(keys.registryAdmin), authority: keyOf(keys.reputationReporter) },
      { label: 'localnet', weight: REPORTER_WEIGHT },
    )
    await sender.send([{ instructions: [register], signers: [keys.registryAdmin] }])
  }
}
