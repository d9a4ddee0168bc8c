import type { Kysely } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { RegistryAddresses } from '@agent-registry/program'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../db/database.ts'
import { DomainError } from '../domain/errors.ts'
import type { FeePayerSigner } from '../platform/keys/fee-payer-signer.ts'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'
import type { Logger } from '../platform/logger.ts'
import type { RelayTiming } from '../relay/timing.ts'
import type { Costs } from './costs.ts'
import type { Reservations } from './reservations.ts'
import type { SponsorLimits } from '../domain/sponsorship.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'

/** What the parts of sponsorship share; there is none where sponsorship is off. */
export interface SponsorContext {
  readonly kysely: Kysely<Database>
  readonly rpc: LedgerCalls
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn'>
  readonly timing: RelayTiming
  readonly signer: FeePayerSigner
  readonly registryProgram: Pubkey
  readonly addresses: RegistryAddresses
  readonly limits: SponsorLimits
  readonly costs: Costs
  readonly reservations: Reservations
  readonly newId: () => string
}

/** LEDGER_UNAVAILABLE for a node that does not answer: without it nothing is sponsored. */
export async function fromLedger<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof LedgerRpcError) throw new DomainError('LEDGER_UNAVAILABLE', {}, { cause: error })
    throw error
  }
}
