import type { CombinedError } from 'urql'

interface ApiError {
  /** The text of the API, for people. */
  readonly message: string
  /** Such as AGENT_NOT_FOUND. Null if the API was not reached. */
  readonly code: string | null
  readonly status: number | null
  /** After so many seconds the same request may succeed. Null if it will fail again. */
  readonly retryAfter: number | null
}

/** While the gateway does not answer, or answers that something else failed. */
const RETRY_SECONDS = 3

/** Any thrown value or urql error as text and code. */
export function readError(error: unknown): ApiError {
  const { graphQLErrors, networkError, response } = error as Partial<CombinedError>
  const seconds = Number((response as Response | undefined)?.headers?.get('retry-after')) || RETRY_SECONDS
  const [first] = graphQLErrors ?? []
  if (first !== undefined) {
    const { code = null, status = null, message: reason } = first.extensions as Partial<ApiError>
    // Other values are checked by the forms, which have labels for them.
    const text = first.message.replace(/^(?:input\.)?url(?= )/, 'The URL')
    const message = reason === undefined ? text : `${text}: ${reason}`
    const isTemporary = status !== null && (status === 429 || status >= 500)
    return { message, code, status, retryAfter: isTemporary ? seconds : null }
  }
  if (networkError !== undefined)
    return { message: 'The gateway did not answer.', code: null, status: null, retryAfter: seconds }
  const {
    message = String(error),
    code = null,
    status = null,
    retryAfter = null,
  } = error as Partial<ApiError>
  return { message, code, status, retryAfter }
}

const ADVICE: Record<string, string> = {
  RATE_LIMITED: 'Wait for that time, then try again.',
  INVALID_CURSOR: 'Start again from the first page.',
  PART_FAILED: 'The rest of the console works. Try again, or reload the page.',
  CREDENTIAL_NOT_FETCHED: 'Check that the URL leads to the credential, and that its host answers.',
  SESSION_MISSING: 'Sign in with your wallet.',
}

/** What the reader can do about it. */
export function adviceFor({ code, status }: Pick<ApiError, 'code' | 'status'>): string {
  if (code !== null && ADVICE[code] !== undefined) return ADVICE[code]
  if (status === 401) return 'Sign in again.'
  if (status === 404) return 'Check the address, or search for it.'
  if (status === null || status >= 500) return 'Check your connection, or try again in a moment.'
  return 'Correct the value and try again.'
}
