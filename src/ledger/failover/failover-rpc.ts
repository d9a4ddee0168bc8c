import { Gauge } from 'prom-client'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import { createLedgerRpc, type LedgerRpc, type RpcCall, throwFirstError } from '../rpc/ledger-rpc.ts'
import { LedgerRpcError, UncertainResultError } from '../rpc/rpc-error.ts'
import { findMissing, maySucceedElsewhere } from './missing-results.ts'

/** Of one request. Shorter than for a single node, because another node can respond. */
const TIMEOUT_MS = 6_000
const MIN_PAUSE_MS = 500
const MAX_PAUSE_MS = 60_000
/** For a node that is behind, or that limits calls without a Retry-After. */
const SHORT_PAUSE_MS = 2_000
const NODE_BEHIND = -32005
/** A node further behind the newest known slot would show outdated state. */
const MAX_SLOTS_BEHIND = 64
/** Results no longer depend on a node that has failed this often and for this long. */
const GIVEN_UP_FAILURES = 8
const GIVEN_UP_MS = 600_000

export interface FailoverOptions {
  /** In the order of preference. */
  urls: readonly string[]
  clock: Clock
  logger: Pick<Logger, 'warn' | 'error'>
  timeoutMs?: number
  /**
   * Base-58, of the expected ledger. Of several nodes, the first that responds decides without it.
   */
  genesisHash?: string | undefined
  /** Reads `genesisHash` later, because another process may fill the tables. */
  readGenesisHash?: () => Promise<string | undefined>
}

export type NodeState = 'healthy' | 'paused' | 'refused'

export interface FailoverRpc extends LedgerRpc {
  /** In the order of the URLs. A single node is listed only while it is refused. */
  nodes(): NodeState[]
}

/**
 * The nodes of one ledger as one. A call goes to the first usable node and fails over to the next.
 * The folder's README explains the rules. A call throws UncertainResultError if a listing ends or a
 * status is unknown while a node that may know more does not respond.
 */
export function createFailoverRpc(options: FailoverOptions): FailoverRpc {
  const pool = new NodePool(options)

  async function settle<T>(calls: RpcCall[]): Promise<(T | LedgerRpcError)[]> {
    const { result: results, node } = await pool.tryNodes(async (rpc) => {
      const settled = await rpc.settle<T>(calls)
      // A batch of which the node took nothing can go to another node.
      if (settled.every(isRateLimit) && settled[0] !== undefined) throw settled[0]
      return settled
    })
    const rateLimit = results.find(isRateLimit)
    if (rateLimit !== undefined) pool.recordFailure(node, rateLimit)
    await pool.completeResults(node, calls, results)
    return results
  }

  async function call<T>(method: string, params: unknown[] = []): Promise<T> {
    try {
      const { result, node } = await pool.tryNodes((rpc) => rpc.call<T>(method, params), {
        resend: method !== 'sendTransaction',
        isLagging: (slot: T) => method === 'getSlot' && pool.isLagging(params, slot),
      })
      const request = { method, params }
      const results: unknown[] = [result]
      const silent = await pool.completeResults(node, [request], results)
      assertCertain(request, results[0], silent, options.clock.now())
      return results[0] as T
    } catch (error) {
      // The caller compares it with the database and reports the mismatch.
      const otherHash = method === 'getGenesisHash' ? pool.otherGenesisHash() : undefined
      if (otherHash !== undefined) return otherHash as T
      throw error
    }
  }

  return {
    settle,
    call,
    batch: async <T>(calls: RpcCall[]) => throwFirstError(await settle<T>(calls)),
    nodes: () => pool.states(),
  }
}

const isRateLimit = (result: unknown): result is LedgerRpcError =>
  result instanceof LedgerRpcError && result.isRateLimit

/** Throws if the absence of a result would be decisive and a `silent` node may have it. */
function assertCertain(call: RpcCall, result: unknown, silent: readonly LedgerNode[], now: number): void {
  if (findMissing(call, result)?.isDecisive !== true) return
  const awaited = silent.filter((node) => !node.isGivenUp)
  if (awaited.length === 0) return
  const pauses = awaited.filter((node) => node.askedForPause).map((node) => node.pausedUntil)
  throw new UncertainResultError(
    `a ledger node that may have more data does not respond: number ${awaited.map((node) => node.number).join(', ')}`,
    pauses.length === 0 ? undefined : Math.max(0, Math.min(...pauses) - now),
  )
}

interface Result<T> {
  result: T
  node: LedgerNode
}

/** The nodes. Those that are on another ledger are never used. */
class NodePool {
  readonly #nodes: readonly LedgerNode[]
  readonly #options: FailoverOptions
  #genesisHash: string | undefined
  #areAllChecked = false
  /** By commitment. */
  readonly #newestSlots = new Map<string, number>()

