import {
  Account as VmAccount,
  Clock,
  FailedTransactionMetadata,
  LiteSvm,
  Rent,
} from 'litesvm/dist/internal.js'
import { type Pubkey, pubkeyBytes, pubkeyFromBytes } from '@agent-registry/solana'
import { type Account, EMPTY_ACCOUNT } from './account.ts'
import { type Execution, toExecution } from './execution.ts'

export interface Simulation extends Execution {
  /** The accounts of the transaction after it. Empty if the transaction failed. */
  readonly postAccounts: ReadonlyMap<Pubkey, Account>
}

// As on mainnet. The clock sysvar contains the epoch.
export const SLOTS_PER_EPOCH = 432_000

/**
 * The Solana VM and its accounts. It has no blocks: the bank checks slots, blockhashes and
 * duplicates. Transactions must have passed `parseTransaction`, because the native code aborts on
 * invalid bytes.
 */
export class Vm {
  readonly #svm = new LiteSvm()

  constructor() {
    this.#svm.setBlockhashCheck(false)
    this.#svm.setTransactionHistory(0n)
  }

  getAccount(key: Pubkey): Account | null {
    const account = this.#svm.getAccount(pubkeyBytes(key))
    return account === null || account.lamports() === 0n ? null : fromVm(account)
  }

  setAccount(key: Pubkey, account: Account | null): void {
    const { lamports, data, owner, executable, rentEpoch } = account ?? EMPTY_ACCOUNT
    this.#svm.setAccount(
      pubkeyBytes(key),
      new VmAccount(lamports, data, pubkeyBytes(owner), executable, rentEpoch),
    )
  }

  /** Sets programs last, because the VM then compiles a program from its data account. */
  setAccounts(accounts: Iterable<readonly [Pubkey, Account | null]>): void {
    const programs: (readonly [Pubkey, Account | null])[] = []
    for (const entry of accounts) {
      if (entry[1]?.executable === true) programs.push(entry)
      else this.setAccount(...entry)
    }
    for (const [key, account] of programs) this.setAccount(key, account)
  }

  programAccounts(program: Pubkey): Map<Pubkey, Account> {
    const accounts = new Map<Pubkey, Account>()
    for (const each of this.#svm.getProgramAccounts(pubkeyBytes(program))) {
      const account = fromVm(each.account(), program)
      if (account.lamports > 0n) accounts.set(pubkeyFromBytes(each.address), account)
    }
    return accounts
  }

  /**
   * Runs a transaction and keeps its changes. If it fails, only the fee is charged.
   * @param idle its accounts that are not writable and that no instruction uses
   */
  execute(wire: Uint8Array, idle: readonly Pubkey[]): Execution {
    return this.#withPlaceholders(idle, () => toExecution(this.#svm.sendVersionedTransaction(wire)))
  }

  simulate(wire: Uint8Array, sigVerify: boolean, idle: readonly Pubkey[]): Simulation {
    this.#svm.setSigverify(sigVerify)
    try {
      const result = this.#withPlaceholders(idle, () => this.#svm.simulateVersionedTransaction(wire))
      if (result instanceof FailedTransactionMetadata) {
        return { ...toExecution(result), postAccounts: new Map() }
      }
      const accounts = result.postAccounts()
      const postAccounts = new Map(accounts.map((e) => [pubkeyFromBytes(e.address), fromVm(e.account())]))
      return { ...toExecution(result.meta()), postAccounts }
    } finally {
      this.#svm.setSigverify(true)
    }
  }

  // The native code aborts if an idle key is a compiled program without an account, as after a
  // fork.
  #withPlaceholders<T>(idle: readonly Pubkey[], run: () => T): T {
    const absent = idle.filter((key) => this.#svm.getAccount(pubkeyBytes(key)) === null)
    for (const key of absent) this.setAccount(key, { ...EMPTY_ACCOUNT, lamports: 1n })
    try {
      return run()
    } finally {
      for (const key of absent) this.setAccount(key, null)
    }
  }

  /** @param unixTimestamp seconds */
  setClock(slot: number, unixTimestamp: number): void {
    const epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH))
    this.#svm.setClock(new Clock(BigInt(slot), 0n, epoch, epoch + 1n, BigInt(unixTimestamp)))
  }

  /** @param blocks newest first. A new lookup table must name one of their slots. */
  setSlotHashes(blocks: readonly { slot: number; blockhash: string }[]): void {
    this.#svm.setSlotHashes(blocks.map(({ slot, blockhash }) => ({ slot: BigInt(slot), hash: blockhash })))
  }

  setRent(lamportsPerByte: number): void {
    this.#svm.setRent(new Rent(BigInt(lamportsPerByte), 1, 50))
  }

  /** @returns lamports */
  minimumBalanceForRentExemption(bytes: number): bigint {
    return this.#svm.minimumBalanceForRentExemption(BigInt(bytes))
  }
}

// Base-58 is the main cost of reading many accounts, so a known owner is not encoded again.
function fromVm(account: VmAccount, owner = pubkeyFromBytes(account.owner())): Account {
  return {
    lamports: account.lamports(),
    data: account.data(),
    owner,
    executable: account.executable(),
    rentEpoch: account.rentEpoch(),
  }
}
