import type PQueue from 'p-queue'
import type { RegistryAddresses } from '@agent-registry/program'
import type { SponsorLimits } from '../domain/sponsorship.ts'
import type { FeePayerSigner } from '../platform/keys.ts'
import type { RelayOptions } from '../relay/context.ts'
import type { LedgerAmounts } from './costs.ts'

export interface SponsorshipOptions extends Omit<
  RelayOptions,
  'allowedPrograms' | 'submitWaitMs' | 'sponsor'
> {
  /** Null turns sponsorship off. */
  readonly signer: FeePayerSigner | null
  readonly limits: SponsorLimits
}

/** What the parts of sponsorship share while it is on. */
export interface SponsorContext extends Required<Omit<SponsorshipOptions, 'signer' | 'metrics'>> {
  readonly signer: FeePayerSigner
  readonly addresses: RegistryAddresses
  /**
   * One signature at a time, because all processes share one lock. Without it, those that wait for
   * the lock would hold all connections of the pool.
   */
  readonly signing: PQueue
  readonly amounts: LedgerAmounts
}