  constructor(options: FailoverOptions) {
    const { urls, clock, timeoutMs = urls.length > 1 ? TIMEOUT_MS : undefined } = options
    this.#options = options
    this.#genesisHash = options.genesisHash
    const timeout = timeoutMs === undefined ? {} : { timeoutMs }
    this.#nodes = urls.map((url, i) => new LedgerNode(createLedgerRpc({ url, ...timeout }), i + 1, clock))
  }

  get #isSingle(): boolean {
    return this.#nodes.length === 1
  }

  get #usable(): LedgerNode[] {
    return this.#nodes.filter((node) => node.ledger !== 'other')
  }

  states(): NodeState[] {
    const states = this.#nodes.map((node) => {
      if (node.ledger === 'other') return 'refused'
      return node.isPaused ? 'paused' : 'healthy'
    })
    return this.#isSingle ? states.filter((state) => state === 'refused') : states
  }

  /** The first node's genesis hash if all nodes are on another ledger. */
  otherGenesisHash(): string | undefined {
    return this.#usable.length === 0 ? this.#nodes[0]?.genesisHash : undefined
  }

  /** Does the work with the first node that can. A lagging node only serves if no other does. */
  async tryNodes<T>(
    work: (rpc: LedgerRpc) => Promise<T>,
    { resend = true, isLagging = () => false }: { resend?: boolean; isLagging?: (result: T) => boolean } = {},
  ): Promise<Result<T>> {
    let failure: unknown
    let lagging: Result<T> | undefined
    for (const node of this.#candidates()) {
      let isSent = false
      try {
        if (!(await this.#isOnExpectedLedger(node))) continue
        isSent = true
        const result = await work(node.rpc)
        node.recordSuccess()
        if (!isLagging(result)) return { result, node }
        node.pauseShortly()
        lagging ??= { result, node }
      } catch (error) {
        if (!(error instanceof LedgerRpcError)) throw error
        failure = error
        const isNodeFailure = this.recordFailure(node, error)
        if (!isNodeFailure && !maySucceedElsewhere(error)) throw error
        // The node may have taken the transaction: another node could be a second send.
        if (!resend && isSent && !error.isRateLimit) throw error
      }
    }
    if (lagging !== undefined) return lagging
    throw failure ?? this.#unavailableError()
  }

  /** The nodes to try, in this order. A single one is never paused: no other can respond. */
  #candidates(): LedgerNode[] {
    const active = this.#usable.filter((node) => this.#isSingle || !node.isPaused)
    if (active.length > 0) return active
    // Tries the failed nodes early, but not those that asked for a pause.
    return this.#usable.filter((node) => !node.askedForPause).sort((a, b) => a.pausedUntil - b.pausedUntil)
  }

  recordFailure(node: LedgerNode, error: LedgerRpcError): boolean {
    const isNodeFailure = node.recordFailure(error)
    if (isNodeFailure && !this.#isSingle)
      this.#options.logger.warn(
        { node: node.number, reason: error.message },
        'a ledger node failed, trying the next one',
      )
    return isNodeFailure
  }

  /** Whether a slot is far below the newest one that a node has returned. */
  isLagging(params: unknown[], slot: unknown): boolean {
    if (typeof slot !== 'number') return false
    const commitment = (params[0] as { commitment?: string } | undefined)?.commitment ?? 'finalized'
    const newest = this.#newestSlots.get(commitment) ?? 0
    this.#newestSlots.set(commitment, Math.max(newest, slot))
    return slot < newest - MAX_SLOTS_BEHIND
  }

  /**
   * Whether the node is on the expected ledger. If that is unknown, calls that wait share a check.
   */
  async #isOnExpectedLedger(node: LedgerNode): Promise<boolean> {
    if (node.ledger !== 'unknown') return node.ledger === 'expected'
    node.checking ??= this.#checkLedger(node).finally(() => (node.checking = null))
    return node.checking
  }

  async #checkLedger(node: LedgerNode): Promise<boolean> {
    const { logger, readGenesisHash } = this.#options
    const stored = this.#genesisHash ?? (await readGenesisHash?.())
    if (stored === undefined && this.#isSingle) return true
    node.genesisHash = await node.rpc.call<string>('getGenesisHash')
    this.#genesisHash ??= stored ?? node.genesisHash
    node.ledger = node.genesisHash === this.#genesisHash ? 'expected' : 'other'
    if (node.ledger === 'expected') this.#checkAll()
    else
      logger.error(
        { node: node.number, genesisHash: node.genesisHash, expected: this.#genesisHash },
        'this ledger node is on another ledger than the database or the nodes before it: it is not used',
      )
    return node.ledger === 'expected'
  }

  /** Checks all nodes once, so that a wrong one is reported before it is needed. */
  #checkAll(): void {
    if (this.#areAllChecked) return
    this.#areAllChecked = true
    // A node that does not respond now is checked when it is needed.
    for (const node of this.#nodes) this.#isOnExpectedLedger(node).catch(() => {})
  }

  #unavailableError(): LedgerRpcError {
    const ends = this.#usable.map((node) => node.pausedUntil)
    if (ends.length === 0) return new LedgerRpcError('rpc', 'every ledger node is on another ledger')
    const retryAfterMs = Math.max(0, Math.min(...ends) - this.#options.clock.now())
    return new LedgerRpcError('http', 'every ledger node requested a pause', { code: 429, retryAfterMs })
  }

  /**
   * Asks the other nodes for what is missing in `results` and adds it there. Returns the nodes that
   * may have more and did not respond.
   */
  async completeResults(
    respondingNode: LedgerNode,
    calls: readonly RpcCall[],
    results: unknown[],
  ): Promise<LedgerNode[]> {
    const silent: LedgerNode[] = []
    for (const node of this.#usable.filter((each) => each !== respondingNode)) {
      const missing = calls.flatMap((call, i) => {
        const found = findMissing(call, results[i])
        return found === null ? [] : [{ ...found, i }]
      })
      if (missing.length === 0) return []
      if (node.isPaused) {
        silent.push(node)
        continue
      }
      try {
        if (!(await this.#isOnExpectedLedger(node))) continue
        const found = await node.rpc.settle(missing.map(({ call }) => call))
        const errors = found.filter((result) => result instanceof LedgerRpcError)
        const rateLimit = errors.find((error) => error.isRateLimit)
        if (rateLimit === undefined) node.recordSuccess()
        else node.recordFailure(rateLimit)
        for (const [at, { merge, i }] of missing.entries())
          if (!(found[at] instanceof LedgerRpcError)) results[i] = merge(found[at])
        if (errors.some((error) => error.isTransient)) silent.push(node)
      } catch (error) {
        if (!(error instanceof LedgerRpcError)) throw error
        node.recordFailure(error)
        silent.push(node)
      }
    }
    return silent
  }
}

/** One node: which ledger it is on, and whether it is paused after failures. */
class LedgerNode {
  readonly rpc: LedgerRpc
  /** Its position in SOLANA_RPC_URL from 1. Logs use it because the URL may contain a key. */
  readonly number: number
  /** Compared by genesis hash. Unknown before the first request, and again after a disconnect. */
  ledger: 'unknown' | 'expected' | 'other' = 'unknown'
  checking: Promise<boolean> | null = null
  genesisHash: string | undefined
  pausedUntil = 0
  /** The node asked for the pause, with a rate limit or a Retry-After. */
  askedForPause = false
  readonly #clock: Clock
  /** Failures in a row. */
  #failures = 0
  #failingSince = 0

  constructor(rpc: LedgerRpc, number: number, clock: Clock) {
    this.rpc = rpc
    this.number = number
    this.#clock = clock
  }

  get isPaused(): boolean {
    return this.pausedUntil > this.#clock.now()
  }

  get isGivenUp(): boolean {
    return this.#failures >= GIVEN_UP_FAILURES && this.#clock.now() - this.#failingSince >= GIVEN_UP_MS
  }

  recordSuccess(): void {
    this.#failures = 0
    this.askedForPause = false
  }

  /** Pauses a node that lags far behind another one. */
  pauseShortly(): void {
    this.pausedUntil = this.#clock.now() + SHORT_PAUSE_MS
  }

  /** Pauses the node. False if another node would respond with the same error: no pause then. */
  recordFailure(error: LedgerRpcError): boolean {
    const asksForPause = error.isRateLimit || error.retryAfterMs !== undefined
    if (error.kind === 'rpc' && !asksForPause) {
      const isBehind = error.code === NODE_BEHIND
      if (isBehind) this.pauseShortly()
      return isBehind
    }
    const now = this.#clock.now()
    if (this.#failures === 0) this.#failingSince = now
    this.#failures += 1
    this.askedForPause = asksForPause
    // A different node may respond at this URL later.
    if (!error.isRateLimit && this.ledger === 'expected') this.ledger = 'unknown'
    const backoffMs = Math.min(MIN_PAUSE_MS * 2 ** (this.#failures - 1), MAX_PAUSE_MS)
    this.pausedUntil = now + (asksForPause ? (error.retryAfterMs ?? SHORT_PAUSE_MS) : backoffMs)
    return true
  }
}

const STATES: readonly NodeState[] = ['healthy', 'paused', 'refused']

/** Labels nodes by their position in SOLANA_RPC_URL, because URLs may contain keys. */
export function exposeLedgerNodes(nodes: () => readonly NodeState[], metrics: Metrics): void {
  const gauge: Gauge<'state' | 'node'> = new Gauge({
    name: 'gateway_ledger_node',
    help: '1 for the current state of a ledger node: healthy, paused after a failure, or refused because it is on another ledger',
    labelNames: ['state', 'node'],
    registers: [metrics],
    collect: () => {
      for (const [i, current] of nodes().entries())
        for (const state of STATES) gauge.set({ node: i + 1, state }, Number(state === current))
    },
  })
}
