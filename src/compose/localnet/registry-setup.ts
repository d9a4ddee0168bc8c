import { type Connection, type Keypair, PublicKey } from '@solana/web3.js'
import { pubkey, type Pubkey } from '@agent-registry/solana'
import {
  adminInstructions,
  DEFAULT_COOLDOWN_SECONDS,
  DEFAULT_TIER_THRESHOLDS,
  registryAddresses,
} from '@agent-registry/program'
import type { LocalnetKeys } from '../../platform/keys.ts'
import type { TransactionSender } from './transaction-sender.ts'

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

  const build = adminInstructions(programId, keyOf(keys.registryAdmin))
  const signers = [keys.registryAdmin]
  if (!(await exists(addresses.config()))) {
    const accounts = { usdcMint: keyOf(keys.usdcMint), treasury: keyOf(keys.registryAdmin) }
    const settings = { tierThresholds: DEFAULT_TIER_THRESHOLDS, cooldownSeconds: DEFAULT_COOLDOWN_SECONDS }
    await sender.send([{ instructions: [build.initialize(accounts, settings)], signers }])
  }
  const reporter = keyOf(keys.reputationReporter)
  if (!(await exists(addresses.reporter(reporter)))) {
    const register = build.registerReporter(reporter, { label: 'localnet', weight: REPORTER_WEIGHT })
    await sender.send([{ instructions: [register], signers }])
  }
}
