import {
  CLOCK_SYSVAR,
  MAX_TRANSACTION_VERSION,
  type Pubkey,
  pubkeyFromBytes,
  TOKEN_PROGRAM,
} from '@agent-registry/solana'
import { DomainError } from '../domain/errors.ts'
import { withTimeout } from '../platform/async/promises.ts'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'
import { integerParameter } from '../domain/parameters.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import { cachedValue, type CachedValue } from '../platform/async/cached-value.ts'
import type { Clock } from '../platform/clock.ts'

/** A client that waits for a node does not wait longer. Milliseconds. */
const MAX_WAIT_MS = 10_000

/** Throws LEDGER_UNAVAILABLE if a call of the ledger node fails, or takes too long. */
export async function mapLedgerError<Result>(call: Promise<Result>): Promise<Result> {
  try {
    const result = await withTimeout(
      MAX_WAIT_MS,
      call.then((value) => ({ value })),
    )
    if (result === null) throw new LedgerRpcError('timeout', 'the ledger node did not respond in time')
    return result.value
  } catch (error) {
    if (error instanceof LedgerRpcError) throw new DomainError('LEDGER_UNAVAILABLE', {}, { cause: error })
    throw error
  }
}

/** For calls without which less is known. Throws other errors. */
export function nullIfLedgerError(error: unknown): null {
  if (error instanceof LedgerRpcError) return null
  throw error
}

/** The newest block. */
export type LedgerHead = Awaited<ReturnType<typeof readHead>>

export type LedgerState = ReturnType<typeof createLedgerState>

const HEAD_MS = 1_000
const RENT_FRESH_MS = 60_000
const RENT_MAX_AGE_MS = 300_000
/** The ledger charges every account for this many bytes in addition to its data. */
const ACCOUNT_OVERHEAD = 128

const accountBytes = integerParameter({ min: 0, max: 10 * 1024 * 1024 })

/** Block height and rent as the node reports them. All calls throw LEDGER_UNAVAILABLE. */
export function createLedgerState(rpc: LedgerCalls, clock: Clock) {
  const head = cachedValue<LedgerHead>({
    clock,
    freshMs: HEAD_MS,
    maxAgeMs: HEAD_MS,
    load: () => readHead(rpc, 'confirmed'),
  })
  const lamportsPerByte = cachedValue({
    clock,
    freshMs: RENT_FRESH_MS,
    maxAgeMs: RENT_MAX_AGE_MS,
    load: async () => BigInt(await readRent(rpc, 0)) / BigInt(ACCOUNT_OVERHEAD),
  })
  const time = cachedValue({ clock, freshMs: HEAD_MS, maxAgeMs: HEAD_MS, load: () => readTime(rpc) })
  let rentEpoch: number | null = null

  return {
    head: (): Promise<LedgerHead> => mapLedgerError(head.get()),
    /** The clock of the programs, ISO 8601. A cooldown ends by it. */
    time: (): Promise<string> => mapLedgerError(time.get()),
    /** Lamports that an account with this many bytes of data must hold. Throws INVALID_INTEGER. */
    rentExemption: async (given: number): Promise<bigint> => {
      const bytes = accountBytes('bytes', given)
      const { epoch } = await mapLedgerError(head.get())
      if (epoch !== rentEpoch) lamportsPerByte.invalidate()
      rentEpoch = epoch
      return (await mapLedgerError(lamportsPerByte.get())) * BigInt(ACCOUNT_OVERHEAD + bytes)
    },
  }
}

/** Where the account of the clock has its seconds since the epoch, an i64. */
const SECONDS_OFFSET = 32

async function readTime(rpc: LedgerCalls): Promise<string> {
  const options = { commitment: 'confirmed', encoding: 'base64' }
  const { value } = await rpc.call<{ value: LedgerAccount | null }>('getAccountInfo', [CLOCK_SYSVAR, options])
  if (value === null) throw new LedgerRpcError('rpc', 'the node does not return the clock of the ledger')
  const seconds = Buffer.from(value.data[0], 'base64').readBigInt64LE(SECONDS_OFFSET)
  return new Date(Number(seconds) * 1_000).toISOString()
}

