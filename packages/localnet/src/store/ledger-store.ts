import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Pubkey } from '@agent-registry/solana'
import type { Block } from '../bank/block.ts'
import type { TransactionRecord } from '../bank/transaction-record.ts'
import type { Account } from '../vm/account.ts'
import { AccountTable } from './account-table.ts'
import { BlockTable } from './block-table.ts'
import { atomically, openDatabase } from './database.ts'
import { TransactionTable } from './transaction-table.ts'

type Accounts = Iterable<readonly [Pubkey, Account | null]>

// An idle ledger makes 216,000 empty blocks a day: old ones are dropped, and read as skipped slots.
const EMPTY_BLOCKS_KEPT = 20_000
const SWEEP_EVERY = 1_000

/** The ledger at rest: blocks, transactions and their index by address, and the state of accounts. */
export class LedgerStore {
  readonly blocks: BlockTable
  readonly transactions: TransactionTable
  readonly accounts: AccountTable
  readonly #database: DatabaseSync
  readonly #getFact: StatementSync
  readonly #putFact: StatementSync

  /** @param dataDir null keeps everything in memory */
  constructor(dataDir: string | null) {
    this.#database = openDatabase(dataDir)
    this.blocks = new BlockTable(this.#database)
    this.transactions = new TransactionTable(this.#database)
    this.accounts = new AccountTable(this.#database)
    this.#getFact = this.#database.prepare('select value from facts where name = ?')
    this.#putFact = this.#database.prepare('insert or replace into facts values (?, ?)')
  }

  fact(name: string): string | null {
    const row = this.#getFact.get(name) as { value: string } | undefined
    return row?.value ?? null
  }

  setFact(name: string, value: string): void {
    this.#putFact.run(name, value)
  }

  createLedger(genesis: Block, accounts: Accounts, facts: Readonly<Record<string, string>>): void {
    atomically(this.#database, () => {
      for (const [key, account] of accounts) this.accounts.put(key, account)
      for (const [name, value] of Object.entries(facts)) this.setFact(name, value)
      this.blocks.insert(genesis, 0)
    })
  }

  /** Returns when the block is on the disk. An empty block survives the death of the process, not of the machine. */
  append(block: Block, records: readonly TransactionRecord[], accounts: Accounts): void {
    this.#database.exec(`pragma synchronous = ${records.length === 0 ? 'normal' : 'full'}`)
    atomically(this.#database, () => {
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
   * Takes back every block after the slot; `accounts` are as they were then. `nextSlot` is where the ledger goes on:
   * the numbers before it were seen.
   */
  rollback(slot: number, nextSlot: number, accounts: Accounts): void {
    this.#database.exec('pragma synchronous = full')
    atomically(this.#database, () => {
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
