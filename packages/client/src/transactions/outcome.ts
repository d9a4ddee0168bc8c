import { OutcomeUnknownError, RegistryError, TransactionFailedError } from '../errors.ts'
import type { Call, CallResult } from '../http/call.ts'
import { jittered, retryAfterMs, wait } from '../http/retry.ts'

/** The status record of a transaction. */
export type Transaction = CallResult<'getTransaction'>

/**
 * What is needed to find the outcome of a signed transaction later, also in another process. Plain
 * JSON. Keep it private: it can hold an invite code.
 */
export interface UnfinishedTransaction {
  readonly id: string
  /** base64. */
  readonly signedTx: string
  /** The first signature, base-58. Null while a sponsor still has to sign. */
  readonly signature: string | null
  /** The transaction cannot land after this block height. */
  readonly lastValidBlockHeight: number
  /** Of a registration that the gateway pays for. */
  readonly registration?: { readonly signerPubkey: string; readonly inviteCode: string }
}

/**
 * `submitting`: the gateway gets it. `unknown`: a response was lost, so the gateway may have it.
 * `submitted`: the gateway has it, and sends it until it is on the ledger or expires.
 */
export type SendProgress = 'submitting' | 'unknown' | 'submitted'

export interface ResumeOptions {
  /** Ends the waiting with OutcomeUnknownError. */
  readonly signal?: AbortSignal
  /** How long to wait for the outcome, in milliseconds. `confirmTimeoutMs` by default. */
  readonly timeoutMs?: number
  readonly onProgress?: (state: SendProgress) => void
}

export interface OutcomeSettings {
  /** How long to wait for the outcome after the signature, in milliseconds. */
  readonly confirmTimeoutMs: number
  readonly maxRetryDelayMs: number
}

const FIRST_POLL_MS = 500
const MAX_POLL_MS = 2_000
/** Timers with a longer delay fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1
const STATUSES: ReadonlySet<unknown> = new Set(['pending', 'simulated', 'submitted', 'confirmed', 'failed'])

/** Finds the outcome of a transaction that may have been submitted. A string is only its id. */
export function resume(
  call: Call,
  settings: OutcomeSettings,
  transaction: UnfinishedTransaction | string,
  options: ResumeOptions,
): Promise<Transaction> {
  const unfinished = typeof transaction === 'string' ? { id: transaction } : transaction
  if (typeof unfinished?.id !== 'string')
    throw new TypeError(
      `resume needs an unfinished transaction or its id, got ${JSON.stringify(transaction)}`,
    )
  return findOutcome(call, settings, unfinished, { ...options, isNew: false })
}

type Target = Pick<UnfinishedTransaction, 'id'> & Partial<UnfinishedTransaction>

/**
 * Submits and reads the status until the transaction is confirmed. A repeated submit is safe: the
 * gateway recognizes the message. `isNew`: it was never submitted. Throws TransactionFailedError,
 * OutcomeUnknownError, or the refusal of the first submit.
 */
export async function findOutcome(
  call: Call,
  settings: OutcomeSettings,
  target: Target,
  { signal, onProgress, timeoutMs = settings.confirmTimeoutMs, isNew }: ResumeOptions & { isNew: boolean },
): Promise<Transaction> {
  const timeout = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMER_MS))
  const end = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
  let isSubmit = isNew
  let isSent = !isNew // Also if the gateway only may have it.
  let canSubmit = target.signedTx !== undefined
  let record: Transaction | null = null
  let problem: unknown
  let refusal: unknown
  const unknown = (): OutcomeUnknownError =>
    new OutcomeUnknownError(
      target,
      record,
      signal?.aborted === true ? signal.reason : (problem ?? end.reason),
    )

  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 1.5, MAX_POLL_MS)) {
    let laterMs = 0
    try {
      if (!isSent) onProgress?.('submitting')
      record = await (isSubmit ? submit(call, target, end) : read(call, target.id, end))
      if (isSubmit) isSent = true
      if (record.status === 'submitted') onProgress?.('submitted')
    } catch (error) {
      problem = error
      if (end.aborted) throw unknown()
      if (isRefusal(error, settings.maxRetryDelayMs)) {
        if (!isSent) throw error
        if (!isSubmit) throw unknown()
        // A request that was sent before may still arrive, so only the status tells the outcome.
        canSubmit = false
        refusal = error
      } else {
        laterMs = Math.min(retryAfterMs(error) ?? 0, settings.maxRetryDelayMs)
        if (!isRateLimited(error)) isSent = true
        if (isSubmit && isSent) onProgress?.('unknown')
      }
    }
    if (record?.status === 'confirmed') return record
    if (record?.status === 'failed') throw failureOf(record, refusal) ?? unknown()
    await wait(Math.max(jittered(pollMs), laterMs), end).catch(() => {
      throw unknown()
    })
    isSubmit = canSubmit && record?.status !== 'submitted' && (!isSent || !isSubmit)
  }
}

async function submit(call: Call, target: Target, signal: AbortSignal): Promise<Transaction> {
  const { id, signedTx = '', registration } = target
  const options = { signal, retries: 0 }
  return checked(
    id,
    registration === undefined
      ? await call('submitTransaction', { body: { id, signedTx } }, options)
      : await call('submitSponsoredRegistration', { body: { id, signedTx, ...registration } }, options),
  )
}

async function read(call: Call, id: string, signal: AbortSignal): Promise<Transaction> {
  return checked(id, await call('getTransaction', { path: { id } }, { signal, retries: 0 }))
}

/** A proxy may respond with other JSON. */
function checked(id: string, record: Transaction): Transaction {
  const { id: actual, status } = (record ?? {}) as Partial<Transaction>
  if (actual === id && STATUSES.has(status)) return record
  throw new Error(`The gateway did not respond with the status of the transaction ${id}`)
}

/**
 * Whether the gateway says that it will not do this request. Errors without a code come from a
 * proxy, which may have passed the request on.
 */
function isRefusal(error: unknown, maxRetryDelayMs: number): boolean {
  if (!(error instanceof RegistryError) || error.code === null) return false
  if (isRateLimited(error)) return (retryAfterMs(error) ?? 0) > maxRetryDelayMs
  const isClientError = error.status >= 400 && error.status < 500 && error.status !== 408
  // 503 while sponsorship is off or its budget is used: checked before the sponsor signs.
  return isClientError || error.code.startsWith('SPONSOR')
}

/** Then the request was not processed. */
const isRateLimited = (error: unknown): boolean => error instanceof RegistryError && error.status === 429

/** Null if the gateway gave up, and cannot say whether the transaction landed. */
function failureOf({ id, signature, error }: Transaction, cause: unknown): TransactionFailedError | null {
  const failure = error ?? { code: 'unknown', message: 'no reason given' }
  return failure.code === 'outcome_unknown'
    ? null
    : new TransactionFailedError(id, signature, failure, cause === undefined ? {} : { cause })
}
