import { Type } from 'typebox'
import {
  Body,
  errors,
  named,
  orNull,
  Pubkey,
  sessionSecurity,
  Timestamp,
  walletSecurity,
} from '../contract/shapes.ts'

const tags = ['Authentication']
const noQuery = Type.Object({})
const ORIGIN = 'https://app.example.org'
const WALLET = 'DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'
const INPUT = {
  domain: 'app.example.org',
  address: WALLET,
  statement: 'Sign in to the agent registry. This sends no transaction and costs nothing.',
  uri: ORIGIN,
  version: '1',
  chainId: 'solana:mainnet',
  nonce: 'HWmtHVUiLwgvvBAM3HT1jZ',
  issuedAt: '2026-11-21T06:29:22.000Z',
  expirationTime: '2026-11-21T06:34:22.000Z',
}
const MESSAGE = `${INPUT.domain} wants you to sign in with your Solana account:
${INPUT.address}

${INPUT.statement}

URI: ${INPUT.uri}
Version: 1
Chain ID: ${INPUT.chainId}
Nonce: ${INPUT.nonce}
Issued At: ${INPUT.issuedAt}
Expiration Time: ${INPUT.expirationTime}`

/** `SolanaSignInInput` of the Wallet Standard. */
const SignInInput = named(
  'SignInInput',
  Type.Unsafe<unknown>({
    type: 'object',
    description: 'The input for `solana:signIn` of the Wallet Standard. Pass it as it is.',
    required: Object.keys(INPUT).filter((name) => name !== 'address'),
    properties: {
      ...Object.fromEntries(
        Object.entries(INPUT).map(([name, example]) => [name, Type.String({ examples: [example] })]),
      ),
      address: Type.String({ description: 'Absent if no `wallet` was given.', examples: [WALLET] }),
    },
  }),
)

const Wallet = Pubkey('The wallet that signed in.')
const CreatedAt = Timestamp('Time of the sign-in.')
const ExpiresAt = Timestamp('The session ends at this time, or after an hour without a request.')

export const challengeSchema = {
  operationId: 'createSignInChallenge',
  tags,
  summary: 'Start a sign-in',
  description:
    'Returns what the wallet must sign to open a session. A challenge can be used once, within 5 minutes.',
  querystring: noQuery,
  body: Body({
    wallet: Type.Optional(Pubkey('The wallet that will sign. Default: it chooses its account.')),
    origin: Type.Optional(
      Type.String({
        description:
          'Origin of the page on which the user signs in (`location.origin`). Default: that of the service.',
        examples: [ORIGIN],
      }),
    ),
  }),
  response: {
    200: named(
      'SignInChallenge',
      Type.Object(
        {
          input: SignInInput,
          message: orNull(
            'The text for wallets that can only sign messages. Null if no `wallet` was given.',
            MESSAGE,
          ),
          expiresAt: Timestamp('The session must be created before this time.'),
        },
        { description: 'The challenge.' },
      ),
    ),
    ...errors([400, 413, 415], { 400: `origin must be one of ${ORIGIN}, got "https://evil.example"` }),
  },
}

export const createSchema = {
  operationId: 'createSession',
  tags,
  summary: 'Open a session',
  description:
    'Checks the signed message. The session belongs to the wallet that the message names. It ends after 12 hours, after an hour without a request, or with `DELETE /auth/session`. A wallet can have 10 sessions; a new one ends the one that was not used for the longest time.',
  querystring: noQuery,
  body: Body({
    message: Type.String({
      description: 'The text that the wallet signed. At most 2,048 bytes.',
      examples: [MESSAGE],
    }),
    signature: Type.String({
      description: 'The signature (64 bytes) in base-58 or base64.',
      examples: ['93TdU4qf4fjsJotHiWxn595qNe1CbhGnRV9csG8Ua9FUkF3QVxrPa835WQz6QHmgijepXs6pjYBTgfuPaHDo6U3'],
    }),
  }),
  response: {
    201: named(
      'CreatedSession',
      Type.Object(
        {
          token: Type.String({
            description: 'Send it as `Authorization: Bearer <token>`. It is not shown again.',
            examples: ['ars_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'],
          }),
          wallet: Wallet,
          createdAt: CreatedAt,
          expiresAt: ExpiresAt,
        },
        { description: 'The new session with its token.' },
      ),
    ),
    ...errors([400, 401, 413, 415], {
      400: 'Invalid sign-in message: the line "Nonce: …" is missing',
      401: 'The nonce is unknown, expired or already used. Request a new challenge.',
    }),
  },
}

const ended = { 401: 'The session is unknown, expired or ended. Sign in again.' }

export const getSchema = {
  operationId: 'getSession',
  tags,
  ...sessionSecurity,
  summary: 'Read your session',
  description:
    'The wallet and the times of the session of this request. Wallet headers have no session: 401.',
  querystring: noQuery,
  response: {
    200: named(
      'Session',
      Type.Object(
        {
          wallet: Wallet,
          createdAt: CreatedAt,
          lastUsedAt: Timestamp('Time of the last request before this one, exact to a minute.'),
          expiresAt: ExpiresAt,
        },
        { description: 'The session of this request.' },
      ),
    ),
    ...errors([400, 401], ended),
  },
}

export const endSchema = {
  operationId: 'endSession',
  tags,
  ...walletSecurity,
  summary: 'End your session',
  description: 'The token becomes invalid at once, in all processes.',
  querystring: Type.Object({
    all: Type.Optional(
      Type.Boolean({
        description:
          '`true` ends all sessions of the wallet. This also works with wallet headers, if a token is lost.',
      }),
    ),
  }),
  response: {
    200: named(
      'EndedSessions',
      Type.Object(
        { ended: Type.Integer({ description: 'Number of sessions that were ended.', examples: [1] }) },
        { description: 'The sessions were ended.' },
      ),
    ),
    ...errors([400, 401], ended),
  },
}
