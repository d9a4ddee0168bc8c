import type { Pubkey } from '@agent-registry/solana'
import type { Block } from '../bank/block.ts'
import type { TransactionRecord } from '../bank/execute.ts'
import { type Account, EMPTY_ACCOUNT } from '../vm/account.ts'
import { Database } from './database.ts'
import { TransactionTable } from './transaction-table.ts'

type Accounts = Iterable<readonly [Pubkey, Account | null]>

// An idle ledger creates 216,000 empty blocks a day. Old ones are deleted and appear as skipped
// slots.
const EMPTY_BLOCKS_KEPT = 20_000
const SWEEP_EVERY = 1_000

/** The stored ledger: blocks, transactions with an index by address, and the state of accounts. */
export class LedgerStore {
  readonly blocks: BlockTable
  readonly transactions: TransactionTable
  readonly accounts: AccountTable
  readonly #database: Database

  /**
   * @param dataDir null for a ledger in memory
   * @throws LedgerInUseError if a ledger already uses the directory
   */
  constructor(dataDir: string | null) {
    this.#database = new Database(dataDir)
    this.blocks = new BlockTable(this.#database)
    this.transactions = new TransactionTable(this.#database)
    this.accounts = new AccountTable(this.#database)
  }

  fact(name: string): string | null {
    const row = this.#database.sql('select value from facts where name = ?').get(name)
    return (row as { value: string } | undefined)?.value ?? null
  }

  setFact(name: string, value: string): void {
    this.#database.sql('insert or replace into facts values (?, ?)').run(name, value)
  }

  createLedger(genesis: Block, accounts: Accounts, facts: Readonly<Record<string, string>>): void {
    this.#database.atomically(() => {
      for (const [key, account] of accounts) this.accounts.put(key, account)
      for (const [name, value] of Object.entries(facts)) this.setFact(name, value)
      this.blocks.insert(genesis, 0)
    })
  }

  /**
   * Writes the block to the disk. An empty block is lost if the machine fails, but not the process.
   */
  append(block: Block, records: readonly TransactionRecord[], accounts: Accounts): void {
    this.#database.exec(`pragma synchronous = ${records.length === 0 ? 'normal' : 'full'}`)
    this.#database.atomically(() => {
      this.blocks.insert(block, records.length)
      for (const record of records) this.transactions.insert(record)
      for (const [key, account] of accounts) this.accounts.put(key, account)
      if (block.slot % SWEEP_EVERY === 0) {
        const last = block.slot - EMPTY_BLOCKS_KEPT
        this.blocks.deleteEmpty(last - 2 * SWEEP_EVERY, last)
      }
    })
  }

  /**
   * Deletes every block after the slot.
   * @param nextSlot the first slot number that no client has seen
   * @param accounts the changed accounts in their state at the end of the slot
   */
  rollback(slot: number, nextSlot: number, accounts: Accounts): void {
    this.#database.exec('pragma synchronous = full')
    this.#database.atomically(() => {
      this.blocks.deleteAfter(slot)
      this.transactions.deleteAfter(slot)
      this.setFact('slotAfterFork', String(nextSlot))
      for (const [key, account] of accounts) this.accounts.put(key, account)
    })
  }

  close(): void {
    this.#database.close()
  }
}

interface AccountRow {
  address: Pubkey
  lamports: bigint
  owner: Pubkey
  data: Uint8Array
  executable: bigint
  rent_epoch: string
}

/** The accounts that differ from those of a new VM. */
class AccountTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  *all(): Generator<[Pubkey, Account | null]> {
    const statement = this.#database.sql('select * from accounts')
    statement.setReadBigInts(true)
    for (const row of statement.iterate()) {
      const { address, lamports, owner, data, executable, rent_epoch } = row as unknown as AccountRow
      const rentEpoch = BigInt(rent_epoch)
      const account = { lamports, owner, data, executable: executable === 1n, rentEpoch }
      yield [address, lamports === 0n ? null : account]
    }
  }

  /** The sum of all balances in lamports. */
  totalLamports(): bigint {
    const sql = 'select cast(coalesce(sum(lamports), 0) as text) as total from accounts'
    return BigInt((this.#database.sql(sql).get() as { total: string }).total)
  }

  /** Stores a closed account with 0 lamports, because a new VM may contain the account. */
  put(address: Pubkey, account: Account | null): void {
    const { lamports, owner, data, executable, rentEpoch } = account ?? EMPTY_ACCOUNT
    this.#database
      .sql('insert or replace into accounts values (?, ?, ?, ?, ?, ?)')
      .run(address, lamports, owner, data, executable ? 1 : 0, rentEpoch.toString())
  }
}

const BLOCK = `slot, parent_slot as parentSlot, height, blockhash,
  previous_blockhash as previousBlockhash, time`

class BlockTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  insert(block: Block, transactions: number): void {
    const { slot, parentSlot, height, blockhash, previousBlockhash, time } = block
    this.#database
      .sql('insert into blocks values (?, ?, ?, ?, ?, ?, ?)')
      .run(slot, parentSlot, height, blockhash, previousBlockhash, time, transactions)
  }

  find(slot: number): Block | null {
    const block = this.#database.sql(`select ${BLOCK} from blocks where slot = ?`).get(slot)
    return (block as Block | undefined) ?? null
  }

  /** Oldest first. */
  newest(limit: number): Block[] {
    const blocks = this.#database.sql(`select ${BLOCK} from blocks order by slot desc limit ?`).all(limit)
    return (blocks as unknown as Block[]).toReversed()
  }

  /** The slots that have a block, in ascending order. */
  slots(first: number, last: number, limit: number): number[] {
    const sql = 'select slot from blocks where slot between ? and ? order by slot limit ?'
    return (this.#database.sql(sql).all(first, last, limit) as { slot: number }[]).map(({ slot }) => slot)
  }

  /** The number of transactions in blocks up to the slot. */
  transactionCount(slot: number): number {
    const sql = 'select coalesce(sum(transactions), 0) as total from blocks where slot <= ?'
    return (this.#database.sql(sql).get(slot) as { total: number }).total
  }

  /** Slots and transactions of each minute before the time in Unix seconds, newest first. */
  minutes(before: number, limit: number): { slot: number; numTransactions: number; numSlots: number }[] {
    const sql = `select max(slot) as slot, sum(transactions) as numTransactions,
        max(slot) - min(slot) + 1 as numSlots
      from blocks where slot > 0 and time / 60 < ? group by time / 60 order by 1 desc limit ?`
    const rows = this.#database.sql(sql).all(Math.floor(before / 60), limit)
    return rows as { slot: number; numTransactions: number; numSlots: number }[]
  }

  deleteAfter(slot: number): void {
    this.#database.sql('delete from blocks where slot > ?').run(slot)
  }

  /**
   * Deletes blocks without transactions in the slots from `first` to before `end`. Keeps genesis.
   */
  deleteEmpty(first: number, end: number): void {
    const sql = 'delete from blocks where slot > 0 and slot >= ? and slot < ? and transactions = 0'
    this.#database.sql(sql).run(first, end)
  }
}
