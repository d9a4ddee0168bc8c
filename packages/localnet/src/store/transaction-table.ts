import type { Pubkey } from '@agent-registry/solana'
import type { TransactionMeta, TransactionRecord } from '../bank/execute.ts'
import type { TransactionError } from '../vm/transaction-errors.ts'
import type { Database } from './database.ts'

/** The part of a transaction that lists of signatures contain. */
export type TransactionSummary = Pick<
  TransactionRecord,
  'slot' | 'index' | 'signature' | 'blockTime' | 'memo'
> & { readonly err: TransactionError | null }

export interface SignatureRange {
  readonly address: Pubkey
  readonly maxSlot: number
  /** Only transactions older than this one. */
  readonly before?: string | undefined
  /** Only transactions newer than this one. */
  readonly until?: string | undefined
}

interface Row {
  id: number
  signature: string
  time: number
  err: string | null
  memo: string | null
}

interface FullRow extends Row {
  wire: Uint8Array
  keys: string
  meta: string
}

// An id is slot * BLOCK_ROOM + index. Ids are in ledger order and exact as JavaScript numbers.
const BLOCK_ROOM = 2 ** 20

export class TransactionTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  insert(record: TransactionRecord): void {
    const { slot, index, signature, blockTime, wire, keys, meta, memo } = record
    const id = slot * BLOCK_ROOM + index
    const err = meta.err === null ? null : JSON.stringify(meta.err)
    this.#database
      .sql('insert into transactions values (?, ?, ?, ?, ?, ?, ?, ?)')
      .run(id, signature, blockTime, err, memo, wire, keys.join(), JSON.stringify(meta))
    const link = 'insert or ignore into address_transactions select id, ? from addresses where address = ?'
    for (const key of keys) {
      this.#database.sql('insert into addresses (address) values (?) on conflict do nothing').run(key)
      this.#database.sql(link).run(id, key)
    }
  }

  find(signature: string): TransactionRecord | null {
    const row = this.#database.sql('select * from transactions where signature = ?').get(signature)
    return row === undefined ? null : toRecord(row as unknown as FullRow)
  }

  summary(signature: string): TransactionSummary | null {
    const sql = 'select id, signature, time, err, memo from transactions where signature = ?'
    const row = this.#database.sql(sql).get(signature)
    return row === undefined ? null : toSummary(row as unknown as Row)
  }

  inBlock(slot: number): TransactionRecord[] {
    const sql = 'select * from transactions where id >= ? and id < ? order by id'
    const rows = this.#database.sql(sql).all(slot * BLOCK_ROOM, (slot + 1) * BLOCK_ROOM)
    return (rows as unknown as FullRow[]).map(toRecord)
  }

  /**
   * Newest first. If `before` is not in the ledger, the page is empty. If `until` is not, the page
   * has no lower limit.
   */
  page({ address, maxSlot, before, until }: SignatureRange, limit: number): TransactionSummary[] {
    const end = (maxSlot + 1) * BLOCK_ROOM
    const newest = before === undefined ? end : Math.min(this.#id(before), end)
    const oldest = until === undefined ? -1 : this.#id(until)
    const sql = `select t.id, t.signature, t.time, t.err, t.memo from addresses a
      join address_transactions l on l.address = a.id join transactions t on t.id = l.id
      where a.address = ? and l.id < ? and l.id > ? order by l.id desc limit ?`
    const rows = this.#database.sql(sql).all(address, newest, oldest, limit)
    return (rows as unknown as Row[]).map(toSummary)
  }

  deleteAfter(slot: number): void {
    const first = (slot + 1) * BLOCK_ROOM
    this.#database.sql('delete from transactions where id >= ?').run(first)
    this.#database.sql('delete from address_transactions where id >= ?').run(first)
  }

  #id(signature: string): number {
    const summary = this.summary(signature)
    return summary === null ? -1 : summary.slot * BLOCK_ROOM + summary.index
  }
}

function toSummary({ id, signature, time, err, memo }: Row): TransactionSummary {
  return {
    slot: Math.floor(id / BLOCK_ROOM),
    index: id % BLOCK_ROOM,
    signature,
    blockTime: time,
    err: err === null ? null : (JSON.parse(err) as TransactionError),
    memo,
  }
}

function toRecord(row: FullRow): TransactionRecord {
  const keys = row.keys.split(',') as Pubkey[]
  return { ...toSummary(row), wire: row.wire, keys, meta: JSON.parse(row.meta) as TransactionMeta }
}
