import { Client } from 'pg'
import { afterAll, beforeEach, vi } from 'vitest'
import type { Orm } from '../../src/db/orm-types.ts'
import { openSession } from '../../src/db/session.ts'

/**
 * Records the statements of each test in this file, and executes them. A connection keeps the
 * method that exists when it is created, so no connection may exist yet.
 */
export function recordStatements() {
  const statements = vi.spyOn(Client.prototype, 'query')
  beforeEach(() => void statements.mockClear())
  afterAll(() => statements.mockRestore())
  return statements
}

/** The plan of a recorded statement. `options` are those of EXPLAIN. */
export async function planOf(
  orm: Orm,
  statement: unknown,
  options = '',
  ...settings: string[]
): Promise<string> {
  const { text, values } = statement as { text: string; values: unknown[] }
  const client = await openSession(orm)
  for (const setting of settings) await client.query(setting)
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${options} ${text}`, values)
  await client.end()
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}
