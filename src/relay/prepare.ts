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
import type {
  BuildOptions,
  BuiltTransaction,
  PreparedTransaction,
  PrepareInput,
} from './prepared-transaction.ts'
import { simulate, type Simulation } from './simulate.ts'

const priorityLevel = enumParameter(PRIORITY_LEVELS)

export function readPriorityLevel(level: string | null | undefined): PriorityLevel {
  return optional(priorityLevel, 'priorityLevel', level) ?? 'medium'
}

/** Throws what `checkInstructions` and `build` throw, INVALID_ENUM, and PREPARE_FAILED. */
export async function prepare(input: PrepareInput, context: RelayContext): Promise<PreparedTransaction> {
  const request = checkInstructions(input, context.allowedPrograms)
  const level = readPriorityLevel(input.priorityLevel)
  return orPrepareFailed(async () => {
    const { prepared, row } = await build(request, { id: context.newId(), level, sponsored: false }, context)
    await context.store.insertSimulated(row)
    return prepared
  })
}

/** Throws PREPARE_FAILED in place of an error without a code. */
export async function orPrepareFailed<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw knownError(error) ?? new DomainError('PREPARE_FAILED', {}, { cause: error })
  }
}

/**
 * Simulates a checked request, and builds the transaction with the compute budget that the
 * simulation used. Throws TRANSACTION_TOO_LARGE, SIMULATION_FAILED with logs, LEDGER_UNAVAILABLE.
 */
export async function build(
  request: CheckedRequest,
  options: BuildOptions,
  context: RelayContext,
): Promise<BuiltTransaction> {
  checkSize(request)
  const fees = context.fees.current()
  const { head, message, simulation } = await mapLedgerError(simulateOnHead(request, context))
  const limit = computeUnitLimit(simulation.units)
  options.checkSimulation?.(simulation.err, limit)
  if (simulation.err !== null) throw await simulationFailed(message, simulation, context)
  const price = Math.min((await fees)[options.level], options.maxPrice ?? Infinity)
  return assemble(request, head, { limit, price }, options, context.clock.now())
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

function assemble(
  request: CheckedRequest,
  { blockhash, lastValidBlockHeight, slot }: ChainHead,
  budget: ComputeBudget,
  { id, sponsored }: BuildOptions,
  now: number,
): BuiltTransaction {
  const bytes = buildMessage(request, budget, blockhash)
  return {
    prepared: {
      id,
      serializedTx: unsignedTransaction(bytes),
      blockhash,
      lastValidBlockHeight,
      estimatedComputeUnits: budget.limit,
      priorityFee: budget.price,
      feePayer: request.signers[0],
      sponsored,
    },
    row: {
      id,
      message: Buffer.from(bytes).toString('base64'),
      matchKey: sponsored ? null : matchKey(parseMessage(bytes)),
      lastValidBlockHeight,
      blockhashSlot: slot,
      sponsored,
      now,
    },
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
