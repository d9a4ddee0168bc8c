import { sql } from 'kysely'
import type { Database } from '../db/tables.ts'
import type { StateRecord } from '../ledger/indexer/batch.ts'
import { readAccounts } from '../ledger/indexer/read-accounts.ts'
import { PROJECTIONS } from '../ledger/projections.ts'
import type { AuditContext, Difference } from './audit.ts'

const CHUNK = 1_000

export async function compareAccounts(
  context: AuditContext,
  pdas: readonly string[],
): Promise<Map<string, Difference[]>> {
  const differing = new Map<string, Difference[]>()
  for (let at = 0; at < pdas.length; at += CHUNK) {
    const chunk = pdas.slice(at, at + CHUNK)
    const { commitment, programId } = context
    const states = await readAccounts(context.rpc, chunk, { commitment, programId })
    for (const { table, columns } of PROJECTIONS) {
      const onLedger = new Map(
        states.flatMap((state) => state.rows.get(table) ?? []).map((row) => [row.pda, row]),
      )
      const stored = await storedRows(context, table, chunk)
      for (const pda of chunk) {
        const found = compareRow(table, pda, Object.keys(columns), onLedger.get(pda), stored.get(pda))
        if (found.length > 0) differing.set(pda, [...(differing.get(pda) ?? []), ...found])
      }
    }
    for (const letter of states.flatMap((state) => state.deadLetters)) {
      const { pda, reason } = letter
      if (pda !== null)
        differing.set(pda, [{ table: letter.kind, pda, field: '*', ledger: reason, database: undefined }])
    }
    context.onProgress?.({ stage: 'accounts', done: at + chunk.length, total: pdas.length })
  }
  return differing
}

async function storedRows(
  { orm }: AuditContext,
  table: keyof Database,
  pdas: readonly string[],
): Promise<Map<string, StateRecord>> {
  const { rows } = await sql<StateRecord>`
    select * from ${sql.table(table)} where pda = any(${pdas})`.execute(orm.em.fork().getKysely<Database>())
  return new Map(rows.map((row) => [row.pda, row]))
}

/** The differences of two rows with the same key; a row that one side lacks is one difference. */
export function compareRow(
  table: string,
  pda: string,
  fields: readonly string[],
  ledger: Record<string, unknown> | undefined,
  database: Record<string, unknown> | undefined,
): Difference[] {
  if (ledger === undefined && database === undefined) return []
  if (ledger === undefined || database === undefined) return [{ table, pda, field: '*', ledger, database }]
  return fields
    .filter((field) => JSON.stringify(ledger[field]) !== JSON.stringify(database[field]))
    .map((field) => ({ table, pda, field, ledger: ledger[field], database: database[field] }))
}
