import type { TransactionInstruction } from '@solana/web3.js'
import { programDataAddress, type Pubkey } from '@agent-registry/solana'
import { registryAddresses } from './addresses.ts'
import { USDC_UNIT } from './codec.ts'
import { registryInstruction } from './instructions.ts'

const DAY_SECONDS = 86_400n

/** USDC base units from which a tier starts: observer, basic, standard, premium. */
export const DEFAULT_TIER_THRESHOLDS = [0n, 100n, 500n, 1_000n].map((usdc) => usdc * USDC_UNIT)
export const DEFAULT_COOLDOWN_SECONDS = 7n * DAY_SECONDS

export interface RegistrySettings {
  /** Four amounts in USDC base units, ascending from 0. */
  readonly tierThresholds: readonly bigint[]
  /** How long a withdrawal waits: 1 to 90 days. */
  readonly cooldownSeconds: bigint
}

/** The fields to change; the others stay. */
export interface ConfigChanges extends Partial<RegistrySettings> {
  readonly admin?: Pubkey
  readonly treasury?: Pubkey
  readonly paused?: boolean
}

/** Builds the instructions of the admin of a registry, who signs and pays for them. */
export function adminInstructions(programId: Pubkey, admin: Pubkey) {
  const build = (name: string, accounts: Record<string, Pubkey>, args: object): TransactionInstruction =>
    registryInstruction(programId, name, { admin, ...accounts }, { ...args })
  return {
    /** The admin must be the upgrade authority of the program. */
    initialize: (accounts: { usdcMint: Pubkey; treasury: Pubkey }, settings: RegistrySettings) =>
      build('initialize', { ...accounts, programData: programDataAddress(programId) }, settings),
    updateConfig: (changes: ConfigChanges) => build('update_config', {}, changes),
    /** `label`: 1 to 32 bytes. `weight`: 5 to 10. */
    registerReporter: (authority: Pubkey, reporter: { label: string; weight: number }) =>
      build('register_reporter', { authority }, reporter),
    setReporterActive: (authority: Pubkey, active: boolean) =>
      build(
        'set_reporter_active',
        { reporter: registryAddresses(programId).reporter(authority) },
        { active },
      ),
  }
}
