import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import { UNREAD_TRANSACTION_KINDS } from '../decode/rows.ts'
import type { LedgerRpc } from '../rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../rpc/rpc-error.ts'
import { loadNonFinalAccounts, type NonFinalAccounts } from './finality/non-final-accounts.ts'
import { claimLeadership, type IndexerPosition, type LeaderClaim, LedgerMismatchError } from './position.ts'

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
