import { encodeBase58 } from '@agent-registry/solana'
import { randomBytes } from 'node:crypto'
import type { EntityManager } from '../../db/orm-types.ts'
import { DomainError } from '../../domain/errors.ts'
import { optional, pubkeyParameter, requiredText } from '../../domain/parameters.ts'
import type { Clock } from '../../platform/clock.ts'
import { sha256 } from '../json.ts'
import { type Caller, createChallenges, type Session, SessionStore } from './session-store.ts'
import {
  originParameter,
  type SignIn,
  type SignInOrigins,
  verifySignIn,
  writeSignInMessage,
} from './sign-in.ts'
import { networkOf } from '../../domain/network.ts'

/** A challenge must be signed and sent within this time. */
export const CHALLENGE_MS = 300_000
/** A session ends after this time, however often it is used. */
export const SESSION_MS = 43_200_000

const NONCE_BYTES = 16
const TOKEN_BYTES = 32
const TOKEN = /^ars_[\w-]{43}$/
const STATEMENT = 'Sign in to the agent registry. This sends no transaction and costs nothing.'

interface ChallengeRequest {
  /** Default: the wallet chooses its account. */
  readonly wallet?: string | null
  /** Origin of the page. Default: that of the service. */
  readonly origin?: string | null
}

/** `SolanaSignInInput` of the Wallet Standard. */
export interface SignInInput {
  readonly domain: string
  readonly uri: string
  readonly version: string
  readonly chainId: string
  readonly nonce: string
  readonly issuedAt: string
  readonly expirationTime: string
  readonly statement: string
  readonly address?: string
}

export interface Challenge {
  readonly input: SignInInput
  /** The text for wallets that can only sign messages. Null if no wallet was given. */
  readonly message: string | null
  readonly expiresAt: string
}

export interface NewSession extends Omit<Session, 'tokenHash' | 'lastUsedAt'> {
  /** Shown only in this response. */
  readonly token: string
}

/** Sign-in with Solana: a wallet signs once, and a token then stands for it until it ends. */
export interface Sessions {
  /** Throws SIGN_IN_ORIGIN, INVALID_PUBKEY and LEDGER_UNAVAILABLE. */
  challenge(request: ChallengeRequest): Promise<Challenge>
  /** Throws FIELD_REQUIRED, the errors of `verifySignIn`, SIGN_IN_NONCE and LEDGER_UNAVAILABLE. */
  create(signIn: { readonly [Name in keyof SignIn]?: string | null }): Promise<NewSession>
  /** Throws SESSION_INVALID. */
  authenticate(token: string): Promise<Session>
  /** Throws SESSION_MISSING if the wallet signed the request itself. */
  current(caller: Caller): Session
  /**
   * Ends the caller's session, or all sessions of its wallet. Returns how many. Throws
   * SESSION_MISSING.
   */
  end(caller: Caller, all: boolean): Promise<number>
}

interface SessionsOptions {
  readonly em: EntityManager
  readonly clock: Clock
  readonly origins: SignInOrigins
  /** Of the ledger, in base-58. Throws LEDGER_UNAVAILABLE. */
  readonly genesisHash: () => Promise<string>
  readonly random?: (size: number) => Buffer
}

export function createSessions(options: SessionsOptions): Sessions {
  const { em, clock, origins, genesisHash, random = randomBytes } = options
  const challenges = createChallenges(em)
  const store = new SessionStore(em)
  const iso = (ms: number): string => new Date(ms).toISOString()
  const current = ({ session }: Caller): Session => {
    if (session === null) throw new DomainError('SESSION_MISSING')
    return session
  }
  return {
    challenge: async (request) => {
      const { host: domain, origin: uri } = originParameter(request.origin, origins)
      const address = optional(pubkeyParameter, 'wallet', request.wallet)
      const [chainId] = chainIdsOf(await genesisHash())
      const now = clock.now()
      const expirationTime = iso(now + CHALLENGE_MS)
      const nonce = encodeBase58(random(NONCE_BYTES))
      const fields = { domain, uri, version: '1', chainId, nonce, issuedAt: iso(now), expirationTime }
      await challenges.add(nonce, expirationTime, fields.issuedAt)
      return {
        input: { ...fields, statement: STATEMENT, ...(address === undefined ? {} : { address }) },
        message: address === undefined ? null : writeSignInMessage({ ...fields, address }, STATEMENT),
        expiresAt: expirationTime,
      }
    },
    create: async (given) => {
      const message = requiredText('message', given.message)
      const signature = requiredText('signature', given.signature)
      const chainIds = chainIdsOf(await genesisHash())
      const now = clock.now()
      const { wallet, nonce } = verifySignIn({ message, signature }, { origins, chainIds, now })
      if (!(await challenges.use(nonce, iso(now)))) throw new DomainError('SIGN_IN_NONCE')
      const token = `ars_${random(TOKEN_BYTES).toString('base64url')}`
      const session = { wallet, createdAt: iso(now), expiresAt: iso(now + SESSION_MS) }
      await store.add({ ...session, tokenHash: hashOf(token), lastUsedAt: iso(now) }, now)
      return { ...session, token }
    },
    authenticate: async (token) => {
      const session = TOKEN.test(token) ? await store.use(hashOf(token), clock.now()) : null
      if (session === null) throw new DomainError('SESSION_INVALID')
      return session
    },
    current,
    end: (caller, all) => (all ? store.endAll(caller.wallet) : store.end(current(caller).tokenHash)),
  }
}

function hashOf(token: string): string {
  return sha256(token).toString('base64url')
}

/** CAIP-2 cuts the genesis hash to this length. */
const REFERENCE_LENGTH = 32

/**
 * The values that wallets and libraries write as `Chain ID` for the ledger with this genesis hash
 * (base-58). The first is that of the Wallet Standard, such as `solana:mainnet`.
 */
function chainIdsOf(genesisHash: string): readonly [string, ...string[]] {
  const network = networkOf(genesisHash).replace('-beta', '')
  const reference = genesisHash.slice(0, REFERENCE_LENGTH)
  return [`solana:${network}`, network, `solana:${reference}`, reference]
}
