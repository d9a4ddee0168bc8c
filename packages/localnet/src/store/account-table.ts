import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Pubkey } from '@agent-registry/solana'
import { type Account, EMPTY_ACCOUNT } from '../vm/account.ts'

interface AccountRow {
  address: Pubkey
  lamports: bigint
  owner: Pubkey
  data: Uint8Array
  executable: bigint
  rent_epoch: string
}

/** The accounts that differ from those of a new VM. */
export class AccountTable {
  readonly #all: StatementSync
  readonly #put: StatementSync

  constructor(database: DatabaseSync) {
    this.#all = database.prepare('select * from accounts')
    this.#all.setReadBigInts(true)
    this.#put = database.prepare('insert or replace into accounts values (?, ?, ?, ?, ?, ?)')
  }

  *all(): Generator<[Pubkey, Account | null]> {
    for (const row of this.#all.iterate() as Iterable<unknown> as Iterable<AccountRow>) {
      const { address, lamports, owner, data, executable, rent_epoch } = row
      const rentEpoch = BigInt(rent_epoch)
      const account = { lamports, owner, data, executable: executable === 1n, rentEpoch }
      yield [address, lamports === 0n ? null : account]
    }
  }

  /** Stores a closed account with 0 lamports, because a new VM may contain the account. */
  put(address: Pubkey, account: Account | null): void {
    const { lamports, owner, data, executable, rentEpoch } = account ?? EMPTY_ACCOUNT
    this.#put.run(address, lamports, owner, data, executable ? 1 : 0, rentEpoch.toString())
  }
}
