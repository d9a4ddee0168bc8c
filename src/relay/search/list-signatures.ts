import type { Pubkey } from '@agent-registry/solana'
import type { SignatureInfo } from '../../ledger/decode/rpc-transaction.ts'
import type { LedgerCalls } from '../../ledger/rpc/ledger-rpc.ts'

const FIRST_PAGE_SIZE = 100
const PAGE_SIZE = 1_000

/** The finalized signatures of an account, newest first, as far as they are listed. */
export interface SignatureWindow {
  readonly address: Pubkey
  /** The listing ends below this slot. */
  readonly oldestSlot: number
  readonly infos: readonly SignatureInfo[]
  readonly pages: number
  /** Contains all signatures from `oldestSlot` on. */
  readonly complete: boolean
}

/**
 * Lists the next page. The node must have finalized `minContextSlot`. Throws UncertainResultError
 * if the listing ends while another node that may list more does not respond.
 */
export async function listPage(
  rpc: LedgerCalls,
  { address, oldestSlot, infos, pages }: Omit<SignatureWindow, 'complete'>,
  minContextSlot: number,
): Promise<SignatureWindow> {
  const before = infos.at(-1)?.signature
  const limit = before === undefined ? FIRST_PAGE_SIZE : PAGE_SIZE
  const config = { limit, before, commitment: 'finalized', minContextSlot }
  const listed = await rpc.call<SignatureInfo[]>('getSignaturesForAddress', [address, config])
  const added = listed.filter((info) => info.signature !== before)
  const inWindow = added.filter((info) => info.slot >= oldestSlot)
  // Nodes may return fewer entries than requested, so only an empty page ends a listing.
  const complete = added.length === 0 || inWindow.length < added.length
  return { address, oldestSlot, infos: [...infos, ...inWindow], pages: pages + 1, complete }
}
