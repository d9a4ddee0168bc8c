import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { DeadLetterRow } from '../decode/rows.ts'
import type { Orm } from '../../db/orm-types.ts'
import type { LedgerRpc } from '../rpc/ledger-rpc.ts'

/** A column, or a whole row (`field` is `*`), that differs between the ledger and the tables. */
export interface Difference {
  table: string
  /** The key of the row. */
  key: string
  field: string
  /** Undefined if that side has no such row. */
  ledger: unknown
  database: unknown
}

/** Data of the ledger that cannot be read, such as an event of an unknown type. */
export type Unreadable = Pick<DeadLetterRow, 'kind' | 'signature' | 'pda' | 'reason'>

/** The result of comparing one account or one transaction. */
export interface Findings {
  differences: Difference[]
  unreadable: Unreadable[]
  events: number
}

export const noFindings = (): Findings => ({ differences: [], unreadable: [], events: 0 })

/** Findings by address or signature. */
export class FindingsByKey extends Map<string, Findings> {
  of(key: string): Findings {
    const findings = this.get(key) ?? noFindings()
    this.set(key, findings)
    return findings
  }

  add(differences: readonly Difference[], keyOf = ({ key }: Difference): string => key): void {
    for (const difference of differences) this.of(keyOf(difference)).differences.push(difference)
  }

  addUnreadable(deadLetters: readonly DeadLetterRow[]): void {
    for (const { kind, signature, pda, reason } of deadLetters)
      this.of(pda ?? signature ?? '').unreadable.push({ kind, signature, pda, reason })
  }
}

type Row = Record<string, unknown>

/**
 * Compares the rows of a table by the column `key`: the columns that the ledger's rows have. A row
 * that one side lacks is one difference.
 */
export function compareRows(
  table: string,
  key: string,
  sides: { ledger: readonly object[]; database: readonly object[] },
  ignoredColumns: readonly string[] = [],
): Difference[] {
  const byKey = (rows: readonly object[]) => new Map((rows as Row[]).map((row) => [String(row[key]), row]))
  const [expected, stored] = [byKey(sides.ledger), byKey(sides.database)]
  return [...new Set([...expected.keys(), ...stored.keys()])].flatMap((id) => {
    const [ledger, database] = [expected.get(id), stored.get(id)]
    if (ledger === undefined || database === undefined)
      return [{ table, key: id, field: '*', ledger, database }]
    return Object.entries(ledger).flatMap(([field, value]) => {
      const other = database[field]
      const isSame = value === other || ignoredColumns.includes(field) || isDeepStrictEqual(value, other)
      return isSame ? [] : [{ table, key: id, field, ledger: value, database: other }]
    })
  })
}

const RECHECK_MS = 250

/** Compares what differs again until it agrees or `settleMs` has passed. Returns the rest. */
export async function recheck<Item>(
  { settleMs, signal }: Pick<AuditContext, 'settleMs' | 'signal'>,
  differing: Item[],
  compare: (differing: Item[]) => Promise<Item[]>,
): Promise<Item[]> {
  const deadline = performance.now() + settleMs
  let left = differing
  while (left.length > 0 && performance.now() < deadline) {
    await delay(RECHECK_MS, undefined, { signal })
    left = await compare(left)
  }
  return left
}

/** For work that reads the whole ledger. */
export interface LedgerScanOptions {
  orm: Orm
  rpc: LedgerRpc
  programId: string
  commitment?: 'confirmed' | 'finalized'
  /** Transactions per batch. */
  batchSize?: number
  /** Maximum batches in progress. Together with `batchSize` it bounds memory. */
  inFlight?: number
  onProgress?: (progress: { stage: 'accounts' | 'transactions'; done: number; total: number }) => void
}

export interface AuditOptions extends LedgerScanOptions {
  /** How long a difference must last, because the indexer may be about to write the row. */
  settleMs?: number
}

export interface AuditContext extends Required<AuditOptions> {
  signal: AbortSignal
}
