import type { Clock } from '../clock.ts'
import type { Logger } from '../logger.ts'
import {
  type Endpoint,
  newEndpoint,
  noteEndpointFailure,
  noteEndpointSuccess,
  noteLagging,
} from './endpoint.ts'
import { createLedgerRpc, type LedgerRpc, LedgerRpcError, type RpcCall } from './rpc.ts'

/** With somebody else to ask, nobody is waited for that long. */
const TIMEOUT_MS = 6_000
/** Nodes of one cluster are seldom further apart; one that is would show a past that others have left behind. */
const MAX_SLOTS_BEHIND = 64

/** After these the next node is asked at once: this one cannot answer yet, or has lost what was asked for. */
const ASK_ANOTHER = new Set([-32004, -32005, -32007, -32009, -32014, -32016, -32001, -32603])

export interface FailoverOptions {
  /** In the order of preference. */
  urls: readonly string[]
  clock: Clock
  logger: Pick<Logger, 'warn' | 'error'>
  timeoutMs?: number
  /** Of the ledger that the nodes must be on, base-58; without it the first node that answers says. */
  genesisHash?: string | undefined
}

/** What is known of one of several nodes. */
export type NodeState = 'well' | 'resting' | 'refused'

export interface FailoverRpc extends LedgerRpc {
  /** In the order of the URLs; none of a node that is alone. */
  nodes(): NodeState[]
}

/**
 * One interface to several nodes of one ledger. The first that is well is asked; where it fails, the next one in the same call. Nodes rest after
 * failures, as long as a Retry-After asks for. A node of another ledger is never asked for anything else, one that lags far behind not for a while,
 * and a transaction that one node does not know is asked for at the others: an empty answer is the last one believed.
 * A transaction is sent to one node only, unless that one refused to take calls: whether it was taken is otherwise not known.
 */
