import { describe, expect, test } from 'vitest'
import type { LedgerStatus } from '../../../src/transactions/fetch-statuses.ts'
import {
  DROPPED,
  EXPIRED,
  OUTCOME_UNKNOWN,
  type TransactionChange,
  type TransactionRow,
} from '../../../src/transactions/transaction-store.ts'
import { SEARCH_LIMITS } from '../../../src/transactions/limits.ts'
import type { SearchResult } from '../../../src/transactions/search-ledger.ts'
import {
  isExpired,
  onLedgerStatus,
  onSearchResult,
  onSeen,
  onSendOutcome,
  type SendOutcome,
} from '../../../src/transactions/transitions.ts'
import { SUBMITTED } from './submitted-row.ts'

const [EARLIER, NOW] = ['2026-11-21T08:00:00.000Z', '2026-11-21T08:00:05.000Z']
const FAILURE = { code: 'execution_failed', message: 'no' } as const
const REFUSAL = { code: 'simulation_failed', message: 'no' } as const
const SENT = { signature: 'sent by the wallet', signedTx: 'AQ==' }

const row = (change: Partial<TransactionRow> = {}): TransactionRow =>
  ({ ...SUBMITTED, signedTx: 'AA==', ...change }) as TransactionRow
const prepared = { status: 'simulated', signedTx: null } as const
const confirmed = { status: 'confirmed', slot: 7, landed: true } as const
const failed = { status: 'failed', slot: 7, landed: true, error: FAILURE } as const
const refused = { status: 'failed', error: REFUSAL } as const
const forked = { status: 'submitted', slot: null, landed: true } as const

const landed = (finality: 'confirmed' | 'finalized', failure: typeof FAILURE | null = null) =>
  ({ kind: 'landed', slot: 9, finality, failure }) as const
const absent: LedgerStatus = { kind: 'absent', expired: false }
const gone: LedgerStatus = { kind: 'absent', expired: true }

const onLedger = { slot: 9, landed: true, misses: 0 } as const
const seenAs = (settled: boolean, error: typeof FAILURE | null = null): TransactionChange => ({
  ...onLedger,
  status: error === null ? 'confirmed' : 'failed',
  error,
  settled,
})
const ended = (error: typeof EXPIRED): TransactionChange => ({
  status: 'failed',
  error,
  slot: null,
  misses: 0,
  settled: true,
})
const again: TransactionChange = { status: 'submitted', error: null, slot: null, misses: 0 }

test.each<[string, Partial<TransactionRow>, LedgerStatus, TransactionChange]>([
  ['in a block that can be removed', {}, { kind: 'processed' }, { misses: 0 }],
  ['confirmed, then in another block', { ...confirmed, misses: 1 }, { kind: 'processed' }, { misses: 0 }],
  ['confirmed', {}, landed('confirmed'), seenAs(false)],
  ['finalized', { ...confirmed, misses: 1 }, landed('finalized'), seenAs(true)],
  ['confirmed as failed', {}, landed('confirmed', FAILURE), seenAs(false, FAILURE)],
  ['finalized as failed', failed, landed('finalized', FAILURE), seenAs(true, FAILURE)],
  ['confirmed although it was refused', refused, landed('confirmed'), seenAs(false)],
  ['absent and not seen before', { misses: 5 }, absent, { misses: 0 }],
  ['absent after a refusal', { ...refused, misses: 5 }, absent, { misses: 0 }],
  ['absent for the first time after it was seen', confirmed, absent, { misses: 1 }],
  ['absent for the second time after it was seen', { ...confirmed, misses: 1 }, absent, again],
  ['absent for the second time after it failed', { ...failed, misses: 1 }, absent, again],
  ['absent after a fork removed it', { ...forked, misses: 1 }, absent, { misses: 0 }],
  ['expired and absent for the first time', {}, gone, { misses: 1 }],
  ['expired and absent for the first time after it was seen', confirmed, gone, { misses: 1 }],
  ['expired and absent for the second time', { misses: 1 }, gone, ended(EXPIRED)],
  ['expired and absent for the third time', { misses: 2 }, gone, ended(EXPIRED)],
  ['expired after a fork removed it', { ...forked, misses: 1 }, gone, ended(DROPPED)],
  ['expired and removed at once', { ...confirmed, misses: 1 }, gone, ended(DROPPED)],
  ['expired and removed after it failed', { ...failed, misses: 1 }, gone, ended(DROPPED)],
  ['expired and absent once after a refusal', refused, gone, { misses: 1 }],
  ['expired after a refusal, which stays the reason', { ...refused, misses: 1 }, gone, { settled: true }],
])('the status on the ledger: %s', (_, state, status, change) => {
  expect(onLedgerStatus(row(state), status)).toEqual(change)
})

