import type { CryptoVerdict } from './crypto/protocol.ts'

/** Keeps what cryptography said of a document and its keys: that never changes, unlike time, trust and status. */
export interface VerdictCache {
  get(key: string): CryptoVerdict | undefined
  set(key: string, verdict: CryptoVerdict): void
}

export function createVerdictCache(maxEntries = 5_000): VerdictCache {
  const entries = new Map<string, CryptoVerdict>()
  return {
    get: (key) => {
      const found = entries.get(key)
      if (found === undefined) return undefined
      // A map keeps the order of insertion: what was asked for last goes to its end.
      entries.delete(key)
      entries.set(key, found)
      return found
    },
    set: (key, verdict) => {
      entries.delete(key)
      entries.set(key, verdict)
      if (entries.size <= maxEntries) return
      const [oldest] = entries.keys()
      if (oldest !== undefined) entries.delete(oldest)
    },
  }
}
