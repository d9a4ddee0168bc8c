import { CLOCK_SYSVAR, type Pubkey, type WireTransaction } from '@agent-registry/solana'
import type { Clock } from '../options.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import type { Account } from '../vm/account.ts'
import type { TransactionError } from '../vm/transaction-errors.ts'
import type { Vm } from '../vm/vm.ts'
import { type Block, type BlockRing, type Commitment, nextBlockhash } from './block.ts'
import { type BankListener, UnfinalizedBlocks } from './unfinalized-blocks.ts'
import { execute, memoOf, type TransactionRecord } from './execute.ts'
import { LedgerView } from './ledger-view.ts'
import { PrioritizationFees } from './prioritization-fees.ts'
import { UndoLog } from './undo-log.ts'

interface BankParts {
  readonly vm: Vm
  readonly store: LedgerStore
  readonly ring: BlockRing
  readonly clock: Clock
  /** The number of slots after which a block is finalized. A block is confirmed after one slot. */
  readonly finalizedDepth: number
}

/** A refused transaction is in no block and pays no fee. */
type Submission = { readonly record: TransactionRecord } | { readonly refused: TransactionError }

/** The bank keeps older states of this many slots before the last finalized one, for `lag`. */
export const MAX_LAG = 32

/** Creates slots and blocks, and runs transactions in the current slot. */
export class Bank {
  readonly fees = new PrioritizationFees()
  /** The number of slots by which all responses are behind. A fault for tests. */
  lag = 0
  readonly #parts: BankParts
  readonly #undo = new UndoLog()
  readonly #listeners = new Set<BankListener>()
  readonly #pending = new Map<string, TransactionRecord>()
  readonly #unfinalized: UnfinalizedBlocks
  /** The current slot, whose block is not finished. */
  #slot: number
  #slotTime: number
  /** The time of the ledger minus the wall clock, in seconds. */
  #timeOffset: number

  /** @param firstSlot must be later than every block in the ring */
  constructor(parts: BankParts, firstSlot: number) {
    this.#parts = parts
    this.#slot = firstSlot - 1
    this.#slotTime = parts.ring.tip.time
    this.#timeOffset = Number(parts.store.fact('warp'))
    this.#unfinalized = new UnfinalizedBlocks(parts.ring.tip.slot)
    this.#startNextSlot()
  }

  get slot(): number {
    return this.#slot
  }

  get rootSlot(): number {
    return this.#slotAt('finalized')
  }

  /** The time in Unix seconds that programs see in the current slot. */
  get slotTime(): number {
    return this.#slotTime
  }

