import { Type } from 'typebox'
import { type ErrorCode, ERRORS } from '../../src/domain/errors.ts'
import { named } from './named.ts'

const ErrorBody = named(
  'Error',
  Type.Object(
    {
      error: Type.String({
        description: 'What went wrong, and how to correct it.',
        examples: ['Agent not found'],
      }),
      message: Type.Optional(
        Type.String({ description: 'More about the reason.', examples: ['Program log: insufficient funds'] }),
      ),
      details: Type.Object({
        code: Type.String({
          description: 'Stable code of the error. The reference lists all codes.',
          examples: ['AGENT_NOT_FOUND'],
        }),
        parameter: Type.Optional(
          Type.String({ description: 'The parameter or member that caused the error.', examples: ['pda'] }),
        ),
      }),
      logs: Type.Optional(
        Type.Array(Type.String({ examples: ['Program log: Instruction: RegisterAgent'] }), {
          description: 'Log lines of a transaction whose simulation failed.',
        }),
      ),
    },
    { description: 'The body of every error.' },
  ),
)

const ERROR_MEANINGS = {
  400: [
    'A parameter or a member of the body is malformed, out of range, unknown or repeated.',
    'limit must be an integer from 1 to 200, got "0"',
  ],
  401: [
    'The authentication is missing or invalid.',
    'Missing auth headers. Required: X-Wallet-Pubkey, X-Wallet-Signature, X-Wallet-Timestamp',
  ],
  403: [
    'The request is not allowed.',
    'Program 11111111111111111111111111111112 is not allowed by this relay',
  ],
  404: ['The resource does not exist.', 'Agent not found'],
  406: ['Accept excludes every format of the response.', 'Accept must allow application/did, got "text/css"'],
  409: ['Conflicts with the current state.', 'Webhook is not active: set active to true first'],
  410: ['The transaction has expired.', 'Transaction expired'],
  413: ['The body is too large.', 'The body must not be larger than 262144 bytes'],
  415: ['The body is not JSON.', 'Content-Type must be application/json, got "text/xml"'],
  422: ['The request is well-formed but cannot be processed.', 'Transaction simulation failed'],
  429: [
    'Too many requests. See the Retry-After header.',
    'Too many requests: the limit is 60 per minute. Try again in 3 s',
  ],
  500: ['Internal server error.', 'Internal server error'],
  501: [
    'The DID method is not supported.',
    'Only the DID method did:sol is supported, got "did:web:a.example"',
  ],
  503: [
    'A required part of the service is unavailable. See the Retry-After header.',
    'The database is not available',
  ],
} as const

export type DocumentedStatus = keyof typeof ERROR_MEANINGS

type Examples = Partial<Record<DocumentedStatus, string>>

/**
 * Error responses of a route, with 429, 500 and 503. `examples` replaces the usual text of a
 * status.
 */
export function errors(statuses: Exclude<DocumentedStatus, 429 | 500 | 503>[], examples: Examples = {}) {
  return uncountedErrors([...statuses, 429], examples)
}

/** Error responses of a route whose requests are not counted. */
export function uncountedErrors(statuses: Exclude<DocumentedStatus, 500 | 503>[], examples: Examples = {}) {
  return Object.fromEntries(
    [...statuses, 500 as const, 503 as const].map((status) => {
      const [description, usual] = ERROR_MEANINGS[status]
      const example = exampleBody(status, examples[status] ?? usual)
      const retry = status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}
      const content = { 'application/json': { schema: ErrorBody, example } }
      return [status, { description, ...retry, content }]
    }),
  )
}

const RETRY_AFTER = {
  'retry-after': { type: 'integer', description: 'Seconds to wait before the next request.', examples: [3] },
}

/** The body of the error that has this text. The table of errors says which one it is. */
function exampleBody(status: number, text: string) {
  const [best] = Object.entries(ERRORS)
    .filter(([, error]) => error.status === status && pattern(error.message).test(text))
    .toSorted(([, one], [, other]) => fixedLength(other.message) - fixedLength(one.message))
  if (best === undefined) throw new Error(`No error with status ${status} has the text ${text}`)
  const [code, { message }] = best as [ErrorCode, { message: string }]
  const parameter = pattern(message).exec(text)?.groups?.['parameter']
  return { error: text, details: parameter === undefined ? { code } : { code, parameter } }
}

function pattern(message: string): RegExp {
  const source = message
    .split(/(\{\w+\})/)
    .map((part) =>
      part === '{parameter}' ? '(?<parameter>.+?)' : part.startsWith('{') ? '.*' : RegExp.escape(part),
    )
  return new RegExp(`^${source.join('')}$`)
}

const fixedLength = (message: string): number => message.replaceAll(/\{\w+\}/g, '').length
