import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

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
 * Opens the SQLite database of a ledger, or one in memory. After a crash, SQLite restores complete
 * commits from its write-ahead log and ignores an incomplete one.
 */
export function openDatabase(dataDir: string | null): DatabaseSync {
  if (dataDir !== null) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(dataDir === null ? ':memory:' : join(dataDir, 'ledger.sqlite'))
  try {
    // The lock excludes other processes. The operating system releases it when this process ends.
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full')
    database.exec('begin exclusive; commit')
  } catch (error) {
    database.close()
    if (!/database is locked/.test((error as Error).message)) throw error
    throw new LedgerInUseError(`the ledger in ${dataDir} is already in use`)
  }
  const { user_version: version } = database.prepare('pragma user_version').get() as { user_version: number }
  if (version > SCHEMA_VERSION) {
    database.close()
    throw new Error(`the ledger in ${dataDir} was created by a newer version of this program`)
  }
  database.exec(`${SCHEMA} pragma user_version = ${SCHEMA_VERSION}`)
  return database
}

/** Runs `work` in one transaction: either everything is stored or nothing. */
export function atomically<T>(database: DatabaseSync, work: () => T): T {
  database.exec('begin immediate')
  try {
    const result = work()
    database.exec('commit')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}
