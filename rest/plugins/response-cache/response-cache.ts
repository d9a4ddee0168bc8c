import type { Metrics } from '../../../src/platform/metrics/metrics.ts'
import { withTimeout } from '../../../src/platform/async/with-timeout.ts'
import { entityTag } from './entity-tag.ts'
import { type Answer, createKeptAnswers } from './kept-answers.ts'
import { type CacheMetrics, createCacheMetrics } from './metrics.ts'
import {
  type ReadTables,
  type ReadVersions,
  sameVersions,
  type Versions,
} from '../../../src/domain/read-versions.ts'

/** An answer that is longer in the making is waited for by its first request alone: its connection may be dead. */
const SHARED_MS = 2_000

/** A read, without who asks for it. */
export interface CachedRead {
  /** Of its operation and variables: reads with one key have one answer. */
  readonly key: string
  /** All that the answer is made of. */
  readonly tables: readonly ReadTables[]
  readonly mediaType: string
  /** Makes the body; what it throws is told to everybody who waits for it, and not kept. */
  make(): Promise<string>
}

export interface ResponseCache {
  /** The read's answer, made of rows no older than the call. */
  answer(read: CachedRead): Promise<Answer>
  readonly metrics: CacheMetrics
}

export interface ResponseCacheOptions {
  readonly readVersions: ReadVersions
  readonly maxBytes: number
  readonly metrics: Metrics
}

interface Underway {
  readonly answer: Promise<Answer>
  readonly label: Versions
  /** Its place among all that were asked for or begun. */
  readonly begun: number
}

/**
 * Keeps answers under the version that its tables had when the reading began, or before; so the rows of an answer are at least as new as its version. An
 * answer is given while a look that began after the request finds the same version. Where no look comes back in time, it is made anew for all who asked before
 * that began.
 */
export function createResponseCache({
  readVersions,
  maxBytes,
  metrics,
}: ResponseCacheOptions): ResponseCache {
  const kept = createKeptAnswers(maxBytes)
  const making = new Map<string, Underway>()
  let order = 0
  const cacheMetrics = createCacheMetrics(metrics, {
    bytes: () => kept.calculatedSize,
    entries: () => kept.size,
  })

  const make = (read: CachedRead, label: Versions): Promise<Answer> => {
    cacheMetrics.counted('miss')
    const underway = {
      answer: read.make().then((body) => toAnswer(read.mediaType, body)),
      label,
      begun: ++order,
    }
    making.set(read.key, underway)
    void keep(read.key, underway)
    return underway.answer
  }
  const keep = async (key: string, underway: Underway): Promise<void> => {
    const made = await underway.answer.catch(() => null)
    // One that began later, at a later version, may have taken its place.
    if (making.get(key) !== underway) return
    making.delete(key)
    if (made !== null) kept.set(key, { answer: made, label: underway.label })
  }

  const share = async (read: CachedRead, shared: Underway): Promise<Answer> => {
    cacheMetrics.counted('shared')
    const answer = await withTimeout(SHARED_MS, shared.answer)
    if (answer !== null) return answer
    const later = making.get(read.key)
    return later === undefined || later === shared ? make(read, shared.label) : later.answer
  }

  return {
    metrics: cacheMetrics,
    answer: async (read) => {
      const { key, tables } = read
      const latest = readVersions.latest()
      // What nobody asked for before needs no look: any version that was found already is old enough for what is read from now on.
      if (latest !== null && !kept.has(key) && !making.has(key)) return make(read, latest)
      const asked = ++order
      const versions = await readVersions.current()
      const shared = making.get(key)
      if (versions === null) {
        const isLater = shared !== undefined && shared.begun > asked
        return isLater ? share(read, shared) : make(read, readVersions.latest() ?? {})
      }
      const found = kept.get(key)
      if (found !== undefined && sameVersions(tables, found.label, versions)) {
        cacheMetrics.counted('hit')
        return found.answer
      }
      if (shared !== undefined && sameVersions(tables, shared.label, versions)) {
        return share(read, shared)
      }
      return make(read, versions)
    },
  }
}

function toAnswer(mediaType: string, text: string): Answer {
  // A small Buffer.from shares a slab with others and would keep all of it.
  const body = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  body.write(text)
  return { body, mediaType, tag: entityTag(mediaType, body) }
}
