import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Block } from '../bank/block.ts'

interface BlockRow {
  slot: number
  parent_slot: number
  height: number
  blockhash: string
  previous_blockhash: string
  time: number
}

export class BlockTable {
  readonly #insert: StatementSync
  readonly #find: StatementSync
  readonly #newest: StatementSync
  readonly #slots: StatementSync
  readonly #count: StatementSync
  readonly #deleteAfter: StatementSync
  readonly #deleteEmpty: StatementSync

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('insert into blocks values (?, ?, ?, ?, ?, ?, ?)')
    this.#find = database.prepare('select * from blocks where slot = ?')
    this.#newest = database.prepare('select * from blocks order by slot desc limit ?')
    this.#slots = database.prepare('select slot from blocks where slot between ? and ? order by slot limit ?')
    this.#count = database.prepare(
      'select coalesce(sum(transactions), 0) as total from blocks where slot <= ?',
    )
    this.#deleteAfter = database.prepare('delete from blocks where slot > ?')
    this.#deleteEmpty = database.prepare(
      'delete from blocks where slot > 0 and slot < ? and slot >= ? and transactions = 0',
    )
  }

  insert(block: Block, transactions: number): void {
    const { slot, parentSlot, height, blockhash, previousBlockhash, time } = block
    this.#insert.run(slot, parentSlot, height, blockhash, previousBlockhash, time, transactions)
  }

  find(slot: number): Block | null {
    const row = this.#find.get(slot) as unknown as BlockRow | undefined
    return row === undefined ? null : toBlock(row)
  }

  /** Oldest first. */
  newest(limit: number): Block[] {
    return (this.#newest.all(limit) as unknown as BlockRow[]).map(toBlock).toReversed()
  }

  /** Slots that have a block, ascending. */
  slots(first: number, last: number, limit: number): number[] {
    return (this.#slots.all(first, last, limit) as unknown as { slot: number }[]).map(({ slot }) => slot)
  }

  /** Transactions in blocks up to the slot. */
  transactionCount(slot: number): number {
    return (this.#count.get(slot) as { total: number }).total
  }

  deleteAfter(slot: number): void {
    this.#deleteAfter.run(slot)
  }

  /** Deletes blocks without transactions from `first` up to, not including, `last`. */
  deleteEmpty(first: number, last: number): void {
    this.#deleteEmpty.run(last, first)
  }
}

function toBlock(row: BlockRow): Block {
  return {
    slot: row.slot,
    parentSlot: row.parent_slot,
    height: row.height,
    blockhash: row.blockhash,
    previousBlockhash: row.previous_blockhash,
    time: row.time,
  }
}