/** The newest block with this commitment. */
export async function readHead(rpc: LedgerCalls, commitment: 'confirmed' | 'finalized') {
  type EpochInfo = Record<'absoluteSlot' | 'blockHeight' | 'epoch', number>
  const { absoluteSlot, blockHeight, epoch } = await rpc.call<EpochInfo>('getEpochInfo', [{ commitment }])
  // A transaction can land while the block height is at most its `lastValidBlockHeight`.
  return { slot: absoluteSlot, blockHeight, epoch }
}

/** Lamports, as the node reports them now. */
export function readRent(rpc: LedgerCalls, bytes: number): Promise<number> {
  return rpc.call('getMinimumBalanceForRentExemption', [bytes, { commitment: 'confirmed' }])
}

/** A blockhash is valid for this many blocks after its own. */
const BLOCKHASH_LIFETIME = 150
const FRESH_MS = 1_000
const MAX_AGE_MS = 5_000

interface ChainHead {
  readonly blockhash: string
  readonly lastValidBlockHeight: number
  /** The slot at which the node returned the hash. */
  readonly slot: number
  /** The height of the block with this hash. */
  readonly blockHeight: number
}

/** The latest confirmed block. A finalized blockhash would have lost a fifth of its lifetime. */
export function createChainHead(rpc: LedgerCalls, clock: Clock): CachedValue<ChainHead> {
  return cachedValue({
    clock,
    freshMs: FRESH_MS,
    maxAgeMs: MAX_AGE_MS,
    load: async () => {
      const { context, value } = await rpc.call<{
        context: { slot: number }
        value: { blockhash: string; lastValidBlockHeight: number }
      }>('getLatestBlockhash', [{ commitment: 'confirmed' }])
      return { ...value, slot: context.slot, blockHeight: value.lastValidBlockHeight - BLOCKHASH_LIFETIME }
    },
  })
}

export interface LedgerAccount {
  readonly lamports: number
  readonly owner: string
  readonly data: readonly [base64: string, encoding: 'base64']
  /** Bytes of the data. */
  readonly space?: number
}

/** Longer than every account of the registry, so that an account of 10 MB is not transferred. */
const MAX_BYTES = 512

/** Reads accounts at `confirmed`, in one call. Null for an account that does not exist. */
export async function readAccounts(rpc: LedgerCalls, keys: readonly Pubkey[]) {
  const { value } = await rpc.call<{ value: readonly (LedgerAccount | null)[] }>('getMultipleAccounts', [
    keys,
    { encoding: 'base64', commitment: 'confirmed', dataSlice: { offset: 0, length: MAX_BYTES } },
  ])
  return value
}

const TOKEN_ACCOUNT_BYTES = 165
const FROZEN = 2

/**
 * Null if this is not an account of SPL Token: mint (32 bytes), owner (32), amount (8), delegate
 * (36), state (1), others.
 */
export function tokenAccount(account: LedgerAccount | null | undefined) {
  const data = Buffer.from(account?.data[0] ?? '', 'base64')
  if (account?.owner !== TOKEN_PROGRAM || data.length !== TOKEN_ACCOUNT_BYTES) return null
  return {
    mint: pubkeyFromBytes(data.subarray(0, 32)),
    owner: pubkeyFromBytes(data.subarray(32, 64)),
    /** Base units. */
    amount: data.readBigUInt64LE(64),
    isFrozen: data[108] === FROZEN,
  }
}

/** A transaction of the ledger at `confirmed`. Null if the node does not have it. */
export function fetchTransaction<Found>(
  rpc: LedgerCalls,
  signature: string,
  encoding: 'base64' | 'json' = 'base64',
): Promise<Found | null> {
  return rpc.call('getTransaction', [
    signature,
    { encoding, commitment: 'confirmed', maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION },
  ])
}
