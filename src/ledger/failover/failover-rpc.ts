import type { LedgerRpc, RpcCall } from '../rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../rpc/rpc-error.ts'
import { type Endpoint, noteEndpointFailure, noteEndpointSuccess, noteLagging } from './ledger-node.ts'
import { assertCertain, fillGaps } from './fill-gaps.ts'
import { mayBeKnownElsewhere } from './gaps.ts'
import { createNodes, type FailoverOptions, type NodeState } from './node-pool.ts'
import { createOneNode } from './single-node.ts'

/** Nodes of one cluster are seldom further apart; one that is would show a past that others have left behind. */
const MAX_SLOTS_BEHIND = 64

export interface FailoverRpc extends LedgerRpc {
  /** In the order of the URLs; of a node that is alone only that it is refused. */
  nodes(): NodeState[]
}

/**
 * One interface to several nodes of one ledger. The first that is well is asked; where it fails, the next one in the same call. Nodes rest after
 * failures, as long as a Retry-After asks for. A node of another ledger is never asked for anything else, one that lags far behind not for a while.
 * What one node does not know is asked for at the others: a transaction, a status in the whole history, what a listing shows further back. A single
 * call that ends a listing, or that says that there is no such status, throws UncertainAnswerError while a node that may know better does not answer.
 * A transaction is sent to one node only, unless that one refused to take calls: whether it was taken is otherwise not known.
 */
export function createFailoverRpc(options: FailoverOptions): FailoverRpc {
  const { urls, clock, logger } = options
  const [first = '', ...others] = urls
  if (others.length === 0) return createOneNode(first, options)
  const nodes = createNodes(options)
  const newest = new Map<string, number>()

  async function ask<T>(
    work: (rpc: LedgerRpc) => Promise<T>,
    { resend = true, isLagging = () => false }: { resend?: boolean; isLagging?: (answer: T) => boolean } = {},
  ): Promise<{ answer: T; endpoint: Endpoint }> {
    let failure: unknown
    let behind: { answer: T; endpoint: Endpoint } | undefined
    for (const endpoint of nodes.candidates()) {
      let asked = false
      try {
        if (!(await nodes.join(endpoint))) continue
        asked = true
        const answer = await work(endpoint.rpc)
        noteEndpointSuccess(endpoint)
        if (!isLagging(answer)) return { answer, endpoint }
        noteLagging(endpoint, clock)
        behind ??= { answer, endpoint }
      } catch (error) {
        if (!(error instanceof LedgerRpcError)) throw error
        failure = error
        const unwell = noteFailure(endpoint, error)
        if (!unwell && !mayBeKnownElsewhere(error)) throw error
        if (!resend && asked && !error.isRateLimit) throw error
      }
    }
    if (behind !== undefined) return behind
    throw failure ?? nodes.noneLeft()
  }

  function noteFailure(endpoint: Endpoint, error: LedgerRpcError): boolean {
    const unwell = noteEndpointFailure(endpoint, error, clock)
    if (unwell)
      logger.warn(
        { endpoint: endpoint.number, reason: error.message },
        'a ledger node failed, the next one is asked',
      )
    return unwell
  }

  function isLagging(method: string, params: unknown[], answer: unknown): boolean {
    if (method !== 'getSlot' || typeof answer !== 'number') return false
    const commitment = (params[0] as { commitment?: string } | undefined)?.commitment ?? 'finalized'
    const known = newest.get(commitment) ?? 0
    newest.set(commitment, Math.max(known, answer))
    return answer < known - MAX_SLOTS_BEHIND
  }

  async function settle<T>(calls: RpcCall[]): Promise<(T | LedgerRpcError)[]> {
    const { answer: results, endpoint } = await ask(async (rpc) => {
      const settled = await rpc.settle<T>(calls)
      const limits = settled.filter((each) => each instanceof LedgerRpcError && each.isRateLimit)
      // A batch of which nothing was taken is one that another node can take.
      if (limits.length === calls.length && limits[0] instanceof LedgerRpcError) throw limits[0]
      return settled
    })
    const limit = results.find((each) => each instanceof LedgerRpcError && each.isRateLimit)
    if (limit instanceof LedgerRpcError) noteFailure(endpoint, limit)
    await fillGaps(nodes, clock, endpoint, { calls, results })
    return results
  }

  async function call<T>(method: string, params: unknown[] = []): Promise<T> {
    try {
      const { answer, endpoint } = await ask((rpc) => rpc.call<T>(method, params), {
        resend: method !== 'sendTransaction',
        isLagging: (told: T) => isLagging(method, params, told),
      })
      const asked = { method, params }
      const results: unknown[] = [answer]
      const silent = await fillGaps(nodes, clock, endpoint, { calls: [asked], results })
      assertCertain(asked, results[0], silent, clock)
      return results[0] as T
    } catch (error) {
      // Which ledger that is, whoever compares it with the database has to know.
      const wrong = method === 'getGenesisHash' ? nodes.wrongLedger() : undefined
      if (wrong !== undefined) return wrong as T
      throw error
    }
  }

  return {
    settle,
    call,
    nodes: () => nodes.states(),
    async batch<T>(calls: RpcCall[]) {
      const results = await settle<T>(calls)
      for (const result of results) if (result instanceof LedgerRpcError) throw result
      return results as T[]
    },
  }
}
