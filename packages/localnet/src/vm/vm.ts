import { Account as VmAccount, Clock, FailedTransactionMetadata, LiteSvm } from 'litesvm/dist/internal.js'
import { type Pubkey, pubkeyBytes, pubkeyFromBytes, SYSTEM_PROGRAM } from '@agent-registry/solana'
import type { Account } from './account.ts'
import { type Execution, toExecution } from './execution.ts'

export interface SlotHash {
  readonly slot: number
  readonly hash: string
}

export interface Simulation extends Execution {
  /** The state after, of the accounts that the transaction names. Empty when it failed. */
  readonly postAccounts: ReadonlyMap<Pubkey, Account>
}

// Slots of an epoch on mainnet; the clock sysvar shows epochs by it.
export const SLOTS_PER_EPOCH = 432_000

/**
 * The Solana virtual machine and its accounts. It knows nothing of blocks: blockhash age, duplicates and
 * slots are the bank's. Transactions must have passed `parseTransaction`: the native code aborts on garbage.
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
    const { lamports, data, owner, executable, rentEpoch } = account ?? ABSENT
    this.#svm.setAccount(
      pubkeyBytes(key),
      new VmAccount(lamports, data, pubkeyBytes(owner), executable, rentEpoch),
    )
  }

  /** Programs are set last: the VM compiles a program from its data account at that moment. */
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
   * Runs the transaction for good. A transaction that fails after its fee was taken keeps the fee.
   * @param idle its accounts that no instruction is given and that are not writable
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

  // The native code aborts on an idle key whose program it has compiled when the account is gone, as after a fork.
  #withPlaceholders<T>(idle: readonly Pubkey[], run: () => T): T {
    const absent = idle.filter((key) => this.#svm.getAccount(pubkeyBytes(key)) === null)
    for (const key of absent) this.setAccount(key, { ...ABSENT, lamports: 1n })
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

  /** Newest first; lookup tables are created against these. */
  setSlotHashes(hashes: readonly SlotHash[]): void {
    this.#svm.setSlotHashes(hashes.map(({ slot, hash }) => ({ slot: BigInt(slot), hash })))
  }

  /** @returns lamports */
  minimumBalanceForRentExemption(bytes: number): bigint {
    return this.#svm.minimumBalanceForRentExemption(BigInt(bytes))
  }
}

const ABSENT: Account = {
  lamports: 0n,
  data: new Uint8Array(),
  owner: SYSTEM_PROGRAM,
  executable: false,
  rentEpoch: 0n,
}

// Base-58 is what reading many accounts costs most: a known owner is not encoded again.
function fromVm(account: VmAccount, owner = pubkeyFromBytes(account.owner())): Account {
  return {
    lamports: account.lamports(),
    data: account.data(),
    owner,
    executable: account.executable(),
    rentEpoch: account.rentEpoch(),
  }
}
