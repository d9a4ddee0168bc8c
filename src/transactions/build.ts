import { ComputeBudgetProgram } from '@solana/web3.js'
import { compileMessage, COMPUTE_BUDGET_PROGRAM, parseMessage, type Pubkey } from '@agent-registry/solana'
import { DomainError } from '../domain/errors.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'
import type { CheckedRequest } from './check-request.ts'
import type { TransactionsContext } from './context.ts'
import { explainFailure } from './explain-failure.ts'
import type { FeeEstimate } from './fees.ts'
import { type ChainHead, mapLedgerError } from './ledger-state.ts'
import { type PriorityLevel, RELAY_POLICY } from './limits.ts'
import { matchKey } from './match.ts'
import type { NewTransaction } from './transaction-store.ts'

export interface PreparedTransaction {
  readonly id: string
  /** base64 of the transaction. Its signatures are zeros. */
  readonly serializedTx: string
  readonly blockhash: string
  readonly lastValidBlockHeight: number
  /** The compute-unit limit of the transaction. */
  readonly estimatedComputeUnits: number
  /** Micro-lamports per compute unit. */
  readonly priorityFee: number
  readonly feePayer: string
  readonly sponsored: boolean
}

interface ComputeBudget {
  /** Compute units. */
  readonly limit: number
  /** Micro-lamports per compute unit. */
  readonly price: number
}

export interface Simulation {
  /** As the node reports it. Null for success. */
  readonly err: unknown
  readonly logs: readonly string[]
  /** Compute units used. */
  readonly units: number
  /** The requested accounts after the transaction. `data` is base64. */
  readonly accounts: readonly ({ lamports: number; owner: Pubkey; data: [string, string] } | null)[]
  /** Lamports of the message's accounts before the transaction. Empty before Agave 3.0. */
  readonly preBalances: readonly number[]
}

/** A request whose instructions were simulated on the newest block, with or without success. */
export interface SimulatedRequest {
  readonly request: CheckedRequest
  readonly head: ChainHead
  readonly message: Uint8Array
  readonly simulation: Simulation
  /** The compute-unit limit that the transaction will have. */
  readonly unitLimit: number
  readonly fees: Promise<FeeEstimate>
}

const SIGNATURE_BYTES = 64
/** 32 zero bytes. */
const NO_BLOCKHASH = '1'.repeat(32)
const INVALID_PARAMS = -32_602

/** Throws TRANSACTION_TOO_LARGE, LEDGER_UNAVAILABLE. */
export async function simulateRequest(
  request: CheckedRequest,
  context: TransactionsContext,
): Promise<SimulatedRequest> {
  checkSize(request)
  const fees = context.fees.current()
  const simulated = await mapLedgerError(simulateOnHead(request, context))
  return { ...simulated, request, fees, unitLimit: computeUnitLimit(simulated.simulation.units) }
}

/**
 * The transaction with the compute budget that its simulation used, and its row, which must be
 * stored before the client gets the transaction. Throws SIMULATION_FAILED with logs.
 */
export async function build(
  { request, head, message, simulation, unitLimit, fees }: SimulatedRequest,
  { level, sponsored, maxPrice }: { level: PriorityLevel; sponsored: boolean; maxPrice: number },
  context: TransactionsContext,
): Promise<{ readonly prepared: PreparedTransaction; readonly row: NewTransaction }> {
  if (simulation.err !== null) {
    const text = await explainFailure(simulation, message, context)
    throw new DomainError('SIMULATION_FAILED', {}, { addition: { message: text, logs: simulation.logs } })
  }
  const id = context.newId()
  const { blockhash, lastValidBlockHeight, slot } = head
  const price = Math.min((await fees)[level], maxPrice)
  const bytes = buildMessage(request, { limit: unitLimit, price }, blockhash)
  return {
    prepared: {
      id,
      serializedTx: unsignedTransaction(bytes),
      blockhash,
      lastValidBlockHeight,
      estimatedComputeUnits: unitLimit,
      priorityFee: price,
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
      now: context.clock.now(),
    },
  }
}

