import { programErrorName } from '@agent-registry/program'
import type { NamedInstruction } from '@agent-registry/solana'
import { DomainError } from '../domain/errors.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import { checkSigners } from '../relay/check-instructions.ts'
import { mapLedgerError } from '../relay/map-ledger-error.ts'
import type { PriorityLevel } from '../relay/policy.ts'
import { orPrepareFailed } from '../relay/prepare.ts'
import type { BuildTransaction, PreparedTransaction } from '../relay/prepared-transaction.ts'
import { createTransactionStore, type NewTransaction } from '../relay/transaction-store.ts'
import { checkClientQuota, checkQuota, type Funds, PREPARE_ERRORS } from './check-quota.ts'
import type { SponsorContext } from './context.ts'
import { costExceeded, maxCost } from './costs.ts'
import { SPONSOR_POLICY } from './policy.ts'
import { withUsageLock } from './sign-and-store.ts'
import { type LedgerTime, readUsage, type SponsorshipRequest } from './usage.ts'

export interface SponsoredTransaction {
  readonly request: SponsorshipRequest
  /** Checked against the policy. */
  readonly instructions: readonly NamedInstruction[]
  readonly level: PriorityLevel
}

/**
 * Checks the quotas, lets the relay simulate and build the transaction, and stores it. Takes
 * nothing: others can use up a quota before the owner has signed.
 */
export async function checkAndBuild(
  { request, instructions, level }: SponsoredTransaction,
  build: BuildTransaction,
  context: SponsorContext,
): Promise<PreparedTransaction> {
  const { kind, wallet } = request
  const signers = checkSigners([context.signer.pubkey, wallet], instructions)
  await checkEligible(request, context)
  const options = {
    id: context.newId(),
    level,
    sponsored: true,
    maxPrice: SPONSOR_POLICY.maxPriorityFee,
    checkSimulation: (err: unknown, unitLimit: number) => {
      if (kind === 'registration' && isAlreadyRegistered(err))
        throw new DomainError('AGENT_EXISTS', { wallet })
      const max = SPONSOR_POLICY[kind].maxComputeUnits
      if (err === null && unitLimit > max) throw costExceeded(unitLimit, 'compute units', max)
    },
  }
  return orPrepareFailed(async () => {
    const { prepared, row } = await build({ instructions, signers }, options)
    if (kind === 'registration') await storeRegistration(row, request, context)
    else await createTransactionStore(context.kysely).insertSimulated(row)
    return prepared
  })
}

/** Others that the client prepares at the same time may not have been stored at the first check. */
async function storeRegistration(
  row: NewTransaction,
  request: SponsorshipRequest,
  context: SponsorContext,
): Promise<void> {
  const ledger = await readLedgerTime(context)
  await withUsageLock(context, async (trx) => {
    checkClientQuota(await readUsage(trx, request, ledger), context.limits)
    await createTransactionStore(trx).insertSimulated({ ...row, registration: request })
  })
}

/** Throws what `checkQuota` throws, LEDGER_UNAVAILABLE, SPONSOR_COST_EXCEEDED. */
export async function checkEligible(request: SponsorshipRequest, context: SponsorContext): Promise<Funds> {
  const { kysely, limits } = context
  const [funds, ledger] = await Promise.all([readFunds(request.kind, context), readLedgerTime(context)])
  const usage = await readUsage(kysely, request, ledger)
  checkQuota(request, usage, funds, limits, PREPARE_ERRORS)
  return funds
}

async function readLedgerTime({ amounts }: SponsorContext): Promise<LedgerTime> {
  const [{ blockHeight }, slotSeconds] = await Promise.all([
    amounts.head(),
    mapLedgerError(amounts.slotTime.get()),
  ])
  return { blockHeight, slotSeconds }
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
