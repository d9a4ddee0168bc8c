import type { Pubkey } from '@agent-registry/solana'
import { type Account, EMPTY_ACCOUNT } from '../vm/account.ts'
import type { Database } from './database.ts'

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
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  *all(): Generator<[Pubkey, Account | null]> {
    for (const row of this.#database.iterate('select * from accounts')) {
      const { address, lamports, owner, data, executable, rent_epoch } = row as AccountRow
      const rentEpoch = BigInt(rent_epoch)
      const account = { lamports, owner, data, executable: executable === 1n, rentEpoch }
      yield [address, lamports === 0n ? null : account]
    }
  }

  /** The sum of all balances in lamports. */
  totalLamports(): bigint {
    const row = this.#database.get('select cast(coalesce(sum(lamports), 0) as text) as total from accounts')
    return BigInt((row as { total: string }).total)
  }

  /** Stores a closed account with 0 lamports, because a new VM may contain the account. */
  put(address: Pubkey, account: Account | null): void {
    const { lamports, owner, data, executable, rentEpoch } = account ?? EMPTY_ACCOUNT
    const values = [address, lamports, owner, data, executable ? 1 : 0, rentEpoch.toString()]
    this.#database.run('insert or replace into accounts values (?, ?, ?, ?, ?, ?)', ...values)
  }
}
