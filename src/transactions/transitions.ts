import type { TransactionFailure } from '../domain/transaction-status.ts'
import type { LedgerStatus } from './fetch-statuses.ts'
import { SEARCH_LIMITS } from './limits.ts'
import {
  DROPPED,
  EXPIRED,
  OUTCOME_UNKNOWN,
  type TransactionChange,
  type TransactionRow,
} from './transaction-store.ts'
import type { SearchResult } from './search-ledger.ts'

export type SendOutcome =
  | { readonly kind: 'accepted' }
  /** Not sent: the node does not know the blockhash, as it is behind. */
  | { readonly kind: 'too_early' }
  /** The transaction was sent, or not. */
  | { readonly kind: 'unknown' }
  /** Not sent: the node simulated the transaction and it failed. */
  | { readonly kind: 'refused'; readonly failure: TransactionFailure }

/** One empty response of one node is no proof. */
const MISSES_REQUIRED = 2

const NOT_LANDED = { slot: null, misses: 0 } as const

/**
 * The state machine of a submitted transaction: submitted -> confirmed | failed; confirmed ->
 * submitted after a fork; failed -> confirmed if it landed although a node refused it. `settled`
 * ends it: the transaction is finalized, or it expired and no node has it.
 */
export function onLedgerStatus(row: TransactionRow, status: LedgerStatus): TransactionChange {
  if (status.kind === 'processed') return { misses: 0 }
  if (status.kind === 'landed') {
    const { slot, finality, failure } = status
    return {
      status: failure === null ? 'confirmed' : 'failed',
      error: failure === null ? null : cleanFailure(failure),
      slot,
      landed: true,
      misses: 0,
      settled: finality === 'finalized',
    }
  }
  const hadLanded = row.slot !== null
  if (!status.expired && !hadLanded) return { misses: 0 }
  const misses = row.misses + 1
  if (misses < MISSES_REQUIRED) return { misses }
  if (!status.expired) return { ...NOT_LANDED, status: 'submitted', error: null }
  return notLanded(row, row.landed ? DROPPED : EXPIRED)
}

/** Whether `onLedgerStatus` would settle the row as not landed. */
export function isExpired(row: TransactionRow, status: LedgerStatus | undefined): boolean {
  return status?.kind === 'absent' && status.expired && row.misses + 1 >= MISSES_REQUIRED
}

/** A found transaction continues as submitted. Without a result it is searched again. */
export function onSearchResult(
  row: TransactionRow,
  result: SearchResult | undefined,
  now: string,
): TransactionChange {
  if (result?.kind === 'found') return sentByWallet(row, result, now)
  if (result?.kind === 'absent') return notLanded(row, row.landed ? DROPPED : EXPIRED)
  const misses = row.misses + 1
  if (result === undefined && misses < SEARCH_LIMITS.attempts) return { misses }
  return notLanded(row, OUTCOME_UNKNOWN)
}

interface SentTransaction {
  readonly signature: string
  /** Base64. */
  readonly signedTx: string
}

/** Continues with the version that the wallet sent. */
function sentByWallet(row: TransactionRow, sent: SentTransaction, now: string) {
  return {
    ...NOT_LANDED,
    status: 'submitted',
    error: null,
    sentAt: row.sentAt ?? now,
    accepted: true,
    signature: sent.signature,
    signedTx: sent.signedTx,
    nextCheckAt: now,
  } as const satisfies TransactionChange
}

/** Null if the row has its outcome. Of two versions that landed, a successful one counts. */
export function onSeen(
  row: TransactionRow,
  seen: SentTransaction & Extract<LedgerStatus, { kind: 'landed' }>,
  now: string,
): TransactionChange | null {
  const isOpen = row.signedTx === null && !row.settled
  const hasFailedVersion = row.status === 'failed' && row.landed && !row.settled && seen.failure === null
  if (!isOpen && !hasFailedVersion) return null
  return { ...sentByWallet(row, seen, now), ...onLedgerStatus(row, seen) }
}

/** A failure of the simulation stays the reason. */
function notLanded(row: TransactionRow, failure: TransactionFailure): TransactionChange {
  if (row.status === 'failed' && row.slot === null) return { settled: true }
  return { ...NOT_LANDED, status: 'failed', error: cleanFailure(failure), settled: true }
}

/** A refusal is final only if nothing was sent before: an earlier send may still land. */
export function onSendOutcome(row: TransactionRow, outcome: SendOutcome, now: string): TransactionChange {
  if (outcome.kind === 'accepted') return { sentAt: now, accepted: true }
  if (outcome.kind === 'unknown' || row.sentAt !== null) return { sentAt: now }
  return outcome.kind === 'too_early' ? {} : { status: 'failed', error: cleanFailure(outcome.failure) }
}

/** Removes what PostgreSQL cannot store as JSON: NUL and lone surrogates. Programs can log both. */
export function cleanFailure({ code, message, logs }: TransactionFailure): TransactionFailure {
  const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed()
  return { code, message: clean(message), ...(logs && { logs: logs.map(clean) }) }
}
