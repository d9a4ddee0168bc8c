import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/tables.ts'
import { createFailoverRpc, type FailoverRpc } from '../ledger/failover/failover-rpc.ts'
import type { Logger } from '../logger.ts'
import type { RunningLedger } from './ledger.ts'

export interface LedgerNodes {
  rpc: FailoverRpc
  /** The WebSockets of the nodes that are not known to be on another ledger. */
  wsUrls: () => readonly string[]
}

/** The nodes of one ledger: the one that the database was filled from, or, while it is empty, that of the first node to answer. */
export async function connectLedgerNodes(
  { rpcUrls, wsUrls }: Pick<RunningLedger, 'rpcUrls' | 'wsUrls'>,
  { kysely, clock, logger }: { kysely: Kysely<Database>; clock: Clock; logger: Logger },
): Promise<LedgerNodes> {
  const state = await kysely.selectFrom('indexer_state').select('genesis_hash').executeTakeFirst()
  const rpc = createFailoverRpc({ urls: rpcUrls, clock, logger, genesisHash: state?.genesis_hash })
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
