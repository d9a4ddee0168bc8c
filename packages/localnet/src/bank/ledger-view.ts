import type { Pubkey } from '@agent-registry/solana'
import type { Account } from '../vm/account.ts'
import type { Vm } from '../vm/vm.ts'
import type { BlockRing } from './block-ring.ts'
import { type Block, BLOCKHASH_LIFE } from './block.ts'
import type { UndoLog } from './undo-log.ts'

/** The ledger as of one slot: what a read at a commitment sees. */
export class LedgerView {
  readonly slot: number
  /** Of the slot's block, also while it is being made. */
  readonly height: number
  /** The newest finished block that this view knows. */
  readonly tip: Block
  readonly #vm: Vm
  readonly #undo: UndoLog
  readonly #ring: BlockRing

  constructor(slot: number, parts: { vm: Vm; undo: UndoLog; ring: BlockRing }) {
    this.slot = slot
    this.#vm = parts.vm
    this.#undo = parts.undo
    this.#ring = parts.ring
    this.tip = this.#ring.atOrBefore(slot)
    this.height = this.tip.slot === slot ? this.tip.height : this.tip.height + 1
  }

  account(key: Pubkey): Account | null {
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

  /** Runs work on the VM with these accounts set to what they were in this view. */
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
