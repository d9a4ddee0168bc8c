import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { ACCOUNT_TABLES, type AccountSnapshot, pdasOf } from '../decode/decode-account.ts'
import type { SignatureInfo } from '../decode/rpc-transaction.ts'
import { UNREAD_TRANSACTION_KINDS } from '../decode/rows.ts'
import type { LedgerRpc } from '../rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../rpc/rpc-error.ts'

/** How far the ledger has been read. */
export interface IndexerPosition {
  /** The tables contain every listed transaction up to this one. */
  cursor: { slot: number; signature: string | null }
  /** Everything up to this slot was compared with the finalized ledger. */
  finalizedSlot: number
  /** A finalized transaction below `finalizedSlot`. The next finality check lists down to it. */
  finalizedSignature: string | null
}

export const START_OF_LEDGER: IndexerPosition = {
  cursor: { slot: 0, signature: null },
  finalizedSlot: 0,
  finalizedSignature: null,
}

/**
 * Each finality check overlaps the previous one by this much, for transactions that nodes list
 * late.
 */
export const FINALITY_OVERLAP_SLOTS = 150

/** The position after these transactions, oldest first, are written. */
export function positionAfter(
  position: IndexerPosition,
  infos: readonly SignatureInfo[],
  finalizedTip: number,
): IndexerPosition {
  const last = infos.at(-1)
  if (last === undefined) return position
  const needsNoCheck =
    last.confirmationStatus === 'finalized' && last.slot < finalizedTip - FINALITY_OVERLAP_SLOTS
  return {
    ...position,
    cursor: { slot: last.slot, signature: last.signature },
    finalizedSignature: needsNoCheck ? last.signature : position.finalizedSignature,
  }
}

/** The tables were filled from another ledger or program. They are not overwritten. */
export class LedgerMismatchError extends OperatorError {
  override readonly name = 'LedgerMismatchError'
}

/** Another indexer has become the leader, or this one must start again from an earlier position. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError'
}

interface LedgerIdentity {
  programId: string
  genesisHash: string
}

/** What filled the tables. Undefined if they are empty. */
export function filledFrom(kysely: Kysely<Database>) {
  return kysely.selectFrom('indexer_state').select(['genesis_hash', 'program_id']).executeTakeFirst()
}

/** Throws LedgerMismatchError if the tables were filled from another program or ledger. */
export function assertSameLedger(
  state: { program_id: string; genesis_hash: string },
  { programId, genesisHash }: LedgerIdentity,
): void {
  if (state.program_id === programId && state.genesis_hash === genesisHash) return
  throw new LedgerMismatchError(
    `This database was filled from program ${state.program_id} on the ledger with genesis hash ${state.genesis_hash}, ` +
      `but the service is set to program ${programId} on genesis hash ${genesisHash}. ` +
      'Point DATABASE_URL (or DATA_DIR) at another, empty database, or set SOLANA_RPC_URL and REGISTRY_PROGRAM_ID back.',
  )
}

/** The tables contained everything of the ledger. */
export interface CaughtUp {
  slot: number
  /** Seconds since then. */
  age: number
}

/** What a new leader continues from. */
export interface LeaderClaim {
  /** Grows with each leader. */
  epoch: number
  /** The commits of all leaders so far. */
  commits: number
  position: IndexerPosition
}

/**
 * Each leader skips this many sequence numbers of the outbox. A server that was failed over to
 * without the last commits would assign their numbers again, and live streams would skip these
 * events.
 */
const SEQUENCE_GAP = 1_000_000

/** Makes this process the leader. Returns the position of the previous leader. */
export async function claimLeadership(db: Kysely<Database>, identity: LedgerIdentity): Promise<LeaderClaim> {
  await db
    .insertInto('indexer_state')
    .values({ program_id: identity.programId, genesis_hash: identity.genesisHash })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  assertSameLedger(await db.selectFrom('indexer_state').selectAll().executeTakeFirstOrThrow(), identity)
  const state = await db.transaction().execute(async (tx) => {
    const claimed = await tx
      .updateTable('indexer_state')
      .set({ leader_epoch: sql`leader_epoch + 1` })
      .returningAll()
      .executeTakeFirstOrThrow()
    // After the update, which locks the row: two leaders at once would undo each other's setval.
    await sql`
      select setval('outbox_events_sequence_seq', last_value + ${SEQUENCE_GAP})
      from outbox_events_sequence_seq`.execute(tx)
    return claimed
  })
  return {
    epoch: state.leader_epoch,
    commits: state.commits,
    position: {
      cursor: { slot: state.cursor_slot, signature: state.cursor_signature },
      finalizedSlot: state.finalized_slot,
      finalizedSignature: state.finalized_signature,
    },
  }
}

/**
 * Stores the position in the caller's transaction. Throws LeadershipLostError if there is another
 * leader, or if the stored number of commits is not the leader's. Then the server has lost commits,
 * or the result of one, and the leader must start again from the stored position.
 */
