import { sql } from 'kysely'
import { type RowOf, type Selection, selectionOf } from '../db/columns-of.ts'
import { Agent } from '../db/entities/agents.ts'
import { Stake } from '../db/entities/ledger-accounts.ts'
import { valueParsers } from '../db/value-parsers.ts'
import type { RunQuery } from './changes.ts'
import type { Parsers } from './table-copy.ts'

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

/** Columns of a copy, whose values are all read as text, and the places of some of them. */
export function packedColumns<Name extends string>(
  { names, fields }: Selection,
  more: Readonly<Record<Name, string>>,
): { readonly columns: readonly string[]; readonly fieldOf: (name: string) => number } {
  const all = [...names, ...Object.keys(more)]
  return {
    columns: [...fields, ...Object.values<string>(more)].map((field) => `(${field})::text`),
    fieldOf: (name) => all.indexOf(name),
  }
}

/** Reads how texts of the columns become values: as for all other statements. */
export async function readParsers({ names, fields }: Selection, query: RunQuery): Promise<Parsers> {
  const [table] = fields[0]!.split('.')
  const types = fields.map((field) => `pg_typeof(${field})::oid::int4`).join(', ')
  const [row] = await query(`select ${types} from (select) as one left join ${table} on false`, [])
  return new Map(
    names.map((name, i) => [name, valueParsers.getTypeParser(row![i] as number) as (text: string) => unknown]),
  )
}
