import type { Clock } from '../../platform/clock.ts'
import type { RpcCall } from '../rpc/ledger-rpc.ts'
import { LedgerRpcError, UncertainResultError } from '../rpc/rpc-error.ts'
import {
  type Endpoint,
  isGivenUp,
  isResting,
  noteEndpointFailure,
  noteEndpointSuccess,
} from './ledger-node.ts'
import { type Gap, gapIn } from './gaps.ts'
import type { Nodes } from './node-pool.ts'

/**
 * Asks the other nodes for what the one that answered did not know, in `results`. Returns those that may know it still and did not tell.
 */
export async function fillGaps(
  nodes: Nodes,
  clock: Clock,
  answered: Endpoint,
  { calls, results }: { calls: readonly RpcCall[]; results: unknown[] },
): Promise<Endpoint[]> {
  const silent: Endpoint[] = []
  for (const endpoint of nodes.besides(answered)) {
    const gaps = gapsIn(calls, results)
    if (gaps.length === 0) return []
    if (isResting(endpoint, clock)) {
      silent.push(endpoint)
      continue
    }
    try {
      if (!(await nodes.join(endpoint))) continue
      const found = await endpoint.rpc.settle(gaps.map(({ gap }) => gap.call))
      const refusals = found.filter((each) => each instanceof LedgerRpcError)
      const limit = refusals.find((each) => each.isRateLimit)
      if (limit === undefined) noteEndpointSuccess(endpoint)
      else noteEndpointFailure(endpoint, limit, clock)
      for (const [at, { gap, i }] of gaps.entries())
        if (!(found[at] instanceof LedgerRpcError)) results[i] = gap.fill(found[at])
      if (refusals.some((each) => each.isTransient)) silent.push(endpoint)
    } catch (error) {
      if (!(error instanceof LedgerRpcError)) throw error
      noteEndpointFailure(endpoint, error, clock)
      silent.push(endpoint)
    }
  }
  return silent
}

/** Throws where somebody who may know better did not tell, and the answer is one that is acted on for good. */
export function assertCertain(
  call: RpcCall,
  answer: unknown,
  silent: readonly Endpoint[],
  clock: Clock,
): void {
  if (gapIn(call, answer)?.isDecisive !== true) return
  const missed = silent.filter((each) => !isGivenUp(each, clock))
  if (missed.length === 0) return
  const asked = missed.filter((each) => each.restIsAsked).map((each) => each.restsUntil)
  throw new UncertainResultError(
    `a ledger node that may know more does not answer now: number ${missed.map((each) => each.number).join(', ')}`,
    asked.length === 0 ? undefined : Math.max(0, Math.min(...asked) - clock.now()),
  )
}

function gapsIn(calls: readonly RpcCall[], results: readonly unknown[]): { gap: Gap; i: number }[] {
  return calls.flatMap((call, i) => {
    const gap = gapIn(call, results[i])
    return gap === null ? [] : [{ gap, i }]
  })
}
