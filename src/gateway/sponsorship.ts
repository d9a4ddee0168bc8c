import type { Keypair } from '@solana/web3.js'
import type { Config } from '../platform/config/config.ts'
import { createLocalSigner } from '../platform/keys/fee-payer-signer.ts'
import type { Logger } from '../platform/logger.ts'
import type { FeePayerStatus } from '../health/fee-payer-status.ts'
import type { SponsorshipOptions } from '../sponsorship/context.ts'
import { createSponsorship, type Sponsorship } from '../sponsorship/sponsorship.ts'

/** Sponsorship as the settings have it, with the key given or, on a localnet of this process, its own. */
export function startSponsorship(
  config: Config,
  keypair: Keypair | null,
  options: Omit<SponsorshipOptions, 'signer' | 'limits' | 'registryProgram'> & { logger: Logger },
): { sponsorship: Sponsorship; feePayer: FeePayerStatus | null } {
  const signer = keypair === null ? null : createLocalSigner(keypair)
  const { enabled } = config.sponsorship
  if (enabled && signer === null && config.roles.has('api')) {
    options.logger.warn(
      'sponsorship is off: set FEE_PAYER_KEYPAIR to a funded key; only a localnet of this process has one of its own',
    )
  }
  const sponsorship = createSponsorship({
    ...options,
    registryProgram: config.ledger.programId,
    signer: enabled ? signer : null,
    limits: config.sponsorship,
  })
  const feePayer = signer && { pubkey: signer.pubkey, enabled: () => sponsorship.enabled() }
  return { sponsorship, feePayer }
}
