import { Client } from 'pg'
import { afterAll, beforeEach, vi } from 'vitest'

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
