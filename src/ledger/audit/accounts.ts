import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { type AccountStates, pdasOf, type StateRecord } from '../decode/rows.ts'
import { readAccounts } from '../indexer/fetch/fetch-accounts.ts'
import { PROJECTIONS } from '../decode/projections.ts'
import { addDifferences, addUnreadable, compareRow, type Findings, noFindings } from './findings.ts'
import type { AuditContext } from './options.ts'

/** Reads accounts and compares their rows; one that cannot be read must have a letter that says so, and no row. */
export async function compareAccounts(context: AuditContext, pdas: readonly string[]): Promise<Findings> {
  const { commitment, programId } = context
  const findings = noFindings()
  const states = await readAccounts(context.rpc, pdas, { commitment, programId })
  const letters = states.flatMap((state) => state.deadLetters)
  const reasons = new Map(letters.map(({ pda, reason }) => [pda, reason]))
  addUnreadable(findings, letters)
  for (const { table, columns } of PROJECTIONS) {
    const onLedger = new Map(
      states.flatMap((state) => state.rows.get(table) ?? []).map((row) => [row.pda, row]),
    )
    const stored = await storedRows<StateRecord>(context, table, pdas)
    for (const pda of pdas) {
      const found = compareRow(table, pda, Object.keys(columns), onLedger.get(pda), stored.get(pda)?.[0])
      const reason = reasons.get(pda)
      if (reason !== undefined) for (const each of found) each.ledger = reason
      addDifferences(findings, pda, found)
    }
  }
  await findClosed(context, states, findings)
  const storedLetters = await storedRows<{ id: string; pda: string }>(context, 'dead_letters', pdas)
  for (const pda of pdas) {
    const expected = new Map(letters.filter((each) => each.pda === pda).map((each) => [each.id, { ...each }]))
    const found = new Map((storedLetters.get(pda) ?? []).map((each) => [each.id, { ...each }]))
    for (const id of new Set([...expected.keys(), ...found.keys()]))
      addDifferences(
        findings,
        pda,
        compareRow('dead_letters', id, ['kind', 'data'], expected.get(id), found.get(id)),
      )
  }
  return findings
}

/** An account that is open and remembered as closed would never be written again. */
async function findClosed(
  context: AuditContext,
  states: readonly AccountStates[],
  findings: Findings,
): Promise<void> {
  const open = states.flatMap((state) => pdasOf({ ...state, closed: [] }))
  const stored = await storedRows<{ pda: string }>(context, 'closed_accounts', open)
  for (const [pda, [row]] of stored)
    addDifferences(findings, pda, compareRow('closed_accounts', pda, [], undefined, row))
}

/** By account. */
async function storedRows<Row extends { pda: string }>(
  { orm }: AuditContext,
  table: keyof Database,
  pdas: readonly string[],
): Promise<Map<string, Row[]>> {
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)} where pda = any(${pdas})`.execute(orm.em.fork().getKysely())
  return Map.groupBy(rows, (row) => row.pda)
}
