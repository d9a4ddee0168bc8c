import { LRUCache } from 'lru-cache'
import { type FetchHostedResult, httpFreshness } from '../../../../platform/net/hosted/fetch-hosted.ts'
import { hasKeys } from '../checks/trust.ts'
import type { ExpectedList, StatusList } from './read-list.ts'

/** The longest time for which a list is used again, in milliseconds. */
export const MAX_LIST_AGE_MS = 900_000
/** The default of `ttl`, for lists that come without any time. */
const DEFAULT_LIST_AGE_MS = 300_000
const CACHE_BYTES = 33_554_432
/** An entry's keys and names, roughly. */
const ENTRY_BYTES = 4_096

/** A list and the time when it was fetched, in milliseconds since the epoch. */
export interface FetchedList {
  readonly list: StatusList
  readonly fetchedAt: number
}

export interface ListRequest extends ExpectedList {
  /** Ends the wait, not the fetch: others may wait for it. */
  readonly signal: AbortSignal | undefined
}

/** Returns an issuer's list, or why it cannot be used. Throws VERIFIER_BUSY. */
export type StatusLists = (request: ListRequest) => Promise<FetchedList | string>

export interface StatusListsOptions {
  readonly fetch: (url: string) => Promise<FetchHostedResult>
  readonly read: (document: Uint8Array, expected: ExpectedList) => Promise<StatusList | string>
}

/** Fetches each list once for all who ask at the same time, and keeps it as long as it is fresh. */
export function createStatusLists({ fetch, read }: StatusListsOptions): StatusLists {
  const cache = new LRUCache<string, FetchedList & { readonly freshUntil: number }>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ list }) => list.bits.length + ENTRY_BYTES,
  })
  const loading = new Map<string, Promise<FetchedList | string>>()

  async function load(key: string, expected: ExpectedList): Promise<FetchedList | string> {
    const { url, now } = expected
    const fetched = await fetch(url)
    if (fetched.kind === 'failed') return `the status list could not be fetched: ${fetched.reason}`
    const list = await read(fetched.body, expected)
    if (typeof list === 'string') return `the status list cannot be used: ${list}`
    const stated = [httpFreshness(fetched.headers), list.ttlMs].filter((ms) => ms !== null)
    const ageMs = Math.min(MAX_LIST_AGE_MS, ...(stated.length === 0 ? [DEFAULT_LIST_AGE_MS] : stated))
    const entry = { list, fetchedAt: now, freshUntil: Math.min(now + ageMs, list.validUntil) }
    cache.set(key, entry)
    return entry
  }

  return async ({ signal, ...expected }) => {
    const { url, issuer, now, trust } = expected
    const key = `${issuer} ${url}`
    const cached = cache.get(key)
    const isFresh = cached !== undefined && now >= cached.fetchedAt && now < cached.freshUntil
    if (isFresh && hasKeys(trust.find(issuer), cached.list.proofKeys)) return cached
    const running = loading.get(key) ?? load(key, expected).finally(() => loading.delete(key))
    loading.set(key, running)
    return signal === undefined ? running : untilAborted(running, signal)
  }
}

async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | string> {
  const { promise: aborted, resolve } = Promise.withResolvers<string>()
  const abort = (): void => resolve('the service is shutting down')
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
