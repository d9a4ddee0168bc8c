import type { Challenge, NewSession, Session, SignInInput } from '../src/identity/sessions/sessions.ts'
import { writeSignInMessage } from '../src/identity/sessions/sign-in.ts'
import { builder } from './builder.ts'
import { WALLET_POLICY } from './policy.ts'
import { args, expected } from './inputs.ts'
import { bool, int, nullable, objectType, of, pubkey, text, time } from './columns.ts'

const EXAMPLE: Readonly<Record<keyof SignInInput, string>> = {
  domain: 'app.example.org',
  address: 'DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs',
  statement: 'Sign in to the agent registry. This sends no transaction and costs nothing.',
  uri: 'https://app.example.org',
  version: '1',
  chainId: 'solana:mainnet',
  nonce: 'HWmtHVUiLwgvvBAM3HT1jZ',
  issuedAt: '2026-11-21T06:29:22.000Z',
  expirationTime: '2026-11-21T06:34:22.000Z',
}
const MESSAGE_EXAMPLE = writeSignInMessage(EXAMPLE, EXAMPLE.statement)

const SignInRequestRef = objectType<SignInInput>(
  'SignInRequest',
  'The input for `solana:signIn` of the Wallet Standard. Pass it as it is.',
  {
    domain: text('Host of the page.', EXAMPLE.domain),
    address: nullable(pubkey('The wallet that signs. Absent if no `wallet` was given.')),
    statement: text('What is signed.', EXAMPLE.statement),
    uri: text('Origin of the page.', EXAMPLE.uri),
    version: text('Always `1`.', EXAMPLE.version),
    chainId: text('Cluster of the wallet.', EXAMPLE.chainId),
    nonce: text('Can be used once.', EXAMPLE.nonce),
    issuedAt: time('Time of the challenge.'),
    expirationTime: time('The session must be created before this time.'),
  },
)

const ChallengeRef = objectType<Challenge>('SignInChallenge', 'What a wallet signs to open a session.', {
  input: of(SignInRequestRef, 'The input for `solana:signIn` of the Wallet Standard. Pass it as it is.'),
  message: nullable(
    text('The text for wallets that can only sign messages. Null if no wallet was given.', MESSAGE_EXAMPLE),
  ),
  expiresAt: time('The session must be created before this time.'),
})

const wallet = pubkey('The wallet that signed in.')
const createdAt = time('Time of the sign-in.')
const expiresAt = time('The session ends at this time, or after an hour without a request.')

const NewSessionRef = objectType<NewSession>('NewSession', 'A new session with its token.', {
  token: text(
    'Send it as `Authorization: Bearer <token>`. It is not shown again.',
    'ars_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
  ),
  wallet,
  createdAt,
  expiresAt,
})

export const SessionRef = objectType<Session>('Session', 'An open session of a wallet.', {
  wallet,
  createdAt,
  expiresAt,
  lastUsedAt: time('Time of the last request before this one, exact to a minute.'),
})

const EndedRef = objectType<{ ended: number }>('EndedSessions', 'The result of ending sessions.', {
  ended: int('Number of sessions that were ended.', 1),
})

builder.queryField('session', (t) =>
  t.field({
    extensions: { ...WALLET_POLICY, login: 'session', errors: ['SESSION_INVALID', 'SESSION_MISSING'] },
    type: SessionRef,
    description: 'The session of this request. Wallet headers have none.',
    resolve: async (_, _args, { services, caller }) => services.sessions.current(await caller()),
  }),
)

builder.mutationFields((t) => ({
  createSignInChallenge: t.field({
    extensions: { rateLimit: 'signIn', errors: ['SIGN_IN_ORIGIN', 'LEDGER_UNAVAILABLE'] },
    type: ChallengeRef,
    description: 'Starts a sign-in.',
    args: args({
      wallet: pubkey('The wallet that will sign. Default: it chooses its account.'),
      origin: text(
        'Origin of the page on which the user signs in (`location.origin`). Default: that of the service.',
        EXAMPLE.uri,
      ),
    }),
    resolve: (_, request, { services }) => services.sessions.challenge(request),
  }),
  createSession: t.field({
    extensions: {
      rateLimit: 'signIn',
      priority: 'high',
      errors: [
        'INVALID_SIGN_IN_MESSAGE',
        'INVALID_SIGN_IN_ENCODING',
        'SIGN_IN_NONCE',
        'SIGN_IN_EXPIRED',
        'INVALID_SIGN_IN_SIGNATURE',
        'LEDGER_UNAVAILABLE',
      ],
    },
    type: NewSessionRef,
    description: 'Opens a session with a signed challenge.',
    args: args({
      message: expected(text('The text that the wallet signed. At most 2,048 bytes.', MESSAGE_EXAMPLE)),
      signature: expected(
        text(
          'The signature (64 bytes) in base-58 or base64.',
          '93TdU4qf4fjsJotHiWxn595qNe1CbhGnRV9csG8Ua9FUkF3QVxrPa835WQz6QHmgijepXs6pjYBTgfuPaHDo6U3',
        ),
      ),
    }),
    resolve: (_, signIn, { services }) => services.sessions.create(signIn),
  }),
  endSession: t.field({
    extensions: { ...WALLET_POLICY, errors: ['SESSION_INVALID', 'SESSION_MISSING'] },
    type: EndedRef,
    description: 'Ends the session of this request at once, or all sessions of the wallet.',
    args: args({
      all: bool(
        'True ends all sessions of the wallet. This also works with wallet headers, if a token is lost.',
      ),
    }),
    resolve: async (_, { all }, { services, caller }) => ({
      ended: await services.sessions.end(await caller(), all ?? false),
    }),
  }),
}))
