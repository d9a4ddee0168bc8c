import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Counter, Gauge } from 'prom-client'
import {
  type ReadTables,
  type ReadVersions,
  sameVersions,
  type Versions,
} from '../../../src/domain/read-versions.ts'
import { withTimeout } from '../../../src/platform/async/promises.ts'
import type { Metrics } from '../../../src/platform/metrics/metrics.ts'

/**
 * How long a request waits for a body that another request reads. That one's connection may be
 * dead.
 */
const SHARED_WAIT_MS = 2_000

/** Approximate memory of an entry beside its body and its key. */
const ENTRY_OVERHEAD_BYTES = 512

export interface CachedResponse {
  readonly body: Buffer
  readonly mediaType: string
  readonly etag: string
}

/** A read, independent of the client that sends it. */
export interface CacheableRead {
  /** Identifies the operation, its variables and the media type. */
  readonly key: string
  /** All tables that the response depends on. */
  readonly tables: readonly ReadTables[]
  readonly mediaType: string
  /** Reads the body. An error goes to every request that waits for it and is not cached. */
  readBody(): Promise<string>
}

export interface ResponseCache {
  /** Returns a response that contains everything committed before the call. */
  get(read: CacheableRead): Promise<CachedResponse>
  countNotModified(): void
}

/** A read in flight. */
interface PendingRead {
  readonly response: Promise<CachedResponse>
  readonly versions: Versions
  readonly sequence: number
}

/**
 * Caches responses together with the versions that their tables had before they were read. An entry
 * is used if a version check that started after the request finds the same versions. Equal reads at
 * the same time share one statement.
 */
export function createResponseCache(options: {
  readVersions: ReadVersions
  maxBytes: number
  metrics: Metrics
}): ResponseCache {
  const { readVersions, maxBytes, metrics } = options
  const cached = new LRUCache<string, { response: CachedResponse; versions: Versions }>({
    maxSize: maxBytes,
    sizeCalculation: ({ response }, key) => response.body.byteLength + 2 * key.length + ENTRY_OVERHEAD_BYTES,
  })
  const pending = new Map<string, PendingRead>()
  const { outcomes, notModified } = measure(metrics, cached)
  /** Orders requests and reads by the time at which they started. */
  let sequence = 0

  const startRead = (read: CacheableRead, versions: Versions): Promise<CachedResponse> => {
    outcomes.inc({ outcome: 'miss' })
    const response = read.readBody().then((body) => toResponse(read.mediaType, body))
    const started: PendingRead = { response, versions, sequence: ++sequence }
    pending.set(read.key, started)
    const finish = (result: CachedResponse | null): void => {
      // A later read of newer versions may have replaced this one.
      if (pending.get(read.key) !== started) return
      pending.delete(read.key)
      if (result !== null) cached.set(read.key, { response: result, versions })
    }
    response.then(finish, () => finish(null))
    return response
  }

  const joinRead = async (read: CacheableRead, joined: PendingRead): Promise<CachedResponse> => {
    outcomes.inc({ outcome: 'shared' })
    const response = await withTimeout(SHARED_WAIT_MS, joined.response)
    if (response !== null) return response
    const later = pending.get(read.key)
    return later === undefined || later === joined ? startRead(read, joined.versions) : later.response
  }

  return {
    countNotModified: () => notModified.inc(),
    get: async (read) => {
      const { key, tables } = read
      // The first read of a key needs no version check: every known version is old enough for it.
      const known = readVersions.latest()
      if (known !== null && !cached.has(key) && !pending.has(key)) return startRead(read, known)

      const arrived = ++sequence
      const versions = await readVersions.current()
      const inFlight = pending.get(key)
      if (versions === null) {
        // The check timed out. Only a read that started after this request is new enough.
        return inFlight !== undefined && inFlight.sequence > arrived
          ? joinRead(read, inFlight)
          : startRead(read, readVersions.latest() ?? {})
      }
      const entry = cached.get(key)
      if (entry !== undefined && sameVersions(tables, entry.versions, versions)) {
        outcomes.inc({ outcome: 'hit' })
        return entry.response
      }
      if (inFlight !== undefined && sameVersions(tables, inFlight.versions, versions))
        return joinRead(read, inFlight)
      return startRead(read, versions)
    },
  }
}

function toResponse(mediaType: string, text: string): CachedResponse {
  // Buffer.from puts small texts into a shared slab, and an entry would keep the whole slab in
  // memory.
  const body = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  body.write(text)
  // The media type is part of the tag: a strong validator differs between representations (RFC
  // 9110, 8.8.3).
  const digest = hash('sha256', Buffer.concat([Buffer.from(`${mediaType}\n`), body]), 'base64url')
  return { body, mediaType, etag: `"${digest}"` }
}

function measure(metrics: Metrics, cached: { readonly calculatedSize: number; readonly size: number }) {
  const registers = [metrics]
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value())
      },
    })
  gauge('gateway_response_cache_bytes', 'Memory used by cached responses, bytes', () => cached.calculatedSize)
  gauge('gateway_response_cache_entries', 'Number of cached responses', () => cached.size)
  return {
    outcomes: new Counter({
      name: 'gateway_response_cache_requests_total',
      help: 'Cacheable reads by outcome: hit (cached), shared (read by another request), miss (read)',
      labelNames: ['outcome'],
      registers,
    }),
    notModified: new Counter({
      name: 'gateway_response_cache_not_modified_total',
      help: 'Cacheable reads answered with 304 Not Modified',
      registers,
    }),
  }
}
