import { sql } from 'kysely'
import { type RowOf, type Selection, selectionOf } from '../db/columns-of.ts'
import { Agent } from '../db/entities/agents.ts'
import { Stake } from '../db/entities/ledger-accounts.ts'
import { valueParsers } from '../db/value-parsers.ts'
import type { RunQuery } from './changes.ts'
import type { Parser } from './table-copy.ts'

/** Columns that the read API does not show. */
const HIDDEN_OF_AGENTS = [
  'agentCardHash',
  'suspendedByAdmin',
  'reputationChangeToday',
  'reputationDayStart',
  'reputationUpdatedAt',
  'tierEffectiveAt',
  'bump',
  'slot',
  'searchXid',
] as const
const HIDDEN_OF_STAKES = ['bump', 'slot', 'searchXid'] as const

/** An agent as the read API shows it. */
export type AgentRow = Omit<RowOf<typeof Agent>, (typeof HIDDEN_OF_AGENTS)[number]> & {
  /** 0 to 1, only in a search by name. */
  nameSimilarity?: number
}

/** A stake account as the read API shows it. */
export type StakeRow = Omit<RowOf<typeof Stake>, (typeof HIDDEN_OF_STAKES)[number]>

export const agentSelection = selectionOf(Agent, HIDDEN_OF_AGENTS)
export const stakeSelection = selectionOf(Stake, HIDDEN_OF_STAKES)

export const agentColumns = sql.raw(agentSelection.columns.join(', '))
export const stakeColumns = sql.raw(stakeSelection.columns.join(', '))

/**
 * Columns of a copy, all as text, and their places. Those that are not in rows are near the start.
 */
export function packedColumns(
  { names, fields }: Selection,
  more: Readonly<Record<string, string>> = {},
): { readonly columns: readonly string[]; readonly fieldOf: (name: string) => number } {
  const order = [names[0]!, ...Object.keys(more), ...names.slice(1)]
  const all = [fields[0]!, ...Object.values(more), ...fields.slice(1)]
  return { columns: all.map((field) => `(${field})::text`), fieldOf: (name) => order.indexOf(name) }
}

/** How values of rows are read: as in all other statements. */
export async function readParsers(
  { names, fields }: Selection,
  fieldOf: (name: string) => number,
  query: RunQuery,
): Promise<Parser[]> {
  const [table] = fields[0]!.split('.')
  const types = fields.map((field) => `pg_typeof(${field})::oid::int4`).join(', ')
  const [row] = await query(`select ${types} from (select) as one left join ${table} on false`, [])
  return names.map((name, i) => ({
    name,
    field: fieldOf(name),
    parse: valueParsers.getTypeParser(row![i] as number) as Parser['parse'],
  }))
}
