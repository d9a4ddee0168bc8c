import type { Kysely } from 'kysely'
import type { RegistryAddresses } from '@agent-registry/program'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import type { SponsorLimits } from '../domain/sponsorship.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import type { Clock } from '../platform/clock.ts'
import type { FeePayerSigner } from '../platform/keys/fee-payer-signer.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import type { RelayTiming } from '../relay/policy.ts'
import type { LedgerAmounts } from './costs.ts'
import type { Reservations } from './reservations.ts'

export interface SponsorshipOptions {
  readonly kysely: Kysely<Database>
  readonly rpc: LedgerCalls
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn'>
  readonly registryProgram: Pubkey
  /** Without it sponsorship is off. */
  readonly signer: FeePayerSigner | null
  readonly limits: SponsorLimits
  readonly timing?: RelayTiming
  readonly newId?: () => string
  readonly metrics?: Metrics
}

/** What the parts of sponsorship share while it is on. */
export interface SponsorContext extends Required<Omit<SponsorshipOptions, 'signer' | 'metrics'>> {
  readonly signer: FeePayerSigner
  readonly addresses: RegistryAddresses
  readonly amounts: LedgerAmounts
  readonly reservations: Reservations
}
