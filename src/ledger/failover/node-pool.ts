import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { createLedgerRpc } from '../rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../rpc/rpc-error.ts'
import { LedgerNode } from './ledger-node.ts'

/** Shorter than for a single node, because another node can respond. */
const TIMEOUT_MS = 6_000

export interface FailoverOptions {
  /** In the order of preference. */
  urls: readonly string[]
  clock: Clock
  logger: Pick<Logger, 'warn' | 'error'>
  timeoutMs?: number
  /** Base-58, of the expected ledger. Without it, the first node that responds decides. */
  genesisHash?: string | undefined
  /** For a single node: reads `genesisHash` later, because another process may fill the tables. */
  readGenesisHash?: () => Promise<string | undefined>
}

export type NodeState = 'healthy' | 'paused' | 'refused'

/** Several nodes. Those that are on another ledger are never used. */
export interface NodePool {
  /** The nodes to try, in this order. */
  candidates(): LedgerNode[]
  /** All other usable nodes in the order of preference, also the paused ones. */
  others(node: LedgerNode): LedgerNode[]
  /** Whether the node is on the expected ledger. Asks it if that is unknown. */
  isOnExpectedLedger(node: LedgerNode): Promise<boolean>
  /** The error when no node could be tried. */
  unavailableError(): LedgerRpcError
  /** The first node's genesis hash if all nodes are on another ledger. */
  otherGenesisHash(): string | undefined
  states(): NodeState[]
}

export function createNodePool({ urls, clock, logger, ...options }: FailoverOptions): NodePool {
  const { timeoutMs = TIMEOUT_MS } = options
  const nodes = urls.map((url, i) => new LedgerNode(createLedgerRpc({ url, timeoutMs }), i + 1, clock))
  let { genesisHash } = options
  let areAllChecked = false
  const usable = (): LedgerNode[] => nodes.filter((node) => node.ledger !== 'other')

  async function isOnExpectedLedger(node: LedgerNode): Promise<boolean> {
    if (node.ledger !== 'unknown') return node.ledger === 'expected'
    node.genesisHash = await node.rpc.call<string>('getGenesisHash')
    genesisHash ??= node.genesisHash
    node.ledger = node.genesisHash === genesisHash ? 'expected' : 'other'
    if (node.ledger === 'other')
      logger.error(
        { node: node.number, genesisHash: node.genesisHash, expected: genesisHash },
        'this ledger node is on another ledger than the database or the nodes before it: it is not used',
      )
    else checkAll()
    return node.ledger === 'expected'
  }

  /** Checks all nodes once, so that a wrong one is reported before it is needed. */
  function checkAll(): void {
    if (areAllChecked) return
    areAllChecked = true
    // A node that does not respond now is checked when it is needed.
    for (const node of nodes) isOnExpectedLedger(node).catch(() => {})
  }

  return {
    isOnExpectedLedger,
    candidates() {
      const active = usable().filter((node) => !node.isPaused)
      if (active.length > 0) return active
      // Tries the failed nodes early, but not those that asked for a pause.
      return usable()
        .filter((node) => !node.askedForPause)
        .sort((a, b) => a.pausedUntil - b.pausedUntil)
    },
    others: (node) => usable().filter((each) => each !== node),
    unavailableError() {
      const ends = usable().map((node) => node.pausedUntil)
      if (ends.length === 0) return new LedgerRpcError('rpc', 'every ledger node is on another ledger')
      const retryAfterMs = Math.max(0, Math.min(...ends) - clock.now())
      return new LedgerRpcError('http', 'every ledger node requested a pause', { code: 429, retryAfterMs })
    },
    otherGenesisHash: () => (usable().length === 0 ? nodes[0]?.genesisHash : undefined),
    states: () =>
      nodes.map((node) => {
        if (node.ledger === 'other') return 'refused'
        return node.isPaused ? 'paused' : 'healthy'
      }),
  }
}
