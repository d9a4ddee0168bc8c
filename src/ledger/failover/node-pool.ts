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
export class NodePool {
  readonly #nodes: readonly LedgerNode[]
  readonly #logger: FailoverOptions['logger']
  readonly #clock: Clock
  #genesisHash: string | undefined
  #checkedAll = false

  constructor({ urls, clock, logger, timeoutMs = TIMEOUT_MS, genesisHash }: FailoverOptions) {
    this.#nodes = urls.map((url, i) => new LedgerNode(createLedgerRpc({ url, timeoutMs }), i + 1, clock))
    this.#logger = logger
    this.#clock = clock
    this.#genesisHash = genesisHash
  }

  /** The nodes to try, in this order. */
  candidates(): LedgerNode[] {
    const usable = this.#usable()
    const active = usable.filter((node) => !node.isPaused)
    if (active.length > 0) return active
    // Tries the failed nodes early, but not those that asked for a pause.
    return usable.filter((node) => !node.askedForPause).sort((a, b) => a.pausedUntil - b.pausedUntil)
  }

  /** All other usable nodes in the order of preference, also the paused ones. */
  others(node: LedgerNode): LedgerNode[] {
    return this.#usable().filter((each) => each !== node)
  }

  /** Whether the node is on the expected ledger. Asks it if that is unknown. */
  async isOnExpectedLedger(node: LedgerNode): Promise<boolean> {
    if (node.ledger !== 'unknown') return node.ledger === 'expected'
    node.genesisHash = await node.rpc.call<string>('getGenesisHash')
    this.#genesisHash ??= node.genesisHash
    node.ledger = node.genesisHash === this.#genesisHash ? 'expected' : 'other'
    if (node.ledger === 'other')
      this.#logger.error(
        { node: node.number, genesisHash: node.genesisHash, expected: this.#genesisHash },
        'this ledger node is on another ledger than the database or the nodes before it: it is not used',
      )
    else this.#checkAll()
    return node.ledger === 'expected'
  }

  /** The error when no node could be tried. */
  unavailableError(): LedgerRpcError {
    const ends = this.#usable().map((node) => node.pausedUntil)
    if (ends.length === 0) return new LedgerRpcError('rpc', 'every ledger node is on another ledger')
    return new LedgerRpcError('http', 'every ledger node asked for a pause', {
      code: 429,
      retryAfterMs: Math.max(0, Math.min(...ends) - this.#clock.now()),
    })
  }

  /** The first node's genesis hash if all nodes are on another ledger. */
  otherGenesisHash(): string | undefined {
    return this.#usable().length === 0 ? this.#nodes[0]?.genesisHash : undefined
  }

  states(): NodeState[] {
    return this.#nodes.map((node) => {
      if (node.ledger === 'other') return 'refused'
      return node.isPaused ? 'paused' : 'healthy'
    })
  }

  #usable(): LedgerNode[] {
    return this.#nodes.filter((node) => node.ledger !== 'other')
  }

  /** Checks all nodes once, so that a wrong one is reported before it is needed. */
  #checkAll(): void {
    if (this.#checkedAll) return
    this.#checkedAll = true
    // A node that does not respond now is checked when it is needed.
    for (const node of this.#nodes) this.isOnExpectedLedger(node).catch(() => {})
  }
}
