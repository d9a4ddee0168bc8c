import type { Session } from '../src/identity/sessions/session.ts'
import type { Challenge, NewSession } from '../src/identity/sessions/sessions.ts'
import { builder } from './builder.ts'
import { WALLET_POLICY } from './policy.ts'

const ChallengeRef = builder.objectRef<Challenge>('SignInChallenge').implement({
  description: 'What a wallet signs to open a session.',
  fields: (t) => ({
    input: t.expose('input', {
      type: 'JSON',
      description: 'The input for `solana:signIn` of the Wallet Standard. Pass it as it is.',
    }),
    message: t.exposeString('message', {
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
      description: 'Send it as `Authorization: Bearer <token>`. It is not shown again.',
    }),
    wallet: t.expose('wallet', wallet),
    createdAt: t.expose('createdAt', createdAt),
    expiresAt: t.expose('expiresAt', expiresAt),
  }),
})

const SessionRef = builder.objectRef<Session>('Session').implement({
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
  fields: (t) => ({ ended: t.exposeInt('ended', { description: 'Number of sessions that were ended.' }) }),
})

builder.queryField('session', (t) =>
  t.field({
    extensions: WALLET_POLICY,
    type: SessionRef,
    description: 'The session of this request. Errors: SESSION_MISSING if a wallet signed the request.',
    resolve: async (_, _args, { services, caller }) => services.sessions.current(await caller()),
  }),
)

builder.mutationFields((t) => ({
  createSignInChallenge: t.field({
    extensions: { rateLimit: 'signIn' },
    type: ChallengeRef,
    description: 'Starts a sign-in. Errors: see POST /auth/challenge.',
    args: {
      wallet: t.arg({ type: 'Pubkey', description: 'Default: the wallet chooses its account.' }),
      origin: t.arg.string({
        description: 'Origin of the page, such as `https://app.example.org`. Default: that of the service.',
      }),
    },
    resolve: (_, request, { services }) => services.sessions.challenge(request),
  }),
  createSession: t.field({
    extensions: { rateLimit: 'signIn', priority: 'high' },
    type: NewSessionRef,
    description: 'Opens a session with a signed challenge. Errors: see POST /auth/session.',
    args: {
      message: t.arg.string({ description: 'Required. The text that the wallet signed.' }),
      signature: t.arg.string({ description: 'Required. 64 bytes in base-58 or base64.' }),
    },
    resolve: (_, signIn, { services }) => services.sessions.create(signIn),
  }),
  endSession: t.field({
    extensions: WALLET_POLICY,
    type: EndedRef,
    description: 'Ends the session of this request at once, or all sessions of the wallet.',
    args: {
      all: t.arg.boolean({ description: 'True ends all sessions of the wallet. Default: false.' }),
    },
    resolve: async (_, { all }, { services, caller }) => ({
      ended: await services.sessions.end(await caller(), all ?? false),
    }),
  }),
}))
