import { AccountReads } from '../account-reads.ts'
import type { DecodedTransactions, SignatureInfo } from '../../decode/rows.ts'
import { copiedRows } from '../write/copy-rows.ts'
import type { EngineOptions } from '../engine-options.ts'
import { fetchTransactions } from './fetch-transactions.ts'
import { unknownTransactions } from './known-transactions.ts'
import type { Prepared } from './fetched-batch.ts'
import { readAccounts } from './fetch-accounts.ts'

/** Reads from the node what listed transactions mean to the tables. */
export class TransactionReader {
  readonly #options: EngineOptions
  #reads = new AccountReads()

  constructor(options: EngineOptions) {
    this.#options = options
  }

  /** The accounts read since what was read last became doubtful. */
  get reads(): AccountReads {
    return this.#reads
  }

  /** With `fromNothing` the tables are not asked what they hold. */
  async prepare(infos: SignatureInfo[], fromNothing = false): Promise<Prepared> {
    const { rpc, db, copies } = this.#options
    const successful = new Map(infos.filter(({ err }) => err === null).map((info) => [info.signature, info]))
    const listed = [...successful.values()]
    const { wanted, moved, isNew } = fromNothing
      ? { wanted: listed, moved: [], isNew: true }
      : await unknownTransactions(db(), listed)
    if (moved.length > 0) this.forget()
    const decoded = await fetchTransactions(rpc, wanted, this.#options)
    const copied = copies && isNew ? copiedRows(decoded) : null
    return { infos, moved, decoded, copied, ...(await this.readStale(decoded)) }
  }

  /** The accounts that these may have changed after they were read. */
  async readStale(decoded: DecodedTransactions): Promise<Pick<Prepared, 'reads' | 'states'>> {
    const { rpc, programId, commitment } = this.#options
    const reads = this.#reads
    const pdas = reads.stale(decoded)
    if (pdas.length === 0) return { reads, states: [] }
    const minContextSlot = Math.max(0, ...decoded.transactions.map((transaction) => transaction.slot))
    const states = await readAccounts(rpc, pdas, { programId, commitment, minContextSlot })
    reads.remember(states)
    return { reads, states }
  }

  /** After a fork or a failed write, what was read counts no more; nor what is being read now. */
  forget(): void {
    this.#reads = new AccountReads()
  }
}
