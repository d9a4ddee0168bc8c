import type { Pubkey } from '@agent-registry/solana'
import { programErrorName } from '@agent-registry/program'
import { DomainError } from '../domain/errors.ts'
import { type CheckedRequest, checkSigners } from '../relay/check-instructions.ts'
import type { Instruction } from '../relay/instruction.ts'
import type { PriorityLevel } from '../relay/policy.ts'
import type { BuildTransaction, PreparedTransactionView } from '../relay/prepare.ts'
import { costExceeded } from './check-message.ts'
import { fromLedger, type SponsorContext } from './context.ts'
import { maxCost } from './costs.ts'
import { checkQuota } from './check-quota.ts'
import { SPONSOR_POLICY } from './policy.ts'
import type { SponsorshipRequest } from './applicant.ts'

export interface SponsoredRequest {
  readonly applicant: SponsorshipRequest
  /** Checked against the policy. */
  readonly instructions: readonly Instruction[]
  readonly level: PriorityLevel
  readonly agentPda: Pubkey | null
}

/**
 * Reserves what a transaction may cost and uses up, then simulates, builds and stores it. Where that fails nothing stays reserved: at
 * once, or after minutes where the process dies.
 */
export async function sponsorTransaction(
  { applicant, instructions, level, agentPda }: SponsoredRequest,
  build: BuildTransaction,
  context: SponsorContext,
): Promise<PreparedTransactionView> {
  const { signer, reservations, logger } = context
  const { kind, wallet } = applicant
  const signers = checkSigners([signer.pubkey, wallet], instructions)
  const money = await readFunds(kind, context)
  const id = context.newId()
  await reservations.reserve({ ...applicant, id, agentPda, lamports: money.cost }, (facts) =>
    checkQuota(applicant, facts, money),
  )
  try {
    const request: CheckedRequest = { instructions, signers }
    return await build(request, {
      id,
      level,
      sponsored: true,
      maxPrice: SPONSOR_POLICY.maxPriorityFee,
      checkUnits: (limit) => {
        const max = SPONSOR_POLICY[kind].maxComputeUnits
        if (limit > max) throw costExceeded(limit, 'compute units', max)
      },
      explain: (err) =>
        kind === 'registration' && isAgentThere(err) ? new DomainError('AGENT_EXISTS', { wallet }) : null,
    })
  } catch (error) {
    await reservations
      .cancel(id)
      .catch((err: unknown) => logger.warn({ err, id }, 'a reservation is given back later'))
    throw error
  }
}

/** Throws LEDGER_UNAVAILABLE, SPONSOR_COST_EXCEEDED. Lamports. */
export async function readFunds(
  kind: SponsorshipRequest['kind'],
  { costs, limits }: SponsorContext,
): Promise<{ cost: bigint; balance: bigint; limits: SponsorContext['limits'] }> {
  const [rent, balance] = await fromLedger(Promise.all([costs.rent(), costs.balance()]))
  const cost = maxCost(kind, rent)
  const max = SPONSOR_POLICY.maxLamports
  if (cost > BigInt(max)) throw costExceeded(cost, 'lamports', max)
  return { cost, balance, limits }
}

function isAgentThere(err: unknown): boolean {
  const failed = (err as { InstructionError?: [number, { Custom?: number }] } | null)?.InstructionError
  const code = failed?.[1].Custom
  return code !== undefined && programErrorName(code) === 'AlreadyInitialized'
}
