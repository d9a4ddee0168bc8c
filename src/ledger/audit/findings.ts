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

  addUnreadable(deadLetters: readonly DeadLetterRow[]): void {
    for (const { kind, signature, pda, reason } of deadLetters)
      this.of(pda ?? signature ?? '').unreadable.push({ kind, signature, pda, reason })
  }
}

/** Compares the columns of the ledger's row. A row that one side lacks is one difference. */
export function compareRow(
  table: string,
  key: string,
  { ledger, database }: { ledger: object | undefined; database: object | undefined },
  ignoredColumns: readonly string[] = [],
): Difference[] {
  if (ledger === undefined && database === undefined) return []
  if (ledger === undefined || database === undefined) return [{ table, key, field: '*', ledger, database }]
  const stored = database as Record<string, unknown>
  const differences: Difference[] = []
  for (const [field, value] of Object.entries(ledger)) {
    const other = stored[field]
    if (value === other || ignoredColumns.includes(field) || isDeepStrictEqual(value, other)) continue
    differences.push({ table, key, field, ledger: value, database: other })
  }
  return differences
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
