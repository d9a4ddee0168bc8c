import type { Session } from '../src/identity/sessions/session.ts'
import type { Challenge, NewSession, SignInInput } from '../src/identity/sessions/sessions.ts'
import { writeSignInMessage } from '../src/identity/sessions/sign-in-message.ts'
import { builder } from './builder.ts'
import { example, requiredExample, WALLET_POLICY } from './policy.ts'

const EXAMPLE: Required<SignInInput> = {
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

const SignInRequestRef = builder.objectRef<SignInInput>('SignInRequest').implement({
  description: 'The input for `solana:signIn` of the Wallet Standard. Pass it as it is.',
  fields: (t) => ({
    domain: t.exposeString('domain', { ...example(EXAMPLE.domain), description: 'Host of the page.' }),
    address: t.expose('address', {
      type: 'Pubkey',
      nullable: true,
      description: 'The wallet that signs. Absent if no `wallet` was given.',
    }),
    statement: t.exposeString('statement', { ...example(EXAMPLE.statement), description: 'What is signed.' }),
    uri: t.exposeString('uri', { ...example(EXAMPLE.uri), description: 'Origin of the page.' }),
    version: t.exposeString('version', { ...example(EXAMPLE.version), description: 'Always `1`.' }),
    chainId: t.exposeString('chainId', {
      ...example(EXAMPLE.chainId),
      description: 'Cluster of the wallet.',
    }),
    nonce: t.exposeString('nonce', { ...example(EXAMPLE.nonce), description: 'Can be used once.' }),
    issuedAt: t.expose('issuedAt', { type: 'DateTime', description: 'Time of the challenge.' }),
    expirationTime: t.expose('expirationTime', {
      type: 'DateTime',
      description: 'The session must be created before this time.',
    }),
  }),
})

const ChallengeRef = builder.objectRef<Challenge>('SignInChallenge').implement({
  description: 'What a wallet signs to open a session.',
  fields: (t) => ({
    input: t.expose('input', {
      type: SignInRequestRef,
      description: 'The input for `solana:signIn` of the Wallet Standard. Pass it as it is.',
    }),
    message: t.exposeString('message', {
      ...example(MESSAGE_EXAMPLE),
      nullable: true,
      description: 'The text for wallets that can only sign messages. Null if no wallet was given.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'The session must be created before this time.',
    }),
  }),
})

const wallet = { type: 'Pubkey', description: 'The wallet that signed in.' } as const
const createdAt = { type: 'DateTime', description: 'Time of the sign-in.' } as const
const expiresAt = {
  type: 'DateTime',
  description: 'The session ends at this time, or after an hour without a request.',
} as const

const NewSessionRef = builder.objectRef<NewSession>('NewSession').implement({
  description: 'A new session with its token.',
  fields: (t) => ({
    token: t.exposeString('token', {
      ...example('ars_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'),
      description: 'Send it as `Authorization: Bearer <token>`. It is not shown again.',
    }),
    wallet: t.expose('wallet', wallet),
    createdAt: t.expose('createdAt', createdAt),
    expiresAt: t.expose('expiresAt', expiresAt),
  }),
})

export const SessionRef = builder.objectRef<Session>('Session').implement({
  description: 'An open session of a wallet.',
  fields: (t) => ({
    wallet: t.expose('wallet', wallet),
    createdAt: t.expose('createdAt', createdAt),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      description: 'Time of the last request before this one, exact to a minute.',
    }),
    expiresAt: t.expose('expiresAt', expiresAt),
  }),
})

const EndedRef = builder.objectRef<{ ended: number }>('EndedSessions').implement({
  description: 'The result of ending sessions.',
  fields: (t) => ({
    ended: t.exposeInt('ended', { ...example(1), description: 'Number of sessions that were ended.' }),
  }),
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
    args: {
      wallet: t.arg({
        type: 'Pubkey',
        description: 'The wallet that will sign. Default: it chooses its account.',
      }),
      origin: t.arg.string({
        ...example(EXAMPLE.uri),
        description:
          'Origin of the page on which the user signs in (`location.origin`). Default: that of the service.',
      }),
    },
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
    args: {
      message: t.arg.string({
        ...requiredExample(MESSAGE_EXAMPLE),
        description: 'The text that the wallet signed. At most 2,048 bytes.',
      }),
      signature: t.arg.string({
        ...requiredExample(
          '93TdU4qf4fjsJotHiWxn595qNe1CbhGnRV9csG8Ua9FUkF3QVxrPa835WQz6QHmgijepXs6pjYBTgfuPaHDo6U3',
        ),
        description: 'The signature (64 bytes) in base-58 or base64.',
      }),
    },
    resolve: (_, signIn, { services }) => services.sessions.create(signIn),
  }),
  endSession: t.field({
    extensions: { ...WALLET_POLICY, errors: ['SESSION_INVALID', 'SESSION_MISSING'] },
    type: EndedRef,
    description: 'Ends the session of this request at once, or all sessions of the wallet.',
    args: {
      all: t.arg.boolean({
        description:
          'True ends all sessions of the wallet. This also works with wallet headers, if a token is lost.',
      }),
    },
    resolve: async (_, { all }, { services, caller }) => ({
      ended: await services.sessions.end(await caller(), all ?? false),
    }),
  }),
}))
