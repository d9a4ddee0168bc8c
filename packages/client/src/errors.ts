import { PROGRAM_ERRORS } from './generated/program.ts'
import type { UnfinishedTransaction } from './transactions/outcome.ts'

/** An error response of the gateway. */
export class RegistryError extends Error {
  override readonly name: string = 'RegistryError'
  /** HTTP status. */
  readonly status: number
  /** Stable code, such as `AGENT_NOT_FOUND`. Null if the response has none. */
  readonly code: string | null
  /** The parameter that is wrong, if there is one. */
  readonly parameter: string | null
  /** The id of the request in the log of the gateway. */
  readonly requestId: string | null
  /** Log lines of a transaction whose simulation failed. */
  readonly logs: readonly string[]
  /** When the same request may succeed, in seconds. */
  readonly retryAfterSeconds: number | null
  /** The error of the registry program, such as `InvalidName`, if it refused the transaction. */
  readonly programError: ProgramError | null

  constructor(status: number, body: unknown, headers: Headers) {
    const { error, message, details, logs } = (body ?? {}) as ErrorBody
    const text = typeof error === 'string' ? error : `The gateway responded with status ${status}`
    super(typeof message === 'string' ? `${text}: ${message}` : text)
    this.status = status
    this.code = details?.code ?? null
    this.parameter = details?.parameter ?? null
    this.requestId = headers.get('x-request-id')
    this.logs = Array.isArray(logs) ? logs : []
    const seconds = Number(headers.get('retry-after') ?? Number.NaN)
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : null
    this.programError = programErrorIn([...this.logs, String(message)])
  }
}

interface ErrorBody {
  error?: unknown
  message?: unknown
  details?: { code?: string; parameter?: string }
  logs?: string[]
}

/**
 * The transaction failed, or it expired and is not on the ledger. It will not land any more. `code`
 * is that of the status record. `cause` is why the gateway refused to submit it, if it did.
 */
export class TransactionFailedError extends Error {
  override readonly name = 'TransactionFailedError'
  /** The `id` of the transaction, for `transactions.get`. */
  readonly id: string
  readonly code: string
  readonly signature: string | null
  readonly logs: readonly string[]
  readonly programError: ProgramError | null

  constructor(
    id: string,
    signature: string | null,
    error: { code: string; message: string; logs?: string[] },
    options?: ErrorOptions,
  ) {
    super(`The transaction failed: ${error.message}`, options)
    this.id = id
    this.code = error.code
    this.signature = signature
    this.logs = error.logs ?? []
    this.programError = programErrorIn([...this.logs, error.message])
  }
}

/**
 * The wallet signed the transaction, and it is not known whether it landed or still will. Do not
 * prepare it again: give `unfinished` to `transactions.resume`. `cause` is the last problem.
 */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError'
  readonly id: string
  /** base-58. Null if the sponsor has not signed, as far as it is known. */
  readonly signature: string | null
  /** The transaction cannot land after this block height. Null if only the id was given. */
  readonly lastValidBlockHeight: number | null
  /** What `resume` needs to submit it again. Null if only the id was given. */
  readonly unfinished: UnfinishedTransaction | null

  constructor(
    transaction: Pick<UnfinishedTransaction, 'id'> & Partial<UnfinishedTransaction>,
    record: { readonly signature: string | null } | null,
    cause: unknown,
  ) {
    const { id, signedTx, signature, lastValidBlockHeight } = transaction
    const reason = cause instanceof Error ? `: ${cause.message}` : ''
    super(`The outcome of the transaction ${id} is not known${reason}`, { cause })
    this.id = id
    this.signature = record?.signature ?? signature ?? null
    this.lastValidBlockHeight = lastValidBlockHeight ?? null
    this.unfinished = signedTx === undefined ? null : (transaction as UnfinishedTransaction)
  }
}

export interface ProgramError {
  readonly code: number
  /** The name in the IDL. */
  readonly name: string
  readonly message: string
}

/** The error of the registry program in log lines or error texts. Null if there is none. */
export function programErrorIn(texts: readonly string[]): ProgramError | null {
  for (const text of texts) {
    const [, number, hex] = /Error Number: (\d+)|custom program error: (0x[0-9a-f]+)/i.exec(text) ?? []
    const code = Number(number ?? hex)
    const known = PROGRAM_ERRORS[code]
    if (known !== undefined) return { code, name: known[0], message: known[1] }
  }
  return null
}
