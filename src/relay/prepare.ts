import { parseMessage } from '@agent-registry/solana'
import { DomainError } from '../domain/errors.ts'
import { knownError } from '../domain/known-error.ts'
import { enumParameter, optional } from '../domain/parameters.ts'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'
import { buildMessage, checkSize, type ComputeBudget, unsignedTransaction } from './build-message.ts'
import type { ChainHead } from './chain-head.ts'
import { type CheckedRequest, checkInstructions } from './check-instructions.ts'
import type { RelayContext } from './context.ts'
import { explainFailure } from './explain-failure.ts'
import { mapLedgerError } from './map-ledger-error.ts'
import { matchKey } from './match.ts'
import { PRIORITY_LEVELS, type PriorityLevel, RELAY_POLICY } from './policy.ts'
import type { BuildOptions, PreparedTransaction, PrepareInput } from './prepared-transaction.ts'
import { simulate, type Simulation } from './simulate.ts'

const priorityLevel = enumParameter(PRIORITY_LEVELS)

export function readPriorityLevel(level: string | null | undefined): PriorityLevel {
  return optional(priorityLevel, 'priorityLevel', level) ?? 'medium'
}

/** Throws what `checkInstructions` and `build` throw, and INVALID_ENUM. */
export async function prepare(input: PrepareInput, context: RelayContext): Promise<PreparedTransaction> {
  const request = checkInstructions(input, context.allowedPrograms)
  const level = readPriorityLevel(input.priorityLevel)
  return build(request, { id: context.newId(), level, sponsored: false }, context)
}

/**
 * Simulates a checked request, builds the transaction with the compute budget that the simulation
 * used, and stores it. Throws TRANSACTION_TOO_LARGE, SIMULATION_FAILED with logs, LEDGER_UNAVAILABLE,
 * PREPARE_FAILED.
 */
export async function build(
  request: CheckedRequest,
  options: BuildOptions,
  context: RelayContext,
): Promise<PreparedTransaction> {
  checkSize(request)
  try {
    const fees = context.fees.current()
    const { head, message, simulation } = await mapLedgerError(simulateOnHead(request, context))
    const limit = computeUnitLimit(simulation.units)
    options.checkSimulation?.(simulation.err, limit)
    if (simulation.err !== null) throw await simulationFailed(message, simulation, context)
    const price = Math.min((await fees)[options.level], options.maxPrice ?? Infinity)
    return await store(request, head, { limit, price }, options, context)
  } catch (error) {
    throw knownError(error) ?? new DomainError('PREPARE_FAILED', {}, { cause: error })
  }
}

interface SimulationOnHead {
  readonly head: ChainHead
  readonly message: Uint8Array
  readonly simulation: Simulation
}

/**
 * Simulates once more if the node does not know the blockhash: a fork removed the block, or this
 * node is behind the one that returned it.
 */
async function simulateOnHead(request: CheckedRequest, context: RelayContext): Promise<SimulationOnHead> {
  // No priority fee: at the highest limit it would cost more lamports than the final transaction.
  const budget = { limit: RELAY_POLICY.computeUnits.cap, price: 0 }
  const attempt = async (): Promise<SimulationOnHead> => {
    const head = await context.head.get()
    const message = buildMessage(request, budget, head.blockhash)
    return { head, message, simulation: await simulate(context.rpc, unsignedTransaction(message)) }
  }
  const first = await attempt()
  if (first.simulation.err !== 'BlockhashNotFound') return first
  context.head.invalidate()
  const second = await attempt()
  if (second.simulation.err === 'BlockhashNotFound')
    throw new LedgerRpcError('rpc', 'the ledger node does not know its own blockhash')
  return second
}

async function store(
  request: CheckedRequest,
  { blockhash, lastValidBlockHeight, slot }: ChainHead,
  budget: ComputeBudget,
  { id, sponsored, registration, insert }: BuildOptions,
  context: RelayContext,
): Promise<PreparedTransaction> {
  const bytes = buildMessage(request, budget, blockhash)
  const message = Buffer.from(bytes).toString('base64')
  const key = sponsored ? null : matchKey(parseMessage(bytes))
  const now = context.clock.now()
  await (insert ?? context.store.insertSimulated)({
    id,
    message,
    matchKey: key,
    lastValidBlockHeight,
    blockhashSlot: slot,
    sponsored,
    registration,
    now,
  })
  return {
    id,
    serializedTx: unsignedTransaction(bytes),
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

async function simulationFailed(
  message: Uint8Array,
  simulation: Simulation,
  context: RelayContext,
): Promise<DomainError> {
  const text = await explainFailure(simulation, message, context)
  return new DomainError('SIMULATION_FAILED', {}, { addition: { message: text, logs: simulation.logs } })
}
