import { createLedgerRpc, type LedgerRpc } from '../rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../rpc/rpc-error.ts'
import type { FailoverOptions, NodeState } from './node-pool.ts'

/** The only node. While it is on another ledger than the database, only `getGenesisHash` works. */
export function createSingleNodeRpc(
  url: string,
  { genesisHash, readGenesisHash, logger, timeoutMs }: Omit<FailoverOptions, 'urls'>,
): LedgerRpc & { nodes(): NodeState[] } {
  const rpc = createLedgerRpc({ url, ...(timeoutMs === undefined ? {} : { timeoutMs }) })
  let ledger: 'unknown' | 'expected' | 'other' = 'unknown'
  let checking: Promise<void> | undefined

  async function checkLedger(): Promise<void> {
    const expected = genesisHash ?? (await readGenesisHash?.())
    if (expected === undefined) return
    const actual = await rpc.call<string>('getGenesisHash')
    ledger = actual === expected ? 'expected' : 'other'
    if (ledger === 'other')
      logger.error(
        { genesisHash: actual, expected },
        'this ledger node is on another ledger than the database: it is not used',
      )
  }

  async function checked<T>(work: () => Promise<T>): Promise<T> {
    if (ledger === 'unknown') {
      checking ??= checkLedger().finally(() => (checking = undefined))
      await checking
    }
    if (ledger === 'other')
      throw new LedgerRpcError('rpc', 'the ledger node is on another ledger than the database')
    try {
      return await work()
    } catch (error) {
      const isUnreachable = error instanceof LedgerRpcError && error.kind !== 'rpc' && !error.isRateLimit
      // A different node may respond at this URL later.
      if (isUnreachable && ledger === 'expected') ledger = 'unknown'
      throw error
    }
  }

  return {
    call: <T>(method: string, params?: unknown[]) => {
      const work = (): Promise<T> => rpc.call(method, params)
      return method === 'getGenesisHash' ? work() : checked(work)
    },
    batch: (calls) => checked(() => rpc.batch(calls)),
    settle: (calls) => checked(() => rpc.settle(calls)),
    nodes: () => (ledger === 'other' ? ['refused'] : []),
  }
}
