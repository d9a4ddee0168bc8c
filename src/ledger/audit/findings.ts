import type { DeadLetterRow } from '../decode/rows.ts'

/** One field, or one whole row (`field` is `*`), that the ledger and the tables do not agree on. */
export interface Difference {
  table: string
  /** The row's: an account's address, an event's or a letter's id, or a transaction's signature. */
  key: string
  field: string
  /** Undefined where that side has no such row. */
  ledger: unknown
  database: unknown
}

/** What cannot be read from the ledger, such as events behind cut logs or an account of the wrong size. */
export type Unreadable = Pick<DeadLetterRow, 'kind' | 'signature' | 'pda' | 'reason'>

/** What comparing some accounts, or some transactions, brought. */
export interface Findings {
  /** By address, or by signature. */
  differing: Map<string, Difference[]>
  /** By signature. */
  events: Map<string, number>
  /** By the letter's id. */
  unreadable: Map<string, Unreadable>
}

export const noFindings = (): Findings => ({ differing: new Map(), events: new Map(), unreadable: new Map() })

export function addDifferences(findings: Findings, key: string, differences: readonly Difference[]): void {
  if (differences.length > 0)
    findings.differing.set(key, [...(findings.differing.get(key) ?? []), ...differences])
}

export function addUnreadable(findings: Findings, letters: readonly DeadLetterRow[]): void {
  for (const { id, kind, signature, pda, reason } of letters)
    findings.unreadable.set(id, { kind, signature, pda, reason })
}

/** The differences of two rows with the same key; a row that one side lacks is one difference. */
export function compareRow(
  table: string,
  key: string,
  fields: readonly string[],
  ledger: Record<string, unknown> | undefined,
  database: Record<string, unknown> | undefined,
): Difference[] {
  if (ledger === undefined && database === undefined) return []
  if (ledger === undefined || database === undefined) return [{ table, key, field: '*', ledger, database }]
  return fields
    .filter((field) => JSON.stringify(ledger[field]) !== JSON.stringify(database[field]))
    .map((field) => ({ table, key, field, ledger: ledger[field], database: database[field] }))
}
