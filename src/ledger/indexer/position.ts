import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import type { SignatureInfo } from '../decode/rows.ts'

/** Where reading stands. */
export interface IndexerPosition {
  /** Everything listed up to this transaction is in the tables. */
  cursor: { slot: number; signature: string | null }
  /** Everything up to this slot was checked against the finalized ledger. */
  finalizedSlot: number
  /** A finalized transaction some way below `finalizedSlot`: where the next check begins. */
  finalizedSignature: string | null
}

/** How far below the finalized slot each check of finality begins again, for entries that a node lists late. */
export const FINALITY_OVERLAP_SLOTS = 150

/** Where reading stands after these, the oldest first. */
export function positionAfter(
  position: IndexerPosition,
  infos: readonly SignatureInfo[],
  finalizedTip: number,
): IndexerPosition {
  const last = infos.at(-1)
  if (last === undefined) return position
  const settledBelow = finalizedTip - FINALITY_OVERLAP_SLOTS
  const settled = last.confirmationStatus === 'finalized' && last.slot < settledBelow
  return {
    ...position,
    cursor: { slot: last.slot, signature: last.signature },
    finalizedSignature: settled ? last.signature : position.finalizedSignature,
  }
}

export interface LedgerIdentity {
  programId: string
  genesisHash: string
}

/** The tables were filled from another ledger or program. Nothing is written over them. */
export class LedgerMismatchError extends OperatorError {
  override readonly name = 'LedgerMismatchError'
}

/** Another indexer has taken over, or must read on from an earlier place. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError'
}

/** Throws LedgerMismatchError where the tables were filled from another program or ledger than the service is set to. */
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

/** What a leader goes on from. */
export interface Claim {
  epoch: number
  /** How often leaders have committed. */
  commits: number
  position: IndexerPosition
}

/**
 * Places of the outbox that each leader leaves free before its own. A server that is failed over to without the last commits would
 * hand out their places again, and streams that have seen those would pass over the events at them.
 */
const FREE_PLACES = 1_000_000

/** Claims the tables for a new leader; returns where its predecessor stopped. */
export async function takeOver(db: Kysely<Database>, identity: LedgerIdentity): Promise<Claim> {
  await db
    .insertInto('indexer_state')
    .values({
      program_id: identity.programId,
      genesis_hash: identity.genesisHash,
      cursor_signature: null,
      finalized_signature: null,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  assertSameLedger(await db.selectFrom('indexer_state').selectAll().executeTakeFirstOrThrow(), identity)
  const state = await db.transaction().execute(async (tx) => {
    const claimed = await tx
      .updateTable('indexer_state')
      .set({ leader_epoch: sql`leader_epoch + 1` })
      .returningAll()
      .executeTakeFirstOrThrow()
    // Under the lock of the row: two leaders at once would set it back for each other.
    await sql`
      select setval('outbox_events_sequence_seq', last_value + ${FREE_PLACES}) from outbox_events_sequence_seq`.execute(
      tx,
    )
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
 * Stores the position in the caller's transaction, which is the leader's next commit. Throws LeadershipLostError when another indexer has taken over, and when
 * fewer or more commits are stored than the leader made: the server has lost the last ones, in a crash or with its primary, or the answer to one was lost.
 * Reading must go on from where the tables stand then.
 */
export async function storePosition(db: Kysely<Database>, claim: Claim): Promise<void> {
  const { position } = claim
  const result = await db
    .updateTable('indexer_state')
    .set({
      commits: claim.commits + 1,
      cursor_slot: position.cursor.slot,
      cursor_signature: position.cursor.signature,
      finalized_slot: position.finalizedSlot,
      finalized_signature: position.finalizedSignature,
      updated_at: sql`now()`,
    })
    .where('leader_epoch', '=', claim.epoch)
    .where('commits', '=', claim.commits)
    .executeTakeFirst()
  if (result.numUpdatedRows !== 1n)
    throw new LeadershipLostError(
      'another indexer has taken over, or the database has lost what was committed',
    )
}
