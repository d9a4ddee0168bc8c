import { programErrorName } from '@agent-registry/program'
import type { NamedInstruction, Pubkey } from '@agent-registry/solana'
import { DomainError } from '../domain/errors.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import { checkSigners } from '../relay/check-instructions.ts'
import { mapLedgerError } from '../relay/map-ledger-error.ts'
import type { PriorityLevel } from '../relay/policy.ts'
import type { BuildTransaction, PreparedTransaction } from '../relay/prepared-transaction.ts'
import { checkQuota, type Funds } from './check-quota.ts'
import type { SponsorContext } from './context.ts'
import { costExceeded, maxCost } from './costs.ts'
import { SPONSOR_POLICY } from './policy.ts'
import type { SponsorshipRequest } from './usage.ts'

export interface SponsoredTransaction {
  readonly request: SponsorshipRequest
  /** Checked against the policy. */
  readonly instructions: readonly NamedInstruction[]
  readonly level: PriorityLevel
  readonly agentPda: Pubkey | null
}

/**
 * Reserves the quotas and the highest cost, then lets the relay simulate, build and store the
 * transaction. Cancels the reservation if that fails. If the process dies, it ends after minutes.
 */
export async function reserveAndBuild(
  { request, instructions, level, agentPda }: SponsoredTransaction,
  build: BuildTransaction,
  context: SponsorContext,
): Promise<PreparedTransaction> {
  const { signer, reservations, limits, logger } = context
  const { kind, wallet } = request
  const signers = checkSigners([signer.pubkey, wallet], instructions)
  const funds = await readFunds(kind, context)
  const id = context.newId()
  await reservations.reserve({ ...request, id, agentPda, lamports: funds.cost }, (usage) =>
    checkQuota(request, usage, funds, limits),
  )
  try {
    return await build(
      { instructions, signers },
      {
        id,
        level,
        sponsored: true,
        maxPrice: SPONSOR_POLICY.maxPriorityFee,
        checkSimulation: (err, unitLimit) => {
          if (kind === 'registration' && isAlreadyRegistered(err))
            throw new DomainError('AGENT_EXISTS', { wallet })
          const max = SPONSOR_POLICY[kind].maxComputeUnits
          if (err === null && unitLimit > max) throw costExceeded(unitLimit, 'compute units', max)
        },
      },
    )
  } catch (error) {
    await reservations
      .cancel(id)
      .catch((err: unknown) => logger.warn({ err, id }, 'cancelling a reservation failed, it will expire'))
    throw error
  }
}

/** Throws LEDGER_UNAVAILABLE, SPONSOR_COST_EXCEEDED. */
export async function readFunds(kind: SponsorshipKind, { amounts }: SponsorContext): Promise<Funds> {
  const { agentRent, feePayerBalance } = amounts
  const [rent, balance] = await mapLedgerError(Promise.all([agentRent.get(), feePayerBalance.get()]))
  const cost = maxCost(kind, rent)
  const max = SPONSOR_POLICY.maxLamports
  if (cost > BigInt(max)) throw costExceeded(cost, 'lamports', max)
  return { cost, balance }
}

function isAlreadyRegistered(err: unknown): boolean {
  const failed = (err as { InstructionError?: [number, { Custom?: number }] } | null)?.InstructionError
  const code = failed?.[1].Custom
  return code !== undefined && programErrorName(code) === 'AlreadyInitialized'
}
