import type { Clock } from '../../platform/clock.ts'
import type { LedgerRpc } from '../rpc/ledger-rpc.ts'
import type { LedgerRpcError } from '../rpc/rpc-error.ts'

const MIN_REST_MS = 500
const MAX_REST_MS = 60_000
/** A node that says it is behind, or that limits calls without saying for how long. */
const SHORT_REST_MS = 2_000
const NODE_BEHIND = -32005
/** A node that failed this often, and for this long, is waited for no more where all should agree. */
const GIVEN_UP_FAILURES = 8
const GIVEN_UP_MS = 600_000

/** One node of several, and what it was like lately. */
export interface Endpoint {
  readonly rpc: LedgerRpc
  /** Told in logs in place of the URL, which may hold a key: 1 for the first of the setting. */
  readonly number: number
  /** Whether it is on the ledger of the others: unknown until it was asked, and again after it could not be reached. */
  ledger: 'unknown' | 'ours' | 'another'
  genesisHash: string | undefined
  /** In a row. */
  failures: number
  failingSince: number
  restsUntil: number
  /** The node itself asked to be left alone for that long. */
  restIsAsked: boolean
}

export function newEndpoint(rpc: LedgerRpc, number: number): Endpoint {
  return {
    rpc,
    number,
    ledger: 'unknown',
    genesisHash: undefined,
    failures: 0,
    failingSince: 0,
    restsUntil: 0,
    restIsAsked: false,
  }
}

/** Lets a node rest after a failure that another node may not have; false when the failure says nothing about the node. */
export function noteEndpointFailure(endpoint: Endpoint, error: LedgerRpcError, clock: Clock): boolean {
  const now = clock.now()
  const isPause = error.isRateLimit || error.retryAfterMs !== undefined
  if (error.kind === 'rpc' && !isPause) {
    if (error.code === NODE_BEHIND) endpoint.restsUntil = now + SHORT_REST_MS
    return error.code === NODE_BEHIND
  }
  if (endpoint.failures === 0) endpoint.failingSince = now
  endpoint.failures += 1
  endpoint.restIsAsked = isPause
  if (isPause) {
    endpoint.restsUntil = now + (error.retryAfterMs ?? SHORT_REST_MS)
    return true
  }
  // What answers there later may be another node, or the same one on another ledger.
  if (endpoint.ledger === 'ours') endpoint.ledger = 'unknown'
  endpoint.restsUntil = now + Math.min(MIN_REST_MS * 2 ** (endpoint.failures - 1), MAX_REST_MS)
  return true
}

/** A node whose tip lies this far below what another one showed is left alone. */
export function noteLagging(endpoint: Endpoint, clock: Clock): void {
  endpoint.restsUntil = clock.now() + SHORT_REST_MS
}

export function noteEndpointSuccess(endpoint: Endpoint): void {
  endpoint.failures = 0
  endpoint.restIsAsked = false
}

export function isResting(endpoint: Endpoint, clock: Clock): boolean {
  return endpoint.restsUntil > clock.now()
}

/** It has been away for so long that nobody can wait for what it may know. */
export function isGivenUp({ failures, failingSince }: Endpoint, clock: Clock): boolean {
  return failures >= GIVEN_UP_FAILURES && clock.now() - failingSince >= GIVEN_UP_MS
}
