import { DomainError, type ErrorCode, type ErrorContext, ERRORS } from '../../src/domain/errors.ts'
import { errorResponse } from './errors.ts'
import { integer, type Json, named, object, text } from './shapes.ts'

const ErrorBody = named(
  'Error',
  object(
    {
      error: text('What went wrong, and how to correct it.', 'Agent not found'),
      message: text('More about the reason.', 'Program log: insufficient funds'),
      details: object(
        {
          code: text('Stable code of the error. The reference lists all codes.', 'AGENT_NOT_FOUND'),
          parameter: text('The parameter or member that caused the error.', 'pda'),
        },
        { optional: ['parameter'] },
      ),
      logs: {
        type: 'array',
        items: { type: 'string', examples: ['Program log: Instruction: RegisterAgent'] },
        description: 'Log lines of a transaction whose simulation failed.',
      },
    },
    { description: 'The body of every error.', optional: ['message', 'logs'] },
  ),
)

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'A parameter or a member of the body is malformed, out of range, unknown or repeated.',
  401: 'The authentication is missing or invalid.',
  403: 'The request is not allowed.',
  404: 'The resource does not exist.',
  406: 'Accept excludes every format of the response.',
  409: 'Conflicts with the current state.',
  410: 'The transaction has expired.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The request is well-formed but cannot be processed.',
  429: 'Too many requests. See the Retry-After header.',
  500: 'Internal server error.',
  501: 'The DID method is not supported.',
  503: 'A required part of the service is unavailable. See the Retry-After header.',
}

const WALLET = '4QdLc3JjrXpNUiqRhgoz8oxYAeDn19b9DAKFsSLdPfBo'

/** Values for the examples of errors whose texts have some. */
const CONTEXTS: { readonly [Code in ErrorCode]?: ErrorContext<Code> } = {
  INVALID_INTEGER: { parameter: 'limit', min: 1, max: 200, value: '"0"' },
  INVALID_CURSOR: { parameter: 'after', value: '"x"' },
  INVALID_NODE_ID: { parameter: 'id', value: '"x"' },
  TOO_MANY_ACCOUNT_KEYS: { count: 129, max: 128 },
  INVALID_PUBKEY: { parameter: 'pda', value: '"x"' },
  INVALID_DID: { parameter: 'did', value: '"did:sol:x"' },
  DID_METHOD_NOT_SUPPORTED: { value: '"did:web:a.example"' },
  FIELD_REQUIRED: { parameter: 'inviteCode' },
  SIGN_IN_ORIGIN: {
    parameter: 'origin',
    allowed: 'https://app.example.org',
    value: '"https://evil.example"',
  },
  INVALID_SIGN_IN_MESSAGE: { problem: 'the line "Nonce: …" is missing' },
  PROGRAM_NOT_ALLOWED: { program: '11111111111111111111111111111112' },
  AGENT_EXISTS: { wallet: WALLET },
  AGENT_NOT_SPONSORED: { wallet: WALLET },
  WALLET_SPONSORED: { wallet: WALLET },
  SPONSOR_CLIENT_LIMIT: { max: 5, counted: '5 signed in the last 24 hours', seconds: 86_400 },
  RECEIVER_REFUSED: { parameter: 'url', problem: 'must use https', value: '"http://example.com"' },
  TOO_MANY_WEBHOOKS: { max: 20 },
  WEBHOOK_CLIENT_LIMIT: { max: 100, seconds: 86_400 },
  NOT_READY: { missing: 'the database does not answer' },
  BODY_TOO_LARGE: { max: 262_144 },
  UNSUPPORTED_MEDIA_TYPE: { value: '"text/xml"' },
  RATE_LIMITED: { limit: 60, seconds: 3 },
  NOT_ACCEPTABLE: { type: 'application/did', value: '"text/css"' },
}

interface Errors {
  /** What the operation can refuse, the usual ones first. */
  readonly codes?: readonly ErrorCode[]
  readonly hasBody?: boolean
  readonly needsWallet?: boolean
  /** Whether rate limits count the requests. Default: true. */
  readonly isCounted?: boolean
}

export function errorResponses({ codes = [], hasBody, needsWallet, isCounted = true }: Errors): Json {
  const all: ErrorCode[] = [
    ...codes,
    'INVALID_INTEGER',
    ...(needsWallet === true ? (['AUTH_HEADERS_MISSING'] as const) : []),
    ...(hasBody === true ? (['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(isCounted ? (['RATE_LIMITED'] as const) : []),
    'INTERNAL_SERVER_ERROR',
    'DATABASE_UNAVAILABLE',
  ]
  const byStatus = Map.groupBy(all, (code) => ERRORS[code].status)
  return Object.fromEntries(
    Array.from(byStatus, ([status, [first]]) => {
      const listed = codes.filter((code) => ERRORS[code].status === status).map((code) => `\`${code}\``)
      const codesText = listed.length === 0 ? '' : ` Codes: ${listed.join(', ')}.`
      const retry = status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}
      const content = { 'application/json': { schema: ErrorBody, example: example(first!) } }
      return [status, { description: `${MEANINGS[status]}${codesText}`, ...retry, content }]
    }),
  )
}

const RETRY_AFTER = {
  'retry-after': integer('Seconds to wait before the next request.', 3),
}

function example(code: ErrorCode): unknown {
  const context = CONTEXTS[code] ?? {}
  const { body } = errorResponse(new DomainError(code, context))
  if (/\{\w+\}/.test(body.error)) throw new Error(`CONTEXTS has no values for ${code}`)
  return body
}
