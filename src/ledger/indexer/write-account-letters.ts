import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { PROJECTIONS } from '../decode/projections.ts'
import { type AccountStates, type DeadLetterRow, pdasOf } from '../decode/rows.ts'
import { writeDeadLetters } from './write/write-events.ts'

/**
 * Stores what could not be decoded, and drops the letters about accounts that have been read since. Of several reads the latest
 * counts; with `force`, after a fork, the one at hand.
 */
export async function writeAccountLetters(
  db: Kysely<Database>,
  states: readonly AccountStates[],
  force: boolean,
): Promise<void> {
  const readAt = new Map<string, number>()
  for (const state of states)
    for (const pda of pdasOf(state)) readAt.set(pda, Math.max(state.slot, readAt.get(pda) ?? 0))
  if (readAt.size === 0) return
  const reads = [...readAt].map(([pda, slot]) => ({ pda, slot }))
  await sql`
    delete from dead_letters d using json_to_recordset(${JSON.stringify(reads)}::json) as r(pda text, slot bigint)
    where d.pda = r.pda and (${force}::boolean or d.slot <= r.slot)`.execute(db)
  const letters = new Map<string, DeadLetterRow>()
  for (const letter of states.flatMap((state) => state.deadLetters))
    if (letter.slot === readAt.get(letter.pda ?? '')) letters.set(letter.id, letter)
  if (letters.size === 0) return
  const overtaken = force ? new Set() : await readLater(db, [...letters.values()])
  await writeDeadLetters(
    db,
    [...letters.values()].filter(({ id }) => !overtaken.has(id)),
  )
}

/** The letters whose accounts were read well at a later slot. */
async function readLater(db: Kysely<Database>, letters: readonly DeadLetterRow[]): Promise<Set<string>> {
  const overtaken = new Set<string>()
  const rows = sql`json_to_recordset(${JSON.stringify(letters)}::json) as r(id text, pda text, slot bigint)`
  for (const table of [...PROJECTIONS.map((projection) => projection.table), 'closed_accounts'] as const) {
    const later = await sql<{ id: string }>`
      select r.id from ${rows} join ${sql.table(table)} t on t.pda = r.pda and t.slot > r.slot`.execute(db)
    for (const { id } of later.rows) overtaken.add(id)
  }
  return overtaken
}
