import type { CombinedError } from 'urql'

interface ApiError {
  /** The text of the API, for people. */
  readonly message: string
  /** Such as AGENT_NOT_FOUND. Null if the API was not reached. */
  readonly code: string | null
  readonly status: number | null
}

/** Any thrown value or urql error as text and code. */
export function readError(error: unknown): ApiError {
  const [first] = (error as Partial<CombinedError>).graphQLErrors ?? []
  if (first !== undefined) {
    const { code = null, status = null, message: reason } = first.extensions as Partial<ApiError>
    const message = reason === undefined ? first.message : `${first.message}: ${reason}`
    return { message, code, status }
  }
  if ((error as Partial<CombinedError>).networkError !== undefined)
    return { message: 'The gateway did not answer.', code: null, status: null }
  const { message = String(error), code = null, status = null } = error as Partial<ApiError>
  return { message, code, status }
}

const ADVICE: Record<string, string> = {
  RATE_LIMITED: 'Wait a minute, then try again.',
  INVALID_CURSOR: 'Start again from the first page.',
  CREDENTIAL_NOT_FETCHED: 'Check that the URL leads to the credential, and that its host answers.',
  SESSION_EXPIRED: 'Sign in again.',
  SESSION_MISSING: 'Sign in with your wallet.',
}

/** What the reader can do about it. */
export function adviceFor({ code, status }: ApiError): string {
  if (code !== null && ADVICE[code] !== undefined) return ADVICE[code]
  if (status === 401) return 'Sign in again.'
  if (status === 404) return 'Check the address, or search for it.'
  if (status === null || status >= 500) return 'Check your connection, or try again in a moment.'
  return 'Correct the value and try again.'
}