test('a transaction has expired exactly when its status on the ledger would settle it as not landed', () => {
  expect(isExpired(row({ misses: 9 }), undefined)).toBe(false)
  for (const state of [{}, confirmed, failed, refused, forked])
    for (const misses of [0, 1, 2])
      for (const status of [{ kind: 'processed' } as const, landed('finalized'), absent, gone]) {
        const isSettled =
          status.kind !== 'landed' && onLedgerStatus(row({ ...state, misses }), status).settled
        expect(isExpired(row({ ...state, misses }), status)).toBe(isSettled ?? false)
      }
})

const bySearch = {
  ...again,
  sentAt: NOW,
  accepted: true,
  signature: SENT.signature,
  signedTx: SENT.signedTx,
  nextCheckAt: NOW,
}
const found: SearchResult = { kind: 'found', ...SENT }
const unknown: SearchResult = { kind: 'unknown' }
const LAST = SEARCH_LIMITS.attempts - 1

test.each<[string, Partial<TransactionRow>, SearchResult | undefined, TransactionChange]>([
  ['found', { ...prepared, misses: 3 }, found, bySearch],
  ['found after it was sent here', { sentAt: EARLIER }, found, { ...bySearch, sentAt: EARLIER }],
  ['found after a refusal', refused, found, bySearch],
  ['absent', prepared, { kind: 'absent' }, ended(EXPIRED)],
  ['absent after a fork', forked, { kind: 'absent' }, ended(DROPPED)],
  ['absent after a refusal', refused, { kind: 'absent' }, { settled: true }],
  ['unknown', {}, unknown, ended(OUTCOME_UNKNOWN)],
  ['unknown after a refusal', refused, unknown, { settled: true }],
  ['without a result', {}, undefined, { misses: 1 }],
  ['before the last attempt', { misses: LAST - 1 }, undefined, { misses: LAST }],
  ['after the last attempt', { misses: LAST }, undefined, ended(OUTCOME_UNKNOWN)],
])('the search: %s', (_, state, result, change) => {
  expect(onSearchResult(row(state), result, NOW)).toEqual(change)
})

describe('what the indexer saw', () => {
  const seen = (failure: typeof FAILURE | null = null) => ({ ...SENT, ...landed('confirmed', failure) })
  const asSeen = { ...bySearch, ...onLedger, settled: false }

  test.each<[string, Partial<TransactionRow>, typeof FAILURE | null, TransactionChange]>([
    ['a success of a prepared one', prepared, null, { status: 'confirmed' }],
    ['a failure of a prepared one', prepared, FAILURE, { status: 'failed', error: FAILURE }],
    [
      'a success after another version failed',
      { ...failed, sentAt: EARLIER },
      null,
      { sentAt: EARLIER, status: 'confirmed' },
    ],
  ])('%s counts', (_, state, failure, change) => {
    expect(onSeen(row(state), seen(failure), NOW)).toEqual({ ...asSeen, ...change })
  })

  test.each<[string, Partial<TransactionRow>, typeof FAILURE | null]>([
    ['a prepared one that is settled', { status: 'failed', signedTx: null, settled: true }, null],
    ['a submitted one', {}, null],
    ['a confirmed one', confirmed, null],
    ['a second failure', failed, FAILURE],
    ['a success after the failure was finalized', { ...failed, settled: true }, null],
    ['a success after a refusal', refused, null],
    ['a success after a fork removed the failure', forked, null],
  ])('%s does not change', (_, state, failure) => {
    expect(onSeen(row(state), seen(failure), NOW)).toBeNull()
  })
})

test.each<[string, SendOutcome, first: TransactionChange, later: TransactionChange]>([
  ['accepted', { kind: 'accepted' }, { sentAt: NOW, accepted: true }, { sentAt: NOW, accepted: true }],
  ['unknown', { kind: 'unknown' }, { sentAt: NOW }, { sentAt: NOW }],
  ['too early', { kind: 'too_early' }, {}, { sentAt: NOW }],
  ['refused', { kind: 'refused', failure: REFUSAL }, { status: 'failed', error: REFUSAL }, { sentAt: NOW }],
])('the outcome of a send: %s, the first time and after an earlier send', (_, outcome, first, later) => {
  expect(onSendOutcome(row(), outcome, NOW)).toEqual(first)
  expect(onSendOutcome(row({ sentAt: EARLIER }), outcome, NOW)).toEqual(later)
})