  /** @returns a function that removes the listener */
  listen(listener: BankListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  view(commitment: Commitment): LedgerView {
    return this.viewAt(this.#slotAt(commitment))
  }

  /** The ledger at the end of a recent slot. */
  viewAt(slot: number): LedgerView {
    return new LedgerView(slot, this.#parts.vm, this.#undo, this.#parts.ring)
  }

  /** The slot and the error of a transaction, at any commitment, or null. */
  landed(signature: string): { slot: number; err: TransactionError | null } | null {
    const pending = this.#pending.get(signature)
    if (pending !== undefined) return { slot: pending.slot, err: pending.meta.err }
    return this.#parts.store.transactions.summary(signature)
  }

  /** Runs a transaction if its blockhash or nonce is valid and its signature is new. */
  submit(transaction: WireTransaction): Submission {
    const { bytes, message, signature } = transaction
    const view = this.viewAt(this.#slot)
    if (!view.isAgeValid(message)) return { refused: 'BlockhashNotFound' }
    if (this.landed(signature) !== null) return { refused: 'AlreadyProcessed' }
    const { err, keys, before, meta } = execute(this.#parts.vm, transaction, view)
    if (meta === null) return { refused: err ?? 'SanitizeFailure' }
    for (const [key, account] of before) this.#undo.record(this.#slot, key, account)
    const record: TransactionRecord = {
      slot: this.#slot,
      index: this.#pending.size,
      blockTime: this.#slotTime,
      signature,
      wire: bytes,
      keys: keys.all,
      meta,
      memo: memoOf(transaction),
    }
    this.#pending.set(signature, record)
    this.fees.record(this.#slot, message, keys.writable)
    const changes = { slot: this.#slot, records: [record], touched: new Set(before.keys()) }
    for (const listener of this.#listeners) listener.committed?.('processed', changes)
    return { record }
  }

  /** Writes the block of the current slot to the store and starts the next slot. */
  closeSlot(): void {
    const { ring, store, vm } = this.#parts
    const [slot, tip] = [this.#slot, ring.tip]
    const block: Block = {
      slot,
      parentSlot: tip.slot,
      height: tip.height + 1,
      blockhash: nextBlockhash(tip, slot, this.#pending.keys()),
      previousBlockhash: tip.blockhash,
      time: this.#slotTime,
    }
    const records = [...this.#pending.values()]
    const touched = new Set(this.#undo.touched(slot))
    touched.delete(CLOCK_SYSVAR)
    const states = [...touched].map((key): [Pubkey, Account | null] => [key, vm.getAccount(key)])
    store.append(block, records, states)
    ring.push(block)
    this.#unfinalized.push({ slot, records, touched })
    this.#startNextSlot()
    for (const level of ['confirmed', 'finalized'] as const) {
      for (const changes of this.#unfinalized.advance(level, this.#slotAt(level))) {
        for (const listener of this.#listeners) listener.committed?.(level, changes)
      }
    }
  }

  /** Changes an account in the current slot without a transaction. A fault for tests. */
  overwrite(key: Pubkey, account: Account): void {
    this.#undo.record(this.#slot, key, this.#parts.vm.getAccount(key))
    this.#parts.vm.setAccount(key, account)
  }

  /** Changes the rent from the next slot on. Accounts keep their lamports. */
  setRent(lamportsPerByte: number): void {
    const { store, vm } = this.#parts
    this.closeSlot()
    store.setFact('lamportsPerByte', String(lamportsPerByte))
    vm.setRent(lamportsPerByte)
  }

  /** Moves the time of the next slot forward. */
  warp(seconds: number): void {
    this.#timeOffset += seconds
    this.#parts.store.setFact('warp', String(this.#timeOffset))
    this.closeSlot()
  }

  /**
   * Removes the current slot and up to `slots` slots before it, but no finalized slot. The next
   * slot continues after the last remaining block.
   * @returns the transactions that are no longer in the ledger, oldest first
   */
  rollback(slots: number): TransactionRecord[] {
    const { ring, store, vm, finalizedDepth } = this.#parts
    const target = ring.atOrBefore(this.#slot - Math.min(slots + 1, finalizedDepth))
    const dropped = this.#unfinalized.dropAfter(target.slot)
    const records = [...dropped.flatMap((each) => each.records), ...this.#pending.values()]
    const states = this.#undo.changedSince(target.slot)
    vm.setAccounts(states)
    states.delete(CLOCK_SYSVAR)
    store.rollback(target.slot, this.#slot + 1, states)
    this.#undo.forgetAfter(target.slot)
    ring.dropAfter(target.slot)
    this.fees.forgetAfter(target.slot)
    this.#startNextSlot()
    return records
  }

  #slotAt(commitment: Commitment): number {
    const { finalizedDepth, ring } = this.#parts
    const slot = this.#slot - this.lag
    if (commitment === 'processed') return this.lag === 0 ? slot : ring.atOrBefore(slot).slot
    return ring.atOrBefore(slot - (commitment === 'confirmed' ? 1 : finalizedDepth)).slot
  }

  #startNextSlot(): void {
    const { ring, clock, vm, finalizedDepth } = this.#parts
    this.#pending.clear()
    this.#slot += 1
    this.#undo.record(this.#slot, CLOCK_SYSVAR, vm.getAccount(CLOCK_SYSVAR))
    // Time never goes back.
    this.#slotTime = Math.max(this.#slotTime, Math.floor(clock.now() / 1000) + this.#timeOffset)
    vm.setClock(this.#slot, this.#slotTime)
    vm.setSlotHashes(ring.newestFirst())
    this.fees.begin(this.#slot)
    this.#undo.forgetUpTo(this.#slot - finalizedDepth - MAX_LAG)
    const slot = { slot: this.#slot, parent: ring.tip.slot, root: this.rootSlot }
    for (const listener of this.#listeners) listener.slotStarted?.(slot)
  }
}