export function createFailoverRpc(options: FailoverOptions): FailoverRpc {
  const { urls, clock, logger } = options
  const [first = '', ...others] = urls
  const limit = options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }
  if (others.length === 0) return { ...createLedgerRpc({ url: first, ...limit }), nodes: () => [] }
  const endpoints = urls.map((url, i) =>
    newEndpoint(createLedgerRpc({ url, timeoutMs: TIMEOUT_MS, ...limit }), i + 1),
  )
  let { genesisHash } = options
  let introduced = false
  const newest = new Map<string, number>()

  function candidates(): Endpoint[] {
    const now = clock.now()
    const usable = endpoints.filter((each) => each.ledger !== 'another')
    const awake = usable.filter((each) => each.restsUntil <= now)
    if (awake.length > 0) return awake
    // Better one that may be well again than none; but who asked for a pause gets it.
    return usable.filter((each) => !each.restIsAsked).sort((a, b) => a.restsUntil - b.restsUntil)
  }

  function noneLeft(): LedgerRpcError {
    const waits = endpoints.filter((each) => each.ledger !== 'another').map((each) => each.restsUntil)
    if (waits.length === 0) return new LedgerRpcError('rpc', 'every ledger node is on another ledger')
    return new LedgerRpcError('http', 'every ledger node asked to be left alone for a while', {
      code: 429,
      retryAfterMs: Math.max(0, Math.min(...waits) - clock.now()),
    })
  }

  async function ask<T>(
    work: (rpc: LedgerRpc) => Promise<T>,
    options: { resend?: boolean; isLagging?: (answer: T) => boolean } = {},
  ): Promise<T> {
    const { resend = true, isLagging = () => false } = options
    let failure: unknown
    let behind: { answer: T } | undefined
    for (const endpoint of candidates()) {
      let asked = false
      try {
        await join(endpoint)
        if (endpoint.ledger === 'another') continue
        asked = true
        const answer = await work(endpoint.rpc)
        noteEndpointSuccess(endpoint)
        if (!isLagging(answer)) return answer
        noteLagging(endpoint, clock)
        behind ??= { answer }
      } catch (error) {
        if (!(error instanceof LedgerRpcError)) throw error
        failure = error
        const unwell = noteEndpointFailure(endpoint, error, clock)
        if (unwell)
          logger.warn(
            { endpoint: endpoint.number, reason: error.message },
            'a ledger node failed, the next one is asked',
          )
        if (!unwell && !ASK_ANOTHER.has(error.code ?? 0)) throw error
        if (!resend && asked && error.code !== 429) throw error
      }
    }
    if (behind !== undefined) return behind.answer
    throw failure ?? noneLeft()
  }

  /** Makes sure that the node is on the same ledger as the others. */
  async function join(endpoint: Endpoint): Promise<void> {
    if (endpoint.ledger !== 'unknown') return
    endpoint.genesisHash = await endpoint.rpc.call<string>('getGenesisHash')
    genesisHash ??= endpoint.genesisHash
    endpoint.ledger = endpoint.genesisHash === genesisHash ? 'ours' : 'another'
    if (endpoint.ledger === 'another')
      logger.error(
        { endpoint: endpoint.number, genesisHash: endpoint.genesisHash, expected: genesisHash },
        'this ledger node is on another ledger than the database or the nodes before it: it is not used',
      )
    else if (!introduced) introduce()
  }

  /** The others are asked for their ledger before they are needed, so that a wrong one is told of at once. */
  function introduce(): void {
    introduced = true
    // One that cannot be reached is asked when it is needed.
    for (const endpoint of endpoints) join(endpoint).catch(() => {})
  }

  /** What the first node does not know, the others may. */
  async function fillGaps(calls: RpcCall[], results: unknown[]): Promise<void> {
    for (const endpoint of candidates().slice(1)) {
      const missing = calls.flatMap((call, i) => (isGap(call, results[i]) ? [i] : []))
      if (missing.length === 0) return
      try {
        await join(endpoint)
        if (endpoint.ledger === 'another') continue
        const found = await endpoint.rpc.settle(missing.flatMap((i) => calls[i] ?? []))
        for (const [at, i] of missing.entries()) {
          const result = found[at]
          if (result !== undefined && !(result instanceof LedgerRpcError)) results[i] = result
        }
      } catch (error) {
        if (!(error instanceof LedgerRpcError)) throw error
        noteEndpointFailure(endpoint, error, clock)
      }
    }
  }

  function isLagging(method: string, params: unknown[], answer: unknown): boolean {
    if (method !== 'getSlot' || typeof answer !== 'number') return false
    const commitment = (params[0] as { commitment?: string } | undefined)?.commitment ?? 'finalized'
    const known = newest.get(commitment) ?? 0
    newest.set(commitment, Math.max(known, answer))
    return answer < known - MAX_SLOTS_BEHIND
  }

  async function settle<T>(calls: RpcCall[]): Promise<(T | LedgerRpcError)[]> {
    const results = await ask((rpc) => rpc.settle<T>(calls))
    await fillGaps(calls, results)
    return results
  }

  async function call<T>(method: string, params: unknown[] = []): Promise<T> {
    try {
      return await ask((rpc) => rpc.call<T>(method, params), {
        resend: method !== 'sendTransaction',
        isLagging: (answer: T) => isLagging(method, params, answer),
      })
    } catch (error) {
      // Which ledger that is, whoever compares it with the database has to know.
      const [{ genesisHash: wrong } = { genesisHash: undefined }] = endpoints
      const isRefused = endpoints.every((each) => each.ledger === 'another')
      if (method === 'getGenesisHash' && isRefused && wrong !== undefined) return wrong as T
      throw error
    }
  }

  return {
    settle,
    call,
    nodes: () =>
      endpoints.map(({ ledger, restsUntil }) => {
        if (ledger === 'another') return 'refused'
        return restsUntil > clock.now() ? 'resting' : 'well'
      }),
    async batch<T>(calls: RpcCall[]) {
      const results = await settle<T>(calls)
      for (const result of results) if (result instanceof LedgerRpcError) throw result
      return results as T[]
    },
  }
}

/** A transaction or block that this node cannot show. */
function isGap({ method }: RpcCall, result: unknown): boolean {
  if (method === 'getTransaction' && result === null) return true
  return result instanceof LedgerRpcError && ASK_ANOTHER.has(result.code ?? 0)
}
