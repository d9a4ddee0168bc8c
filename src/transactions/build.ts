import { randomUUID } from 'node:crypto'
import { ComputeBudgetProgram } from '@solana/web3.js'
import { programErrorName } from '@agent-registry/program'
import { compileMessage, COMPUTE_BUDGET_PROGRAM, parseMessage, type Pubkey } from '@agent-registry/solana'
import { DomainError } from '../domain/errors.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'
import type { CheckedRequest } from './check-request.ts'
import type { TransactionsContext } from './context.ts'
import { explainFailure } from './explain-failure.ts'
import { failedInstruction } from './error-text.ts'
import { mapLedgerError } from './ledger-state.ts'
import { type PriorityLevel, RELAY_POLICY } from './limits.ts'
import { matchKey } from './match.ts'
import type { SponsorshipRequest } from './quota.ts'
import { costExceeded, SPONSOR_POLICY } from './sponsor-policy.ts'
import type { NewTransaction } from './transaction-store.ts'

export type PreparedTransaction = Awaited<ReturnType<typeof build>>['prepared']

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

const SIGNATURE_BYTES = 64
/** 32 zero bytes. */
const NO_BLOCKHASH = '1'.repeat(32)
const INVALID_PARAMS = -32_602

/**
 * Simulates a request and returns its transaction with the compute budget that it used, and the
 * row, which must be stored before the client gets the transaction. `sponsorship` is null if the
 * first signer pays. Throws TRANSACTION_TOO_LARGE, LEDGER_UNAVAILABLE, SIMULATION_FAILED with logs,
 * and what `checkSponsored` throws.
 */
export async function build(
  request: CheckedRequest,
  level: PriorityLevel,
  sponsorship: SponsorshipRequest | null,
  context: TransactionsContext,
) {
  checkSize(request)
  const fees = context.fees.current()
  const { head, message, simulation } = await mapLedgerError(simulateOnHead(request, context))
  const unitLimit = computeUnitLimit(simulation.units)
  const sponsored = sponsorship !== null
  if (sponsored) checkSponsored(simulation.err, unitLimit, sponsorship)
  if (simulation.err !== null) {
    const text = await explainFailure(simulation, message, context)
    throw new DomainError('SIMULATION_FAILED', {}, { addition: { message: text, logs: simulation.logs } })
  }
  const id = randomUUID()
  const { blockhash, lastValidBlockHeight, slot } = head
  const price = Math.min((await fees)[level], sponsored ? SPONSOR_POLICY.maxPriorityFee : Infinity)
  const bytes = buildMessage(request, { limit: unitLimit, price }, blockhash)
  const row: NewTransaction = {
    id,
    message: Buffer.from(bytes).toString('base64'),
    matchKey: sponsored ? null : matchKey(parseMessage(bytes)),
    lastValidBlockHeight,
    blockhashSlot: slot,
    sponsored,
    now: context.clock.now(),
  }
  const prepared = {
    id,
    /** base64 of the transaction. Its signatures are zeros. */
    serializedTx: unsignedTransaction(bytes),
    blockhash,
    lastValidBlockHeight,
    /** The compute-unit limit of the transaction. */
    estimatedComputeUnits: unitLimit,
    /** Micro-lamports per compute unit. */
    priorityFee: price,
    feePayer: request.signers[0],
    sponsored,
  }
  return { prepared, row }
}

/** Throws AGENT_EXISTS, SPONSOR_COST_EXCEEDED. `build` reports every other failure. */
function checkSponsored(err: unknown, unitLimit: number, { kind, wallet }: SponsorshipRequest): void {
  const code = failedInstruction(err)?.code
  if (kind === 'registration' && typeof code === 'number' && programErrorName(code) === 'AlreadyInitialized')
    throw new DomainError('AGENT_EXISTS', { wallet })
  const max = SPONSOR_POLICY[kind].maxComputeUnits
  if (err === null && unitLimit > max) throw costExceeded(unitLimit, 'compute units', max)
}

export function computeUnitLimit(units: number): number {
  const { headroomPercent, floor, cap } = RELAY_POLICY.computeUnits
  return Math.min(Math.max(Math.ceil((units * headroomPercent) / 100), floor), cap)
}

/** Simulates again if the node does not know the blockhash: a fork removed it, or it is behind. */
async function simulateOnHead(request: CheckedRequest, { head, rpc }: TransactionsContext) {
  // No priority fee: at the highest limit it would cost more lamports than the final transaction.
  const budget = { limit: RELAY_POLICY.computeUnits.cap, price: 0 }
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const newest = await head.get()
    const message = buildMessage(request, budget, newest.blockhash)
    const simulation = await simulate(rpc, unsignedTransaction(message))
    if (simulation.err !== 'BlockhashNotFound') return { head: newest, message, simulation }
    head.invalidate()
  }
  throw new LedgerRpcError('rpc', 'the ledger node does not know its own blockhash')
}

/** The size does not depend on blockhash and compute budget. Throws TRANSACTION_TOO_LARGE. */
function checkSize(request: CheckedRequest): void {
  const message = buildMessage(request, { limit: 0, price: 0 }, NO_BLOCKHASH)
  const size = 1 + request.signers.length * SIGNATURE_BYTES + message.length
  const max = RELAY_POLICY.maxTransactionBytes
  if (size > max) throw new DomainError('TRANSACTION_TOO_LARGE', { size, max })
}

/** A v0 message that the first signer pays. `price`: micro-lamports per compute unit. */
export function buildMessage(
  { instructions, signers }: CheckedRequest,
  { limit, price }: { readonly limit: number; readonly price: number },
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

/** Runs a transaction at `confirmed` without checking its signatures. Throws LedgerRpcError. */
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
