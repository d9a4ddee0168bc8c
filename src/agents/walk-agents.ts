import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import {
  type Connection,
  type ConnectionInput,
  connectionOf,
  cursorOf,
  firstOf,
  isInteger,
  isText,
  isTime,
  keyAfter,
} from '../domain/connection.ts'
import { coarseConditions, fineConditions, where } from './agent-conditions.ts'
import { type AgentFilterInput, type AgentQuery, agentQuery, REPUTATION_RANGE } from './agent-filter.ts'
import { agentColumns, type AgentRow } from './agent-row.ts'

export interface AgentWalkInput extends AgentFilterInput, ConnectionInput {
  readonly sort?: string | null
  readonly order?: string | null
}

type Key = readonly [rank: string | number, pda: string]

interface Rank {
  readonly column: RawBuilder<unknown>
  readonly type: RawBuilder<unknown>
  readonly of: (row: AgentRow) => string | number
  readonly check: (part: unknown) => part is string | number
}

/** How each order is kept in the table, and what of a row stands in a cursor. */
const RANKS: Record<AgentQuery['sort'], Rank> = {
  created_at: { column: sql`created_at`, type: sql`timestamptz`, of: (row) => row.createdAt, check: isTime },
  reputation: {
    column: sql`reputation_score`,
    type: sql`integer`,
    of: (row) => row.reputationScore,
    check: isReputation,
  },
  name: { column: sql`name collate "C"`, type: sql`text`, of: (row) => row.name, check: isText },
  similarity: {
    column: sql`similarity`,
    type: sql`float4`,
    of: (row) => row.nameSimilarity ?? 0,
    check: isSimilarity,
  },
}

function isReputation(part: unknown): part is number {
  return isInteger(part) && part >= REPUTATION_RANGE.min && part <= REPUTATION_RANGE.max
}

function isSimilarity(part: unknown): part is number {
  return typeof part === 'number' && part >= 0 && part <= 1
}

/** The agents after a cursor in the orders of `listAgents`, in one statement. Throws what that throws, and INVALID_CURSOR. */
export async function walkAgents(
  kysely: Kysely<Database>,
  input: AgentWalkInput,
): Promise<Connection<AgentRow>> {
  const { first: _first, after: _after, ...filter } = input
  const query = agentQuery(filter)
  const first = firstOf(input)
  const rank = RANKS[query.sort]
  const list = `agents/${query.sort}/${query.order}`
  const key = keyAfter<Key>(list, input, [rank.check, isText])
  const conditions = [...fineConditions(query), ...coarseConditions(query)]
  const direction = query.order === 'asc' ? sql`asc` : sql`desc`
  const behind = key === undefined ? [] : [behindKey(rank, query, key)]
  const page = sql`order by ${rank.column} ${direction}, pda limit ${first + 1}`
  const statement =
    query.name === undefined
      ? sql<AgentRow>`select ${agentColumns} from agents ${where([...conditions, ...behind])} ${page}`
      : sql<AgentRow>`
        with agents as materialized (
          select *, similarity(name, ${query.name}) as similarity from agents ${where(conditions)}
        )
        select ${agentColumns}, similarity as "nameSimilarity" from agents ${where(behind)} ${page}`
  const { rows } = await statement.execute(kysely)
  return connectionOf(rows, first, (row) => cursorOf(list, [rank.of(row), row.pda]))
}

/** Of two conditions the first is there for the index: by it alone the scan begins at the cursor. */
function behindKey({ column, type }: Rank, { order }: AgentQuery, [value, pda]: Key): RawBuilder<unknown> {
  const bound = sql`${value}::${type}`
  return order === 'asc'
    ? sql`${column} >= ${bound} and (${column} > ${bound} or pda > ${pda})`
    : sql`${column} <= ${bound} and (${column} < ${bound} or pda > ${pda})`
}
