import { programErrorName } from '@agent-registry/program'
import type { NamedInstruction } from '@agent-registry/solana'
import { DomainError } from '../domain/errors.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import { checkSigners } from '../relay/check-instructions.ts'
import { mapLedgerError } from '../relay/map-ledger-error.ts'
import type { PriorityLevel } from '../relay/policy.ts'
import type { BuildTransaction, PreparedTransaction } from '../relay/prepared-transaction.ts'
import { checkQuota, type Funds, PREPARE_ERRORS } from './check-quota.ts'
import type { SponsorContext } from './context.ts'
import { costExceeded, maxCost } from './costs.ts'
import { SPONSOR_POLICY } from './policy.ts'
import { readUsage, type SponsorshipRequest } from './usage.ts'

export interface SponsoredTransaction {
  readonly request: SponsorshipRequest
  /** Checked against the policy. */
  readonly instructions: readonly NamedInstruction[]
  readonly level: PriorityLevel
}

/**
 * Checks the quotas, then lets the relay simulate, build and store the transaction. Takes nothing:
 * others can use up a quota before the owner has signed.
 */
export async function checkAndBuild(
  { request, instructions, level }: SponsoredTransaction,
  build: BuildTransaction,
  context: SponsorContext,
): Promise<PreparedTransaction> {
  const { kind, wallet, codeHash } = request
  const signers = checkSigners([context.signer.pubkey, wallet], instructions)
  await checkEligible(request, context)
  return build(
    { instructions, signers },
    {
      id: context.newId(),
      level,
      sponsored: true,
      inviteCodeHash: codeHash,
      maxPrice: SPONSOR_POLICY.maxPriorityFee,
      checkSimulation: (err, unitLimit) => {
        if (kind === 'registration' && isAlreadyRegistered(err))
          throw new DomainError('AGENT_EXISTS', { wallet })
        const max = SPONSOR_POLICY[kind].maxComputeUnits
        if (err === null && unitLimit > max) throw costExceeded(unitLimit, 'compute units', max)
      },
    },
  )
}

/** Throws what `checkQuota` throws, LEDGER_UNAVAILABLE, SPONSOR_COST_EXCEEDED. */
export async function checkEligible(request: SponsorshipRequest, context: SponsorContext): Promise<Funds> {
  const funds = await readFunds(request.kind, context)
  checkQuota(request, await readUsage(context.kysely, request), funds, context.limits, PREPARE_ERRORS)
  return funds
}

async function readFunds(kind: SponsorshipKind, { amounts }: SponsorContext): Promise<Funds> {
  const { agentRent, feePayerBalance } = amounts
  const [rent, balance] = await mapLedgerError(Promise.all([agentRent(), feePayerBalance.get()]))
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
