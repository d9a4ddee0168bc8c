import { CLOCK_SYSVAR, type Pubkey, type WireTransaction } from '@agent-registry/solana'
import type { Account } from '../vm/account.ts'
import type { TransactionError } from '../vm/transaction-error.ts'
import type { BankParts } from './bank-parts.ts'
import { type Block, type Commitment, nextBlockhash } from './block.ts'
import type { BankListener } from './events.ts'
import { execute } from './execute.ts'
import { LedgerView } from './ledger-view.ts'
import { PrioritizationFees } from './prioritization-fees.ts'
import { memoOf, type TransactionRecord } from './transaction-record.ts'
import { UndoLog } from './undo-log.ts'
import { UnfinalizedBlocks } from './unfinalized-blocks.ts'

/** Refused transactions leave no trace: they are neither in a block nor charged. */
export type Submission = { readonly record: TransactionRecord } | { readonly refused: TransactionError }

/** Older states kept beyond the unfinalized slots, for nodes that lag. */
export const MAX_LAG = 32

/** Makes slots and blocks, and runs transactions in the slot that is being made. */
export class Bank {
  readonly fees = new PrioritizationFees()
  /** Slots that every answer lags behind the truth; a fault for tests. */
  lag = 0
  readonly #parts: BankParts
  readonly #undo = new UndoLog()
  readonly #listeners = new Set<BankListener>()
  #slot: number
  #slotTime = 0
  readonly #pending = new Map<string, TransactionRecord>()
  readonly #unfinalized: UnfinalizedBlocks

  constructor(parts: BankParts) {
    this.#parts = parts
    this.#slot = parts.slot
    this.#unfinalized = new UnfinalizedBlocks(parts.ring.tip.slot)
    this.#openSlot()
  }

  /** The slot that is being made. */
  get slot(): number {
    return this.#slot
  }

  get rootSlot(): number {
    return this.#slotAt('finalized')
  }

  /** Unix seconds that programs see in the slot that is being made. */
  get slotTime(): number {
    return this.#slotTime
  }

  listen(listener: BankListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  view(commitment: Commitment): LedgerView {
    return this.viewAt(this.#slotAt(commitment))
  }

  /** The ledger at the end of a recent slot. */
  viewAt(slot: number): LedgerView {
    return new LedgerView(slot, { vm: this.#parts.vm, undo: this.#undo, ring: this.#parts.ring })
  }

  /** Where a transaction is on the ledger, at any commitment. */
  landed(signature: string): { slot: number; err: TransactionError | null } | null {
    const pending = this.#pending.get(signature)
    if (pending !== undefined) return { slot: pending.slot, err: pending.meta.err }
    return this.#parts.store.transactions.summary(signature)
  }

  /** Runs the transaction now, if its blockhash is valid and its signature new. */
  submit(transaction: WireTransaction): Submission {
    if (!this.viewAt(this.#slot).isBlockhashValid(transaction.message.blockhash)) {
      return { refused: 'BlockhashNotFound' }
    }
    if (this.landed(transaction.signature) !== null) return { refused: 'AlreadyProcessed' }
    const { execution, keys, before, meta } = execute(this.#parts.vm, transaction)
    if (meta === null) return { refused: execution.err ?? 'SanitizeFailure' }
    for (const [key, account] of before) this.#undo.record(this.#slot, key, account)
    const record: TransactionRecord = {
      slot: this.#slot,
      index: this.#pending.size,
      blockTime: this.#slotTime,
      signature: transaction.signature,
      wire: transaction.bytes,
      keys: keys.all,
      meta,
      memo: memoOf(transaction),
    }
    this.#pending.set(record.signature, record)
    this.fees.note(this.#slot, transaction.message, keys.writable)
    const touched = new Set(before.keys())
    for (const listener of this.#listeners) listener.transactionRan?.(record, touched)
    return { record }
  }

  /** Finishes the slot: its block is on the disk when this returns, and the next slot has begun. */
  closeSlot(): void {
    const { ring, store, vm } = this.#parts
    const parent = ring.tip
    const records = [...this.#pending.values()]
    const block: Block = {
      slot: this.#slot,
      parentSlot: parent.slot,
      height: parent.height + 1,
      blockhash: nextBlockhash(parent, this.#slot, this.#pending.keys()),
      previousBlockhash: parent.blockhash,
      time: this.#slotTime,
    }
    const touched = new Set(this.#undo.touched(this.#slot))
    touched.delete(CLOCK_SYSVAR)
    const states = [...touched].map((key): [Pubkey, Account | null] => [key, vm.getAccount(key)])
    store.append(block, records, states)
    ring.push(block)
    this.#unfinalized.push({ block, records, touched })
    this.#pending.clear()
    this.#slot += 1
    this.#openSlot()
    this.#announce()
  }

  /** Changes an account in the slot being made without a transaction: a fault for tests. */
  overwrite(key: Pubkey, account: Account): void {
    const { vm } = this.#parts
    this.#undo.record(this.#slot, key, vm.getAccount(key))
    vm.setAccount(key, account)
  }

  /** Makes the time of the next slot later. */
  warp(seconds: number): void {
    this.#parts.time.warp(seconds)
    this.#parts.store.setFact('warp', String(this.#parts.time.offset))
    this.closeSlot()
  }

  /**
   * Takes back up to `slots` slots before the one being made, and that one, never a finalized one. The next slot
   * continues from the block before them.
   * @returns the transactions that are no longer on the ledger, oldest first
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
    this.#pending.clear()
    this.#slot += 1
    this.#openSlot()
    return records
  }

  #slotAt(commitment: Commitment): number {
    const { confirmedDepth, finalizedDepth, ring } = this.#parts
    const slot = this.#slot - this.lag
    if (commitment === 'processed') return this.lag === 0 ? slot : ring.atOrBefore(slot).slot
    return ring.atOrBefore(slot - (commitment === 'confirmed' ? confirmedDepth : finalizedDepth)).slot
  }

  #openSlot(): void {
    const { ring, time, vm, finalizedDepth } = this.#parts
    this.#undo.record(this.#slot, CLOCK_SYSVAR, vm.getAccount(CLOCK_SYSVAR))
    this.#slotTime = time.next()
    vm.setClock(this.#slot, this.#slotTime)
    vm.setSlotHashes(ring.slotHashes())
    this.fees.begin(this.#slot)
    this.#undo.forgetUpTo(this.#slot - finalizedDepth - MAX_LAG)
    const slot = { slot: this.#slot, parent: ring.tip.slot, root: this.rootSlot }
    for (const listener of this.#listeners) listener.slotStarted?.(slot)
  }

  #announce(): void {
    for (const level of ['confirmed', 'finalized'] as const) {
      for (const content of this.#unfinalized.advance(level, this.#slotAt(level))) {
        for (const listener of this.#listeners) listener.blockReached?.(level, content)
      }
    }
  }
}