export function computeUnitLimit(units: number): number {
  const { headroomPercent, floor, cap } = RELAY_POLICY.computeUnits
  return Math.min(Math.max(Math.ceil((units * headroomPercent) / 100), floor), cap)
}

/**
 * Simulates once more if the node does not know the blockhash: a fork removed the block, or this
 * node is behind the one that returned it.
 */
async function simulateOnHead(request: CheckedRequest, { head, rpc }: TransactionsContext) {
  // No priority fee: at the highest limit it would cost more lamports than the final transaction.
  const budget = { limit: RELAY_POLICY.computeUnits.cap, price: 0 }
  const attempt = async () => {
    const newest = await head.get()
    const message = buildMessage(request, budget, newest.blockhash)
    return { head: newest, message, simulation: await simulate(rpc, unsignedTransaction(message)) }
  }
  const first = await attempt()
  if (first.simulation.err !== 'BlockhashNotFound') return first
  head.invalidate()
  const second = await attempt()
  if (second.simulation.err === 'BlockhashNotFound')
    throw new LedgerRpcError('rpc', 'the ledger node does not know its own blockhash')
  return second
}

/**
 * Throws TRANSACTION_TOO_LARGE. The size does not depend on the blockhash and the compute budget.
 */
function checkSize(request: CheckedRequest): void {
  const message = buildMessage(request, { limit: 0, price: 0 }, NO_BLOCKHASH)
  const size = 1 + request.signers.length * SIGNATURE_BYTES + message.length
  const max = RELAY_POLICY.maxTransactionBytes
  if (size > max) throw new DomainError('TRANSACTION_TOO_LARGE', { size, max })
}

/** A v0 message: two compute-budget instructions, then the client's. The first signer pays. */
export function buildMessage(
  { instructions, signers }: CheckedRequest,
  { limit, price }: ComputeBudget,
  blockhash: string,
): Uint8Array {
  const budget = [
    ComputeBudgetProgram.setComputeUnitLimit({ units: limit }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
  ].map(({ data }) => ({ programId: COMPUTE_BUDGET_PROGRAM, keys: [], data }))
  return compileMessage(signers[0], [...budget, ...instructions], blockhash)
}

/** base64 of the transaction. Its signatures are zeros. */
export function unsignedTransaction(message: Uint8Array): string {
  const count = message[1] ?? 0
  const signatures = Buffer.alloc(1 + count * SIGNATURE_BYTES)
  signatures[0] = count
  return Buffer.concat([signatures, message]).toString('base64')
}

type RawSimulation = { [Name in keyof Simulation]?: Simulation[Name] | null } & { unitsConsumed?: number }

/**
 * Runs a transaction at `confirmed` without checking its signatures, and returns the state of
 * `addresses` after it. Throws LedgerRpcError if the node does not respond.
 */
export async function simulate(
  rpc: LedgerCalls,
  transaction: string,
  addresses: readonly string[] = [],
): Promise<Simulation> {
  const config = {
    encoding: 'base64',
    sigVerify: false,
    replaceRecentBlockhash: false,
    commitment: 'confirmed',
    ...(addresses.length > 0 && { accounts: { encoding: 'base64', addresses } }),
  }
  try {
    const { value } = await rpc.call<{ value: RawSimulation }>('simulateTransaction', [transaction, config])
    return {
      err: value.err,
      logs: value.logs ?? [],
      units: value.unitsConsumed ?? 0,
      accounts: value.accounts ?? [],
      preBalances: value.preBalances ?? [],
    }
  } catch (error) {
    // The node refuses a message that no ledger would accept, because of the client's accounts.
    if (error instanceof LedgerRpcError && error.kind === 'rpc' && error.code === INVALID_PARAMS)
      return { err: 'SanitizeFailure', logs: [], units: 0, accounts: [], preBalances: [] }
    throw error
  }
}
