import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import {
  type Connection,
  type ConnectionInput,
  connectionOf,
  cursorOf,
  firstOf,
  isText,
  keyAfter,
} from '../domain/connection.ts'
import { optional, pubkeyParameter } from '../domain/parameters.ts'
import { stakeColumns, type StakeRow } from './stake-row.ts'

export interface StakeWalkInput extends ConnectionInput {
  readonly owner?: string | null
  readonly agentPda?: string | null
}

/** Stakes after a cursor in the order of pda, in one statement. Throws INVALID_PUBKEY, INVALID_INTEGER and INVALID_CURSOR. */
export async function walkStakes(
  kysely: Kysely<Database>,
  input: StakeWalkInput,
): Promise<Connection<StakeRow>> {
  const owner = optional(pubkeyParameter, 'owner', input.owner)
  const agentPda = optional(pubkeyParameter, 'agentPda', input.agentPda)
  const first = firstOf(input)
  const [after] = keyAfter<readonly [string]>('stakes', input, [isText]) ?? []
  const conditions = [sql`true`]
  if (owner !== undefined) conditions.push(sql`owner = ${owner}`)
  if (agentPda !== undefined) conditions.push(sql`agent_pda = ${agentPda}`)
  if (after !== undefined) conditions.push(sql`pda > ${after}`)
  const { rows } = await sql<StakeRow>`
    select ${stakeColumns} from stakes where ${sql.join(conditions, sql` and `)}
    order by pda limit ${first + 1}`.execute(kysely)
  return connectionOf(rows, first, (row) => cursorOf('stakes', [row.pda]))
}
