import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Pubkey } from '@agent-registry/solana'
import type { Account } from '../vm/account.ts'

interface AccountRow {
  address: Pubkey
  lamports: bigint
  owner: Pubkey
  data: Uint8Array
  executable: bigint
  rent_epoch: string
}

/** The accounts that differ from those a new VM starts with. */
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

  /** A closed account is kept as one of 0 lamports: the VM may have started with it. */
  put(address: Pubkey, account: Account | null): void {
    const { lamports, owner, data, executable, rentEpoch } = account ?? CLOSED
    this.#put.run(address, lamports, owner, data, executable ? 1 : 0, rentEpoch.toString())
  }
}

const CLOSED = { lamports: 0n, owner: '', data: new Uint8Array(), executable: false, rentEpoch: 0n }