export async function storePosition(
  db: Kysely<Database>,
  { epoch, commits, position }: LeaderClaim,
  caughtUp: CaughtUp | null = null,
): Promise<void> {
  const result = await db
    .updateTable('indexer_state')
    .set({
      commits: commits + 1,
      cursor_slot: position.cursor.slot,
      cursor_signature: position.cursor.signature,
      finalized_slot: position.finalizedSlot,
      finalized_signature: position.finalizedSignature,
      updated_at: sql`now()`,
      ...(caughtUp !== null && {
        caught_up_slot: caughtUp.slot,
        caught_up_at: sql<string>`now() - make_interval(secs => ${caughtUp.age})`,
      }),
    })
    .where('leader_epoch', '=', epoch)
    .where('commits', '=', commits)
    .executeTakeFirst()
  if (result.numUpdatedRows !== 1n)
    throw new LeadershipLostError('another indexer has become the leader, or the database has lost commits')
}

export interface OpenedLedger extends LeaderClaim {
  /** The ledger's finalized slot now. */
  finalizedTip: number
  /** Every account must be read: the tables are new, or transactions could not be read. */
  needsSweep: boolean
  nonFinalAccounts: NonFinalAccounts
}

/**
 * Makes this process the leader, after it has checked that tables and node are of the same ledger.
 */
export async function openLedger(
  db: Kysely<Database>,
  rpc: LedgerRpc,
  programId: string,
): Promise<OpenedLedger> {
  const genesisHash = await rpc.call<string>('getGenesisHash')
  const finalizedTip = await rpc.call<number>('getSlot', [{ commitment: 'finalized' }])
  const claim = await claimLeadership(db, { programId, genesisHash })
  const { position } = claim
  if (finalizedTip < position.finalizedSlot) await assertNotReset(rpc, position, finalizedTip)
  const unread = await db
    .selectFrom('dead_letters')
    .select('id')
    .where('kind', 'in', UNREAD_TRANSACTION_KINDS)
    .executeTakeFirst()
  return {
    ...claim,
    finalizedTip,
    needsSweep: position.cursor.signature === null || unread !== undefined,
    nonFinalAccounts: await loadNonFinalAccounts(db, position.finalizedSlot),
  }
}

/**
 * A node that lags still knows an earlier finalized transaction. A ledger that was reset does not.
 */
async function assertNotReset(
  rpc: LedgerRpc,
  position: IndexerPosition,
  finalizedTip: number,
): Promise<void> {
  const signature = position.finalizedSignature ?? position.cursor.signature
  if (signature === null) return
  // A single call, unlike a batch, fails if another node may know the transaction.
  const { value } = await rpc.call<{ value: unknown[] }>('getSignatureStatuses', [
    [signature],
    { searchTransactionHistory: true },
  ])
  if ((value[0] ?? null) !== null) return
  // A node that has started from an old snapshot does not know the transaction yet.
  if (finalizedTip > position.finalizedSlot / 2)
    throw new LedgerRpcError('transport', 'the ledger node is far behind the slot that was read before')
  throw new LedgerMismatchError(
    `This database was filled up to slot ${position.finalizedSlot}, but the ledger has only come to slot ${finalizedTip} ` +
      'and does not know the transactions read before: it is another one, or it was reset. ' +
      'Point DATABASE_URL (or DATA_DIR) at another, empty database.',
  )
}

/**
 * Accounts that were read in a slot that is not final yet. Their state may come from a transaction
 * of a fork that no listing contained, so they are read again once the slot is final.
 */
export class NonFinalAccounts {
  /** The slot of the last read, by address. */
  readonly #slots: Map<string, number>

  constructor(slots: Map<string, number> = new Map()) {
    this.#slots = slots
  }

  add(snapshots: readonly AccountSnapshot[]): void {
    for (const snapshot of snapshots)
      for (const pda of pdasOf(snapshot))
        this.#slots.set(pda, Math.max(snapshot.slot, this.#slots.get(pda) ?? 0))
  }

  /** Up to `limit` accounts that were last read at or below this slot. */
  readUpTo(finalizedSlot: number, limit: number): string[] {
    const due: string[] = []
    for (const [pda, slot] of this.#slots) {
      if (slot <= finalizedSlot) due.push(pda)
      if (due.length === limit) break
    }
    return due
  }

  /** Removes accounts, except those that were read at a later slot in the meantime. */
  remove(pdas: readonly string[], finalizedSlot: number): void {
    for (const pda of pdas) if ((this.#slots.get(pda) ?? 0) <= finalizedSlot) this.#slots.delete(pda)
  }
}

/** The accounts that previous leaders read in slots that were not final. */
async function loadNonFinalAccounts(db: Kysely<Database>, finalizedSlot: number): Promise<NonFinalAccounts> {
  const slots = new Map<string, number>()
  for (const table of [...ACCOUNT_TABLES, 'closed_accounts', 'dead_letters'] as const) {
    const { rows } = await sql<{ pda: string; slot: number }>`
      select pda, slot from ${sql.table(table)} where slot > ${finalizedSlot} and pda is not null`.execute(db)
    for (const { pda, slot } of rows) slots.set(pda, slot)
  }
  return new NonFinalAccounts(slots)
}
