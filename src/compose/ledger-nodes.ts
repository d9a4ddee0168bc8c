import type { Kysely } from 'kysely'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../db/database.ts'
import { createFailoverRpc, type FailoverRpc } from '../ledger/failover/failover-rpc.ts'
import { assertSameLedger } from '../ledger/indexer/position.ts'
import type { Logger } from '../platform/logger.ts'
import type { RunningLedger } from './ledger.ts'
import { withTimeout } from '../platform/async/promises.ts'

export interface LedgerNodes {
  rpc: FailoverRpc
  /** WebSocket URLs of all nodes except those that are known to be on another ledger. */
  wsUrls: () => readonly string[]
}

/** A node that takes longer to answer is checked later, before its first use. */
const CHECK_TIMEOUT_MS = 2_000

/**
 * Connects to the nodes of one ledger: the ledger that filled the database, or the ledger of the
 * first node that answers if the database is empty. Throws LedgerMismatchError if the node is on
 * another ledger, or if the database belongs to another program.
 */
export async function connectLedgerNodes(
  { rpcUrls, wsUrls }: Pick<RunningLedger, 'rpcUrls' | 'wsUrls'>,
  {
    kysely,
    clock,
    logger,
    programId,
  }: { kysely: Kysely<Database>; clock: Clock; logger: Logger; programId: string },
): Promise<LedgerNodes> {
  const read = () =>
    kysely.selectFrom('indexer_state').select(['genesis_hash', 'program_id']).executeTakeFirst()
  const state = await read()
  const rpc = createFailoverRpc({
    urls: rpcUrls,
    clock,
    logger,
    genesisHash: state?.genesis_hash,
    readGenesisHash: async () => (await read())?.genesis_hash,
  })
  if (state !== undefined) {
    const found = await withTimeout(CHECK_TIMEOUT_MS, rpc.call<string>('getGenesisHash')).catch(() => null)
    assertSameLedger(state, { programId, genesisHash: found ?? state.genesis_hash })
  }
  return {
    rpc,
    wsUrls: () => {
      // Unless there is one WebSocket URL per node, the two lists cannot be matched.
      if (wsUrls.length !== rpcUrls.length) return wsUrls
      const nodes = rpc.nodes()
      return wsUrls.filter((_, i) => nodes[i] !== 'refused')
    },
  }
}
