import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { ACCOUNT_TABLES } from '../decode/account-rows.ts'
import { pdasOf } from '../decode/decode-account.ts'
import { fetchAccounts } from '../indexer/fetch/fetch-accounts.ts'
import { compareRow, FindingsByKey } from './findings.ts'
import type { AuditContext } from './options.ts'

/** Reads accounts and compares their rows. One that cannot be read has a dead letter and no row. */
export async function compareAccounts(
  context: AuditContext,
  pdas: readonly string[],
): Promise<FindingsByKey> {
  const findings = new FindingsByKey()
  const snapshots = await fetchAccounts(context.rpc, pdas, context)
  const deadLetters = snapshots.flatMap((snapshot) => snapshot.deadLetters)
  const reasons = new Map(deadLetters.map(({ pda, reason }) => [pda, reason]))
  findings.addUnreadable(deadLetters)
  for (const table of ACCOUNT_TABLES) {
    const rows = snapshots.flatMap((snapshot) => snapshot.rows.get(table) ?? [])
    const expected = new Map(rows.map((row) => [row.pda, row]))
    const stored = await loadRows(context, table, pdas)
    for (const pda of pdas) {
      const sides = { ledger: expected.get(pda), database: stored.get(pda)?.[0] }
      const differences = compareRow(table, pda, sides, ['slot'])
      const reason = reasons.get(pda)
      if (reason !== undefined) for (const difference of differences) difference.ledger = reason
      findings.of(pda).differences.push(...differences)
    }
  }
  // An open account that is stored as closed would never be written again.
  const open = snapshots.flatMap((snapshot) => pdasOf({ ...snapshot, closed: [] }))
  for (const [pda, [database]] of await loadRows(context, 'closed_accounts', open))
    findings.of(pda).differences.push(...compareRow('closed_accounts', pda, { ledger: undefined, database }))
  const storedDeadLetters = await loadRows<{ id: string; pda: string }>(context, 'dead_letters', pdas)
  for (const pda of pdas) {
    const expected = new Map(deadLetters.filter((row) => row.pda === pda).map((row) => [row.id, row]))
    const stored = new Map((storedDeadLetters.get(pda) ?? []).map((row) => [row.id, row]))
    for (const id of new Set([...expected.keys(), ...stored.keys()])) {
      const sides = { ledger: expected.get(id), database: stored.get(id) }
      findings.of(pda).differences.push(...compareRow('dead_letters', id, sides, ['slot', 'reason']))
    }
  }
  return findings
}

/** By address. */
async function loadRows<Row extends { pda: string }>(
  { orm }: AuditContext,
  table: keyof Database,
  pdas: readonly string[],
): Promise<Map<string, Row[]>> {
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)} where pda = any(${pdas})`.execute(orm.em.fork().getKysely())
  return Map.groupBy(rows, (row) => row.pda)
}
