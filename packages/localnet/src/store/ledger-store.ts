import type { Pubkey } from '@agent-registry/solana'
import type { Block } from '../bank/block.ts'
import type { TransactionRecord } from '../bank/execute.ts'
import type { Account } from '../vm/account.ts'
import { AccountTable } from './account-table.ts'
import { BlockTable } from './block-table.ts'
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
    const row = this.#database.get('select value from facts where name = ?', name)
    return (row as { value: string } | null)?.value ?? null
  }

  setFact(name: string, value: string): void {
    this.#database.run('insert or replace into facts values (?, ?)', name, value)
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
