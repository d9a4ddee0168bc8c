import { RegistryError } from '../errors.ts'

export interface RetryOptions {
  /** Repeated attempts after the first one. 2 by default. */
  readonly retries: number
  /**
   * The longest wait for a Retry-After, in milliseconds. Longer ones are errors. 30,000 by default.
   */
  readonly maxRetryDelayMs: number
}

const FIRST_DELAY_MS = 250
const RETRIED: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

/** Runs a request again after failures of the network, and after responses that are temporary. */
export async function withRetries<Result>(
  run: () => Promise<Result>,
  { retries, maxRetryDelayMs }: RetryOptions,
  signal?: AbortSignal,
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      const delayMs = delayAfter(error, attempt)
      if (attempt >= retries || delayMs === null || delayMs > maxRetryDelayMs || signal?.aborted === true)
        throw error
      await wait(delayMs, signal)
    }
  }
}

function delayAfter(error: unknown, attempt: number): number | null {
  const backoff = jittered(FIRST_DELAY_MS * 2 ** attempt)
  if (!(error instanceof RegistryError)) return isNetworkFailure(error) ? backoff : null
  // Another process with the same wallet sent the same request in this second.
  if (error.code === 'SIGNATURE_USED') return 0
  if (!RETRIED.has(error.status)) return null
  return retryAfterMs(error) ?? backoff
}

/** How long the gateway asks to wait, and up to 250 ms more. Null if it does not say. */
export function retryAfterMs(error: unknown): number | null {
  const seconds = error instanceof RegistryError ? error.retryAfterSeconds : null
  return seconds === null ? null : seconds * 1000 + jittered(FIRST_DELAY_MS)
}

/** `fetch` rejects with a TypeError if there is no response. */
function isNetworkFailure(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')
}

/** 50 to 100 % of the delay, so that many clients do not return at once. */
export const jittered = (ms: number): number => ms * (0.5 + Math.random() / 2)

/** Rejects with the reason of the signal when it aborts. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error)
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
