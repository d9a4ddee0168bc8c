import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

/** Runs SQL and prepares each statement only once. */
export class Sql {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#prepare(sql).run(...values)
  }

  /** Returns null if there is no row. */
  get(sql: string, ...values: SQLInputValue[]): unknown {
    return this.#prepare(sql).get(...values) ?? null
  }

  all(sql: string, ...values: SQLInputValue[]): unknown[] {
    return this.#prepare(sql).all(...values)
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
