import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

const SCHEMA_VERSION = 1

const SCHEMA = `
  create table if not exists facts (name text primary key, value text not null) without rowid;
  create table if not exists blocks (
    slot integer primary key, parent_slot integer not null, height integer not null, blockhash text not null,
    previous_blockhash text not null, time integer not null, transactions integer not null);
  create table if not exists transactions (
    id integer primary key, signature text not null unique, time integer not null, err text, memo text,
    wire blob not null, keys text not null, meta text not null);
  create table if not exists addresses (id integer primary key, address text not null unique);
  create table if not exists address_transactions (
    address integer not null, id integer not null, primary key (address, id)) without rowid;
  create table if not exists accounts (
    address text primary key, lamports integer not null, owner text not null, data blob not null,
    executable integer not null, rent_epoch text not null);
`

/** A process, maybe this one, already uses the ledger in this directory. */
export class LedgerInUseError extends Error {
  override readonly name = 'LedgerInUseError'
}

/**
 * The SQLite database of a ledger. After a crash, SQLite restores complete commits from its
 * write-ahead log and ignores an incomplete one.
 */
export class Database {
  readonly #sqlite: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  /** @param dataDir null for a database in memory */
  constructor(dataDir: string | null) {
    if (dataDir !== null) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    this.#sqlite = new DatabaseSync(dataDir === null ? ':memory:' : join(dataDir, 'ledger.sqlite'))
    try {
      // The lock excludes other processes. The operating system releases it when this process ends.
      this.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full')
      this.exec('begin exclusive; commit')
      const { user_version: version } = this.sql('pragma user_version').get() as { user_version: number }
      if (version > SCHEMA_VERSION)
        throw new Error(`the ledger in ${dataDir} was created by a newer version of this program`)
      this.exec(`${SCHEMA} pragma user_version = ${SCHEMA_VERSION}`)
    } catch (error) {
      this.close()
      if (!/database is locked/.test((error as Error).message)) throw error
      throw new LedgerInUseError(`the ledger in ${dataDir} is already in use`)
    }
  }

  exec(sql: string): void {
    this.#sqlite.exec(sql)
  }

  /** The statement, which is prepared at its first use. */
  sql(text: string): StatementSync {
    const statement = this.#statements.get(text) ?? this.#sqlite.prepare(text)
    this.#statements.set(text, statement)
    return statement
  }

  /** Runs `work` in one transaction: either everything is stored or nothing. */
  atomically(work: () => void): void {
    this.exec('begin immediate')
    try {
      work()
      this.exec('commit')
    } catch (error) {
      if (this.#sqlite.isTransaction) this.exec('rollback')
      throw error
    }
  }

  close(): void {
    this.#sqlite.close()
  }
}
