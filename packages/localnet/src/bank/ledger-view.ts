import type { Message, Pubkey } from '@agent-registry/solana'
import type { Account, AccountReader } from '../vm/account.ts'
import type { Vm } from '../vm/vm.ts'
import { type Block, BLOCKHASH_LIFE, type BlockRing } from './block.ts'
import { hasUsableNonce } from './durable-nonce.ts'
import type { UndoLog } from './undo-log.ts'

/** The state of the ledger at the end of a slot. */
export class LedgerView {
  readonly slot: number
  /** The height of the slot's block, which may be unfinished. */
  readonly height: number
  /** The newest finished block in this view. */
  readonly tip: Block
  readonly #vm: Vm
  readonly #undo: UndoLog
  readonly #ring: BlockRing

  constructor(slot: number, vm: Vm, undo: UndoLog, ring: BlockRing) {
    this.slot = slot
    this.#vm = vm
    this.#undo = undo
    this.#ring = ring
    this.tip = ring.atOrBefore(slot)
    this.height = this.tip.slot === slot ? this.tip.height : this.tip.height + 1
  }

  readonly account: AccountReader = (key) => {
    const older = this.#undo.at(this.slot, key)
    return older === undefined ? this.#vm.getAccount(key) : older
  }

  programAccounts(program: Pubkey): Map<Pubkey, Account> {
    const accounts = this.#vm.programAccounts(program)
    for (const [key, account] of this.#undo.changedSince(this.slot)) {
      if (account?.owner === program) accounts.set(key, account)
      else accounts.delete(key)
    }
    return accounts
  }

  isBlockhashValid(blockhash: string): boolean {
    const block = this.#ring.byHash(blockhash)
    if (block === undefined || block.slot > this.slot) return false
    return this.height <= block.height + BLOCKHASH_LIFE
  }

  /** Whether the message has a recent blockhash or a durable nonce. */
  isAgeValid(message: Message): boolean {
    if (this.isBlockhashValid(message.blockhash)) return true
    return hasUsableNonce(message, this.account, this.tip.blockhash)
  }

  /** Runs `work` while the VM has these accounts in their state in this view. */
  withState<T>(keys: Iterable<Pubkey>, work: () => T): T {
    const older = new Map<Pubkey, Account | null>()
    for (const key of keys) {
      const state = this.#undo.at(this.slot, key)
      if (state !== undefined) older.set(key, state)
    }
    const current = [...older.keys()].map((key) => [key, this.#vm.getAccount(key)] as const)
    this.#vm.setAccounts(older)
    try {
      return work()
    } finally {
      this.#vm.setAccounts(current)
    }
  }
}
