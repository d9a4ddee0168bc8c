import { COMPUTE_BUDGET_PROGRAM, type Pubkey } from '@agent-registry/solana'
import type { Clock } from '../platform/clock.ts'
import { enumParameter, optional } from '../domain/parameters.ts'
import { DomainError } from '../domain/errors.ts'
import { knownError } from '../domain/known-error.ts'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'
import { buildMessage, checkSize, unsignedTransaction } from './build-message.ts'
import type { ChainHead } from './chain-head.ts'
import { type CheckedRequest, checkInstructions } from './check-instructions.ts'
import type { FeeSamples } from './fees.ts'
import type { CachedValue } from '../platform/async/cached-value.ts'
import type { InstructionInput } from './instruction.ts'
import { PRIORITY_LEVELS, type PriorityLevel, RELAY_POLICY } from './policy.ts'
import { type Simulation, simulateUnsigned } from './simulate.ts'
import { transactionErrorText } from './transaction-error-text.ts'
import type { TransactionStore } from './transaction-store.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'

export interface PrepareInput {
  readonly instructions?: readonly InstructionInput[] | null
  readonly signerPubkeys?: readonly string[] | null
  readonly priorityLevel?: string | null
  readonly sponsored?: boolean | null
}

export interface PreparedTransactionView {
  readonly id: string
  /** base64 of the transaction, zeros in the place of signatures. */
  readonly serializedTx: string
  readonly blockhash: string
  readonly lastValidBlockHeight: number
  /** The limit that the transaction sets. */
  readonly estimatedComputeUnits: number
  /** Micro-lamports per compute unit. */
  readonly priorityFee: number
  readonly feePayer: string
  readonly sponsored: boolean
}

export interface PrepareDependencies {
  readonly rpc: LedgerCalls
  readonly clock: Clock
  readonly store: TransactionStore
  readonly head: CachedValue<ChainHead>
  readonly fees: FeeSamples
  readonly registryProgram: Pubkey
  readonly allowedPrograms: ReadonlySet<Pubkey>
  readonly newId: () => string
}

/** How a transaction is built. */
export interface BuildOptions {
  readonly id: string
  readonly level: PriorityLevel
  readonly sponsored: boolean
  /** Micro-lamports per compute unit. */
  readonly maxPrice?: number
  /** Throws where the compute-unit limit is more than is granted. */
  readonly checkUnits?: (limit: number) => void
  /** A better text for an error of the simulation, as the ledger says it; null for the usual one. */
  readonly explain?: (err: unknown) => DomainError | null
}

export type BuildTransaction = (
  request: CheckedRequest,
  terms: BuildOptions,
) => Promise<PreparedTransactionView>

const priorityLevel = enumParameter(PRIORITY_LEVELS)

export function readPriorityLevel(level: string | null | undefined): PriorityLevel {
  return optional(priorityLevel, 'priorityLevel', level) ?? 'medium'
}

/**
 * Builds a transaction for its signers, after running it against the ledger. Throws what `checkInstructions` throws,
 * TRANSACTION_TOO_LARGE, SIMULATION_FAILED with logs, PREPARE_FAILED.
 */
export async function prepare(
  input: PrepareInput,
  dependencies: PrepareDependencies,
): Promise<PreparedTransactionView> {
  const request = checkInstructions(input, dependencies.allowedPrograms)
  const level = readPriorityLevel(input.priorityLevel)
  return build(request, { id: dependencies.newId(), level, sponsored: false }, dependencies)
}

/** Simulates a checked request, builds the transaction from what the simulation used, and stores it. Throws as `prepare` does from there on. */
export async function build(
  request: CheckedRequest,
  terms: BuildOptions,
  dependencies: PrepareDependencies,
): Promise<PreparedTransactionView> {
  checkSize(request)
  try {
    const fees = dependencies.fees.current()
    const { head, simulation } = await simulateOnHead(request, dependencies)
    if (simulation.err !== null) {
      throw (
        terms.explain?.(simulation.err) ?? simulationFailed(request, simulation, dependencies.registryProgram)
      )
    }
    const limit = computeUnitLimit(simulation.units)
    terms.checkUnits?.(limit)
    const price = Math.min((await fees)[terms.level], terms.maxPrice ?? Infinity)
    return await store(request, head, { limit, price }, terms, dependencies)
  } catch (error) {
    throw knownError(error) ?? prepareFailed(error)
  }
}

/** A hash that the node does not know was taken back by a fork, or the node is behind the one that gave it: tried once more. */
async function simulateOnHead(
  request: CheckedRequest,
  { rpc, head }: PrepareDependencies,
): Promise<{ head: ChainHead; simulation: Simulation }> {
  // Free of priority fee: at the limit's cap it would ask for more lamports than the transaction will cost.
  const budget = { limit: RELAY_POLICY.computeUnits.cap, price: 0 }
  const attempt = async (): Promise<{ head: ChainHead; simulation: Simulation }> => {
    const at = await head.get()
    const message = buildMessage(request, budget, at.blockhash)
    return { head: at, simulation: await simulateUnsigned(rpc, unsignedTransaction(message)) }
  }
  const first = await attempt()
  if (first.simulation.err !== 'BlockhashNotFound') return first
  head.invalidate()
  const second = await attempt()
  if (second.simulation.err === 'BlockhashNotFound')
    throw new LedgerRpcError('rpc', 'the ledger node does not know its own blockhash')
  return second
}

async function store(
  request: CheckedRequest,
  { blockhash, lastValidBlockHeight }: ChainHead,
  budget: { limit: number; price: number },
  { id, sponsored }: BuildOptions,
  { store, clock }: PrepareDependencies,
): Promise<PreparedTransactionView> {
  const message = buildMessage(request, budget, blockhash)
  const bytes = Buffer.from(message).toString('base64')
  await store.insertSimulated({ id, message: bytes, lastValidBlockHeight, sponsored, now: clock.now() })
  return {
    id,
    serializedTx: unsignedTransaction(message),
    blockhash,
    lastValidBlockHeight,
    estimatedComputeUnits: budget.limit,
    priorityFee: budget.price,
    feePayer: request.signers[0],
    sponsored,
  }
}

export function computeUnitLimit(units: number): number {
  const { headroomPercent, floor, cap } = RELAY_POLICY.computeUnits
  return Math.min(Math.max(Math.ceil((units * headroomPercent) / 100), floor), cap)
}

function simulationFailed(
  { instructions }: CheckedRequest,
  { err, logs }: Simulation,
  registryProgram: Pubkey,
): DomainError {
  const own = [COMPUTE_BUDGET_PROGRAM, COMPUTE_BUDGET_PROGRAM]
  const programs = [...own, ...instructions.map((each) => each.programId)]
  const message = transactionErrorText(err, programs, registryProgram)
  return new DomainError('SIMULATION_FAILED', {}, { addition: { message, logs } })
}

function prepareFailed(cause: unknown): DomainError {
  const ledger = cause instanceof LedgerRpcError
  const addition = ledger ? { message: 'The ledger RPC node cannot be reached or is behind' } : {}
  return new DomainError('PREPARE_FAILED', {}, { cause, addition })
}
