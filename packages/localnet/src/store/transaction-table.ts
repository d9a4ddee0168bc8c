import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Pubkey } from '@agent-registry/solana'
import type { TransactionMeta, TransactionRecord } from '../bank/transaction-record.ts'
import type { TransactionError } from '../vm/transaction-error.ts'

/** What lists of signatures show of a transaction. */
export interface TransactionSummary {
  readonly slot: number
  readonly index: number
  readonly signature: string
  readonly blockTime: number
  readonly err: TransactionError | null
  readonly memo: string | null
}

export interface SignatureRange {
  readonly address: Pubkey
  readonly maxSlot: number
  /** Only transactions older than this one. */
  readonly before?: string | undefined
  /** Only transactions newer than this one. */
  readonly until?: string | undefined
}

interface SummaryRow {
  id: number
  signature: string
  time: number
  err: string | null
  memo: string | null
}

interface FullRow extends SummaryRow {
  wire: Uint8Array
  keys: string
  meta: string
}

const SUMMARY = 't.id, t.signature, t.time, t.err, t.memo'
// An id is slot * BLOCK_ROOM + position, which keeps ledger order and fits a JavaScript number.
const BLOCK_ROOM = 2 ** 20

export class TransactionTable {
  readonly #statements: Record<
    'insert' | 'intern' | 'index' | 'find' | 'summary' | 'block' | 'page',
    StatementSync
  >
  readonly #deletions: readonly StatementSync[]

  constructor(database: DatabaseSync) {
    const statement = (sql: string): StatementSync => database.prepare(sql)
    this.#statements = {
      insert: statement(`insert into transactions (id, signature, time, err, memo, wire, keys, meta)
        values (?, ?, ?, ?, ?, ?, ?, ?)`),
      intern: statement('insert into addresses (address) values (?) on conflict do nothing'),
      index: statement(
        'insert or ignore into address_transactions select id, ? from addresses where address = ?',
      ),
      find: statement('select * from transactions where signature = ?'),
      summary: statement(`select ${SUMMARY} from transactions t where signature = ?`),
      block: statement('select * from transactions where id >= ? and id < ? order by id'),
      page: statement(`select ${SUMMARY} from addresses a
        join address_transactions l on l.address = a.id join transactions t on t.id = l.id
        where a.address = ? and l.id < ? and l.id > ? order by l.id desc limit ?`),
    }
    this.#deletions = ['transactions', 'address_transactions'].map((table) =>
      statement(`delete from ${table} where id >= ?`),
    )
  }

  insert(record: TransactionRecord): void {
    const { slot, index, signature, blockTime, wire, keys, meta, memo } = record
    const id = slot * BLOCK_ROOM + index
    const err = meta.err === null ? null : JSON.stringify(meta.err)
    const { insert, intern, index: link } = this.#statements
    insert.run(id, signature, blockTime, err, memo, wire, keys.join(), JSON.stringify(meta))
    for (const key of keys) {
      intern.run(key)
      link.run(id, key)
    }
  }

  find(signature: string): TransactionRecord | null {
    const row = this.#statements.find.get(signature) as unknown as FullRow | undefined
    return row === undefined ? null : toRecord(row)
  }

  summary(signature: string): TransactionSummary | null {
    const row = this.#statements.summary.get(signature) as unknown as SummaryRow | undefined
    return row === undefined ? null : toSummary(row)
  }

  inBlock(slot: number): TransactionRecord[] {
    const rows = this.#statements.block.all(slot * BLOCK_ROOM, (slot + 1) * BLOCK_ROOM)
    return (rows as unknown as FullRow[]).map(toRecord)
  }

  /** Newest first. An unknown `before` or `until` signature bounds nothing below, and everything above. */
  page({ address, maxSlot, before, until }: SignatureRange, limit: number): TransactionSummary[] {
    const newest = before === undefined ? (maxSlot + 1) * BLOCK_ROOM : this.#id(before)
    const oldest = until === undefined ? -1 : this.#id(until)
    const below = Math.min(newest, (maxSlot + 1) * BLOCK_ROOM)
    const rows = this.#statements.page.all(address, below, oldest, limit)
    return (rows as unknown as SummaryRow[]).map(toSummary)
  }

  deleteAfter(slot: number): void {
    for (const statement of this.#deletions) statement.run((slot + 1) * BLOCK_ROOM)
  }

  #id(signature: string): number {
    const summary = this.summary(signature)
    return summary === null ? -1 : summary.slot * BLOCK_ROOM + summary.index
  }
}

function toSummary({ id, signature, time, err, memo }: SummaryRow): TransactionSummary {
  const slot = Math.floor(id / BLOCK_ROOM)
  return {
    slot,
    index: id % BLOCK_ROOM,
    signature,
    blockTime: time,
    err: err === null ? null : (JSON.parse(err) as TransactionError),
    memo,
  }
}

function toRecord(row: FullRow): TransactionRecord {
  const { slot, index, signature, blockTime, memo } = toSummary(row)
  const keys = row.keys.split(',') as Pubkey[]
  const meta = JSON.parse(row.meta) as TransactionMeta
  return { slot, index, signature, blockTime, memo, wire: row.wire, keys, meta }
}
