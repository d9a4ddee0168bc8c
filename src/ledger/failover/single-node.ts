import { createLedgerRpc, type LedgerRpc } from '../rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../rpc/rpc-error.ts'
import type { FailoverOptions, NodeState } from './node-pool.ts'

/** A node that is alone. On another ledger than the database it is asked for nothing but which one that is. */
export function createOneNode(
  url: string,
  { genesisHash, readGenesisHash, logger, timeoutMs }: Omit<FailoverOptions, 'urls'>,
): LedgerRpc & { nodes(): NodeState[] } {
  const rpc = createLedgerRpc({ url, ...(timeoutMs === undefined ? {} : { timeoutMs }) })
  let ledger: 'unknown' | 'ours' | 'another' = 'unknown'
  let joining: Promise<void> | undefined

  async function join(): Promise<void> {
    const expected = genesisHash ?? (await readGenesisHash?.())
    if (expected === undefined) return
    const found = await rpc.call<string>('getGenesisHash')
    ledger = found === expected ? 'ours' : 'another'
    if (ledger === 'another')
      logger.error(
        { genesisHash: found, expected },
        'this ledger node is on another ledger than the database: it is not used',
      )
  }

  async function checked<T>(work: () => Promise<T>): Promise<T> {
    if (ledger === 'unknown') {
      joining ??= join().finally(() => (joining = undefined))
      await joining
    }
    if (ledger === 'another')
      throw new LedgerRpcError('rpc', 'the ledger node is on another ledger than the database')
    try {
      return await work()
    } catch (error) {
      const isAway = error instanceof LedgerRpcError && error.kind !== 'rpc' && !error.isRateLimit
      // What answers there later may be another node.
      if (isAway && ledger === 'ours') ledger = 'unknown'
      throw error
    }
  }

  return {
    call: <T>(method: string, params?: unknown[]) => {
      const work = (): Promise<T> => rpc.call(method, params)
      // Whoever compares it with the database has to know.
      return method === 'getGenesisHash' ? work() : checked(work)
    },
    batch: (calls) => checked(() => rpc.batch(calls)),
    settle: (calls) => checked(() => rpc.settle(calls)),
    nodes: () => (ledger === 'another' ? ['refused'] : []),
  }
}
