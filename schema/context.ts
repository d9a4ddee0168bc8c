import type { Pubkey } from '@agent-registry/solana'
import { DomainError } from '../src/domain/errors.ts'
import type { RateLimitState } from '../src/platform/rate-limits/gcra.ts'
import type { RateLimitKind } from '../src/platform/rate-limits/kinds.ts'
import type { Services } from '../src/services.ts'
import { createLoaders, type Loaders } from './loaders.ts'
import { LIMITS } from './limits.ts'

/** What resolvers see of a request; nothing of it belongs to a protocol. */
export interface GraphQLContext {
  readonly services: Services
  /** Empty where there is none, as in a call from inside. */
  readonly clientIp: string
  /**
   * The wallet that signed the request. Checked when first asked for and once, however many fields ask, but each that asks counts as an
   * authenticated request; throws the 401s of `src/identity/wallet-auth`, and RATE_LIMITED. Resolvers of guarded operations ask before
   * anything else.
   */
  readonly authenticate: () => Promise<Pubkey>
  readonly loaders: Loaders
  /** Called with the most values that a page below another page can hold, before it is read; throws QUERY_TOO_LARGE. */
  readonly spend: (values: number) => void
  /** Counts a request of this kind against the client; throws or rejects with RATE_LIMITED. A promise only where the database counts. */
  readonly count: (kind: RateLimitKind) => void | Promise<void>
}

export interface ContextInput {
  readonly services: Services
  readonly clientIp: string
  /** Absent where there is no request that could be signed. */
  readonly authenticate?: () => Promise<Pubkey>
  /** Told where the client stands with each limit that is counted. */
  readonly onCount?: (state: RateLimitState) => void
}

/** One for each operation: what its loaders have read is shared with no other. Loaders are made when first asked for. */
export function createGraphQLContext(input: ContextInput): GraphQLContext {
  const { services, clientIp, authenticate = unsigned, onCount = () => undefined } = input
  let wallet: Promise<Pubkey> | undefined
  let loaders: Loaders | undefined
  let spent = 0
  return {
    services,
    clientIp,
    authenticate: async () => {
      if (wallet === undefined) return (wallet = authenticate())
      await services.rateLimits.take('authenticated', clientIp, onCount)
      return wallet
    },
    get loaders() {
      return (loaders ??= createLoaders(services))
    },
    count: (kind) => services.rateLimits.take(kind, clientIp, onCount),
    spend: (values) => {
      spent += values
      if (spent > LIMITS.nestedValues) throw new DomainError('QUERY_TOO_LARGE', { max: LIMITS.nestedValues })
    },
  }
}

async function unsigned(): Promise<never> {
  throw new DomainError('AUTH_HEADERS_MISSING')
}
