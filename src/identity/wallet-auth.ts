import { hash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { isPubkey, type Pubkey, signatureBytes } from '@agent-registry/solana'
import { LRUCache } from 'lru-cache'
import type { Database } from '../db/database.ts'
import { clientNetwork } from '../domain/client-network.ts'
import { DomainError } from '../domain/errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { Caller, Sessions } from './sessions/sessions.ts'
import { verifyEd25519 } from '../domain/ed25519.ts'

/** What a request says about its sender. */
interface AuthenticatedRequest extends SignedRequest {
  /** The Authorization header, or its equivalent on a WebSocket. */
  readonly authorization?: string | undefined
  readonly clientIp: string
}

export type WalletAuth = ReturnType<typeof createWalletAuth>

const USED_ELSEWHERE =
  'The signature was first used from another client network: another IPv4 address or IPv6 /64.'
const BEARER = /^bearer +(\S+)$/i

/** Finds out which wallet sends a request. */
export function createWalletAuth(options: {
  kysely: Kysely<Database>
  clock: Clock
  sessions: Pick<Sessions, 'authenticate'>
}) {
  const { kysely, clock, sessions } = options
  const firstUses = new LRUCache<string, FirstUse, string>({
    max: CACHED_SIGNATURES,
    fetchMethod: (hash, _, { context }) => findOrStore(kysely, hash, context),
  })
  return {
    /**
     * The wallet that signed the request, or whose session token it has. If any wallet header is
     * there, the token is ignored. Throws the errors of `verifyRequest`, then SIGNATURE_USED if the
     * signature was first used from another client network; for a token SESSION_INVALID.
     */
    authenticate: async (given: AuthenticatedRequest): Promise<Caller> => {
      const { authorization = '', clientIp, ...request } = given
      const { pubkey, signature: encoded, timestamp } = request
      const isSigned = [pubkey, encoded, timestamp].some((header) => header !== undefined)
      const [, token] = isSigned ? [] : (BEARER.exec(authorization) ?? [])
      if (token !== undefined) {
        const session = await sessions.authenticate(token)
        return { wallet: session.wallet, session }
      }
      const { wallet, signature } = verifyRequest(request, clock.now())
      // The signed text has whole seconds and no body, so an honest client repeats signatures.
      const network = clientNetwork(clientIp)
      const firstUse = await firstUses.fetch(hash('sha256', signature, 'base64url'), { context: network })
      if (firstUse?.network !== network)
        throw new DomainError('SIGNATURE_USED', {}, { addition: { message: USED_ELSEWHERE } })
      return { wallet, session: null }
    },
  }
}

/** The signed parts of a request, and its three headers X-Wallet-… as received. */
interface SignedRequest {
  /** Upper-case HTTP method. */
  readonly method: string
  /** Path of the request line, without query and not decoded. */
  readonly path: string
  readonly pubkey: string | undefined
  readonly signature: string | undefined
  readonly timestamp: string | undefined
}

/** Largest difference between a signature's timestamp and now, in either direction. */
export const TOLERANCE_MS = 60_000

/** Seconds in decimal, without leading zeros. */
const SECONDS = /^(0|[1-9]\d{0,14})$/

/**
 * Verifies a request at `now`, in milliseconds since the epoch. Throws, in this order:
 * AUTH_HEADERS_MISSING, INVALID_TIMESTAMP, SIGNATURE_EXPIRED, INVALID_WALLET,
 * INVALID_SIGNATURE_ENCODING, INVALID_WALLET_SIGNATURE. The last one has the expected message.
 */
export function verifyRequest(
  request: SignedRequest,
  now: number,
): { wallet: Pubkey; signature: Uint8Array } {
  const { method, path, pubkey, signature: encoded, timestamp } = request
  if (!pubkey || !encoded || !timestamp) throw new DomainError('AUTH_HEADERS_MISSING')
  if (!SECONDS.test(timestamp)) throw new DomainError('INVALID_TIMESTAMP')
  if (Math.abs(now - Number(timestamp) * 1000) > TOLERANCE_MS) throw new DomainError('SIGNATURE_EXPIRED')
  if (!isPubkey(pubkey)) throw new DomainError('INVALID_WALLET')
  const signature = signatureBytes(encoded)
  if (signature === null) throw new DomainError('INVALID_SIGNATURE_ENCODING')
  const message = signedMessage({ pubkey, timestamp, method, path })
  if (!verifyEd25519(Buffer.from(message), signature, pubkey)) {
    const addition = { message: `The signature must be of this message: ${message}` }
    throw new DomainError('INVALID_WALLET_SIGNATURE', {}, { addition })
  }
  return { wallet: pubkey, signature }
}

/** The text whose UTF-8 bytes a wallet signs (contract, "Authentication"). */
export function signedMessage({
  pubkey,
  timestamp,
  method,
  path,
}: Readonly<Record<'pubkey' | 'timestamp' | 'method' | 'path', string>>): string {
  return `service-auth:${pubkey}:${timestamp}:${method}:${path}`
}

/** Longer than a signature can be valid, even if clocks differ by minutes. */
const RETENTION = sql.lit('15 minutes')
/** Each statement deletes up to this many expired rows, so that the table stays small. */
const DELETED_PER_INSERT = 10
/** First uses in memory. Repeats do not reach the database, also while the first use is stored. */
const CACHED_SIGNATURES = 10_000

/** Null for a signature that a process of an older version accepted: it could be used once. */
interface FirstUse {
  network: string | null
}

/** The network that used a signature first, in any process. Of several at once, one is first. */
async function findOrStore(
  kysely: Kysely<Database>,
  hash: string,
  network: string,
): Promise<FirstUse | undefined> {
  // The update changes nothing. It returns the row of the first use, also if that commits now.
  const { rows } = await sql<FirstUse>`
    with old as materialized (
      select hash from used_signatures where used_at < now() - ${RETENTION}::interval
      order by used_at limit ${DELETED_PER_INSERT} for update skip locked
    ),
    removed as (delete from used_signatures using old where used_signatures.hash = old.hash)
    insert into used_signatures as used (hash, client_network) values (${hash}, ${network})
    on conflict (hash) do update set client_network = used.client_network
    returning client_network as network
  `.execute(kysely)
  return rows[0]
}
