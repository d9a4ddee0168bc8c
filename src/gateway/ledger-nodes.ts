import type { Kysely } from 'kysely'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../db/database.ts'
import { createFailoverRpc, type FailoverRpc } from '../ledger/failover/failover-rpc.ts'
import { assertSameLedger } from '../ledger/indexer/position.ts'
import type { Logger } from '../platform/logger.ts'
import type { RunningLedger } from './ledger.ts'
import { withTimeout } from '../platform/async/with-timeout.ts'

export interface LedgerNodes {
  rpc: FailoverRpc
  /** The WebSockets of the nodes that are not known to be on another ledger. */
  wsUrls: () => readonly string[]
}

/** A node that does not answer this long is checked when it is needed. */
const CHECKED_WITHIN_MS = 2_000

/**
 * The nodes of one ledger: the one that the database was filled from, or, while it is empty, that of the first node to answer. Throws
 * LedgerMismatchError where they are known to be on another one, or the database is another program's.
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
    const found = await withTimeout(CHECKED_WITHIN_MS, rpc.call<string>('getGenesisHash')).catch(() => null)
    assertSameLedger(state, { programId, genesisHash: found ?? state.genesis_hash })
  }
  return {
    rpc,
    wsUrls: () => {
      // Without a WebSocket for each node nobody can say whose one is.
      if (wsUrls.length !== rpcUrls.length) return wsUrls
      const nodes = rpc.nodes()
      return wsUrls.filter((_, i) => nodes[i] !== 'refused')
    },
  }
}
