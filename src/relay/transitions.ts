import type { TransactionFailure } from '../domain/transaction-status.ts'
import type { TransactionRow } from './record.ts'
import type { SendOutcome } from './send.ts'
import { EXPIRED, type TransactionChange } from './transaction-store.ts'

/** What the ledger says of a submitted transaction. Where it says nothing, as in an outage, nothing changes. */
export type LedgerStatus =
  | {
      readonly kind: 'landed'
      readonly slot: number
      readonly finality: 'confirmed' | 'finalized'
      /** Null where it succeeded. */
      readonly failure: TransactionFailure | null
    }
  /** In a block that may not last. */
  | { readonly kind: 'processed' }
  /** Not there, by a node that is not behind. `expired`: nor can it come any more. */
  | { readonly kind: 'absent'; readonly expired: boolean }

/** One node's empty answer is no proof. */
const MISSES_NEEDED = 2

const DROPPED: TransactionFailure = {
  code: 'dropped',
  message: 'A fork of the ledger took the transaction back, and it expired: prepare it again',
}

/**
 * The state machine of a submitted transaction:
 * submitted -> confirmed | failed; confirmed -> submitted when a fork takes it back; failed -> confirmed where it landed against
 * the node's refusal. `settled` ends it: finalized, or expired and looked for in vain.
 */
export function onLedgerStatus(row: TransactionRow, seen: LedgerStatus): TransactionChange {
  if (seen.kind === 'processed') return { misses: 0 }
  if (seen.kind === 'landed') {
    const { slot, finality, failure } = seen
    return {
      status: failure === null ? 'confirmed' : 'failed',
      error: failure === null ? null : storableFailure(failure),
      slot,
      landed: true,
      misses: 0,
      settled: finality === 'finalized',
    }
  }
  const shown = row.slot !== null
  if (!seen.expired && !shown) return { misses: 0 }
  const misses = row.misses + 1
  if (misses < MISSES_NEEDED) return { misses }
  if (!seen.expired) return { ...UNSEEN, status: 'submitted', error: null }
  if (row.status === 'failed' && !shown) return { settled: true }
  const failure = row.landed ? DROPPED : EXPIRED
  return { ...UNSEEN, status: 'failed', error: storableFailure(failure), settled: true }
}

const UNSEEN = { slot: null, misses: 0 } as const

/** jsonb takes neither NUL nor halves of characters, and programs may log either. */
export function storableFailure({ code, message, logs }: TransactionFailure): TransactionFailure {
  const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed()
  return { code, message: clean(message), ...(logs && { logs: logs.map(clean) }) }
}

/** A refusal is final only while nothing was sent before: an earlier try may still land. */
export function onSendOutcome(row: TransactionRow, outcome: SendOutcome, now: string): TransactionChange {
  if (outcome.kind === 'accepted') return { sent_at: now, accepted: true }
  if (outcome.kind === 'unknown' || row.sent_at !== null) return { sent_at: now }
  return outcome.kind === 'early' ? {} : { status: 'failed', error: storableFailure(outcome.failure) }
}
