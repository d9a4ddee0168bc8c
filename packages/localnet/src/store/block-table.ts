import type { Block } from '../bank/block.ts'
import type { Database } from './database.ts'

const BLOCK = `slot, parent_slot as parentSlot, height, blockhash,
  previous_blockhash as previousBlockhash, time`

export class BlockTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  insert(block: Block, transactions: number): void {
    const { slot, parentSlot, height, blockhash, previousBlockhash, time } = block
    const values = [slot, parentSlot, height, blockhash, previousBlockhash, time, transactions]
    this.#database.run('insert into blocks values (?, ?, ?, ?, ?, ?, ?)', ...values)
  }

  find(slot: number): Block | null {
    return this.#database.get(`select ${BLOCK} from blocks where slot = ?`, slot) as Block | null
  }

  /** Oldest first. */
  newest(limit: number): Block[] {
    const blocks = this.#database.all(`select ${BLOCK} from blocks order by slot desc limit ?`, limit)
    return (blocks as Block[]).toReversed()
  }

  /** The slots that have a block, in ascending order. */
  slots(first: number, last: number, limit: number): number[] {
    const sql = 'select slot from blocks where slot between ? and ? order by slot limit ?'
    return (this.#database.all(sql, first, last, limit) as { slot: number }[]).map(({ slot }) => slot)
  }

  /** The number of transactions in blocks up to the slot. */
  transactionCount(slot: number): number {
    const sql = 'select coalesce(sum(transactions), 0) as total from blocks where slot <= ?'
    return (this.#database.get(sql, slot) as { total: number }).total
  }

  /** Slots and transactions of each minute before the time in Unix seconds, newest first. */
  minutes(before: number, limit: number): { slot: number; numTransactions: number; numSlots: number }[] {
    const sql = `select max(slot) as slot, sum(transactions) as numTransactions,
        max(slot) - min(slot) + 1 as numSlots
      from blocks where slot > 0 and time / 60 < ? group by time / 60 order by 1 desc limit ?`
    const rows = this.#database.all(sql, Math.floor(before / 60), limit)
    return rows as { slot: number; numTransactions: number; numSlots: number }[]
  }

  deleteAfter(slot: number): void {
    this.#database.run('delete from blocks where slot > ?', slot)
  }

  /**
   * Deletes blocks without transactions in the slots from `first` to before `end`. Keeps genesis.
   */
  deleteEmpty(first: number, end: number): void {
    const sql = 'delete from blocks where slot > 0 and slot >= ? and slot < ? and transactions = 0'
    this.#database.run(sql, first, end)
  }
}
