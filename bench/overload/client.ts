import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'

/** Clients abort a request this many milliseconds after it was due. */
const PATIENCE_MS = 10_000
/** Maximum of concurrent requests. Others wait, and their waiting time counts. */
const CONNECTIONS = 512

/** `refused`: 503 with Retry-After. `failed`: other status, lost connection, or aborted. */
export type Outcome = 'accepted' | 'refused' | 'failed'
/** The outcome of a request, and its time in milliseconds since it was due. */
export type OnOutcome = (dueAt: number, outcome: Outcome, ms: number) => void

export interface Client {
  /** Sends one request and waits for its end. */
  send(path: string, dueAt: number): Promise<Outcome>
  /**
   * Sends `perSecond` requests at equal intervals and does not wait for earlier responses. Resolves
   * when all requests have ended.
   */
  offer(options: {
    perSecond: number
    seconds: number
    nextPath: () => string
    onOutcome: OnOutcome
  }): Promise<void>
  close(): Promise<void>
}

export function createClient(url: string): Client {
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1, headersTimeout: PATIENCE_MS })
  const waiting: (() => void)[] = []
  let free = CONNECTIONS

  const send = async (path: string, dueAt: number): Promise<Outcome> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      if (performance.now() - dueAt > PATIENCE_MS) return 'failed'
      const { statusCode, headers, body } = await pool.request({ method: 'GET', path })
      await body.dump({ limit: Number.MAX_SAFE_INTEGER })
      if (statusCode === 200 || statusCode === 404) return 'accepted'
      return statusCode === 503 && headers['retry-after'] !== undefined ? 'refused' : 'failed'
    } catch {
      return 'failed'
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
  return {
    send,
    offer: async ({ perSecond, seconds, nextPath, onOutcome }) => {
      const began = performance.now()
      const under: Promise<void>[] = []
      for (let sent = 0; sent < perSecond * seconds;) {
        const dueAt = began + (sent * 1_000) / perSecond
        if (dueAt > performance.now()) {
          await delay(1)
          continue
        }
        sent += 1
        under.push(
          send(nextPath(), dueAt).then((outcome) => onOutcome(dueAt, outcome, performance.now() - dueAt)),
        )
      }
      await Promise.all(under)
    },
    close: () => pool.close(),
  }
}
