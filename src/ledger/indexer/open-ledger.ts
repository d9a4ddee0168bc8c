import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { LedgerRpc } from '../rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../rpc/rpc-error.ts'
import { LETTERS_OF_WHOLE_TRANSACTIONS } from '../decode/rows.ts'
import { type Claim, type IndexerPosition, LedgerMismatchError, takeOver } from './position.ts'
import { loadUnsettledReads, type UnsettledReads } from './finality/non-final-accounts.ts'

export interface OpenedLedger extends Claim {
  /** The ledger's finalized slot now. */
  finalizedTip: number
  /** The tables are new, or there are transactions that could not be read. */
  sweepDue: boolean
  unsettled: UnsettledReads
}

/** Claims the tables, after making sure that they and the node speak of the same ledger. */
export async function openLedger(
  db: Kysely<Database>,
  rpc: LedgerRpc,
  programId: string,
): Promise<OpenedLedger> {
  const genesisHash = await rpc.call<string>('getGenesisHash')
  const finalizedTip = await rpc.call<number>('getSlot', [{ commitment: 'finalized' }])
  const claim = await takeOver(db, { programId, genesisHash })
  const { position } = claim
  if (finalizedTip < position.finalizedSlot) await refuseResetLedger(rpc, position, finalizedTip)
  const unread = await db
    .selectFrom('dead_letters')
    .select('id')
    .where('kind', 'in', LETTERS_OF_WHOLE_TRANSACTIONS)
    .executeTakeFirst()
  const sweepDue = position.cursor.signature === null || unread !== undefined
  const unsettled = await loadUnsettledReads(db, position.finalizedSlot)
  return { ...claim, finalizedTip, sweepDue, unsettled }
}

/** What is finalized stays. A node that is behind still knows it; a ledger that began anew does not. */
async function refuseResetLedger(
  rpc: LedgerRpc,
  position: IndexerPosition,
  finalizedTip: number,
): Promise<void> {
  const signature = position.finalizedSignature ?? position.cursor.signature
  if (signature === null) return
  const { value } = await rpc.call<{ value: unknown[] }>('getSignatureStatuses', [
    [signature],
    { searchTransactionHistory: true },
  ])
  if ((value[0] ?? null) !== null) return
  // A node that has begun from an old snapshot does not know them yet.
  if (finalizedTip > position.finalizedSlot / 2)
    throw new LedgerRpcError('transport', 'the ledger node is far behind what was read before')
  throw new LedgerMismatchError(
    `This database was filled up to slot ${position.finalizedSlot}, but the ledger has only come to slot ${finalizedTip} ` +
      'and does not know the transactions read before: it is another one, or it was reset. ' +
      'Point DATABASE_URL (or DATA_DIR) at another, empty database.',
  )
}
