import { type LedgerRpc, type RpcCall, throwFirstError } from '../rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../rpc/rpc-error.ts'
import type { LedgerNode } from './ledger-node.ts'
import { assertCertain, completeResults, maySucceedElsewhere } from './missing-results.ts'
import { createNodePool, type FailoverOptions, type NodeState } from './node-pool.ts'
import { createSingleNodeRpc } from './single-node.ts'

/** A node further behind the newest known slot would show outdated state. */
const MAX_SLOTS_BEHIND = 64

export interface FailoverRpc extends LedgerRpc {
  /** In the order of the URLs. A single node is listed only while it is refused. */
  nodes(): NodeState[]
}

interface Result<T> {
  result: T
  node: LedgerNode
}

/**
 * Several nodes of one ledger as one. A call goes to the first usable node and fails over to the
 * next. The folder's README explains the rules. A call throws UncertainResultError if a listing
 * ends or a status is unknown while a node that may know more does not respond.
 */
export function createFailoverRpc(options: FailoverOptions): FailoverRpc {
  const { urls, clock, logger } = options
  const [first = '', ...others] = urls
  if (others.length === 0) return createSingleNodeRpc(first, options)
  const pool = createNodePool(options)
  /** By commitment. */
  const newestSlots = new Map<string, number>()

  async function tryNodes<T>(
    work: (rpc: LedgerRpc) => Promise<T>,
    { resend = true, isLagging = () => false }: { resend?: boolean; isLagging?: (result: T) => boolean } = {},
  ): Promise<Result<T>> {
    let failure: unknown
    let lagging: Result<T> | undefined
    for (const node of pool.candidates()) {
      let isSent = false
      try {
        if (!(await pool.isOnExpectedLedger(node))) continue
        isSent = true
        const result = await work(node.rpc)
        node.recordSuccess()
        if (!isLagging(result)) return { result, node }
        node.pauseShortly()
        lagging ??= { result, node }
      } catch (error) {
        if (!(error instanceof LedgerRpcError)) throw error
        failure = error
        const isNodeFailure = recordFailure(node, error)
        if (!isNodeFailure && !maySucceedElsewhere(error)) throw error
        // The node may have taken the transaction: sending it to another one could be a second
        // send.
        if (!resend && isSent && !error.isRateLimit) throw error
      }
    }
    if (lagging !== undefined) return lagging
    throw failure ?? pool.unavailableError()
  }

  function recordFailure(node: LedgerNode, error: LedgerRpcError): boolean {
    const isNodeFailure = node.recordFailure(error)
    if (isNodeFailure)
      logger.warn({ node: node.number, reason: error.message }, 'a ledger node failed, trying the next one')
    return isNodeFailure
  }

  function isLagging(method: string, params: unknown[], result: unknown): boolean {
    if (method !== 'getSlot' || typeof result !== 'number') return false
    const commitment = (params[0] as { commitment?: string } | undefined)?.commitment ?? 'finalized'
    const newest = newestSlots.get(commitment) ?? 0
    newestSlots.set(commitment, Math.max(newest, result))
    return result < newest - MAX_SLOTS_BEHIND
  }

  async function settle<T>(calls: RpcCall[]): Promise<(T | LedgerRpcError)[]> {
    const { result: results, node } = await tryNodes(async (rpc) => {
      const settled = await rpc.settle<T>(calls)
      // A batch of which the node took nothing can go to another node.
      if (settled.every(isRateLimit) && settled[0] !== undefined) throw settled[0]
      return settled
    })
    const rateLimit = results.find(isRateLimit)
    if (rateLimit !== undefined) recordFailure(node, rateLimit)
    await completeResults(pool, node, { calls, results })
    return results
  }

  async function call<T>(method: string, params: unknown[] = []): Promise<T> {
    try {
      const { result, node } = await tryNodes((rpc) => rpc.call<T>(method, params), {
        resend: method !== 'sendTransaction',
        isLagging: (slot: T) => isLagging(method, params, slot),
      })
      const request = { method, params }
      const results: unknown[] = [result]
      const silent = await completeResults(pool, node, { calls: [request], results })
      assertCertain(request, results[0], silent, clock.now())
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
