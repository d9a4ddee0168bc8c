import type { Pubkey } from '@agent-registry/solana'
import { DomainError } from '../src/domain/errors.ts'
import type { Caller } from '../src/identity/sessions/sessions.ts'
import type { GuardedKind } from '../src/platform/rate-limits/rate-limits.ts'
import type { Operator } from '../src/compose/operators.ts'
import type { Services } from '../src/compose/services.ts'
import { LIMITS } from './limits.ts'
import { createLoaders, type Loaders } from './loaders.ts'

/** What the schema gets from a transport (REST, /graphql, WebSocket) about a request. */
export interface RequestContext {
  readonly clientIp: string
  /** Verifies the wallet signature or the session. Absent if the transport cannot carry one. */
  readonly authenticate?: () => Promise<Caller>
  /** What an operator may do. Throws OPERATOR_FORBIDDEN. Absent if no operator can call. */
  readonly operator?: () => Operator
  /**
   * Counts a call against a rate limit of the client. Throws or rejects with RATE_LIMITED. Returns
   * a promise only for limits that the database counts.
   */
  readonly count: (kind: GuardedKind) => void | Promise<void>
  /** Aborted when the client has disconnected. Only subscriptions need it. */
  readonly disconnected?: () => AbortSignal
  /** Charges the units of a subscription for one of its events. Throws RATE_LIMITED. */
  readonly chargeEvent?: () => void
}

/** What resolvers get. It does not depend on a transport. */
export interface GraphQLContext extends Omit<Required<RequestContext>, 'authenticate'> {
  readonly services: Services
  /**
   * Who sends the request. The signature or the session is verified once for all fields; each
   * further call counts as an authenticated request. Throws RATE_LIMITED and the errors of wallet
   * auth.
   */
  readonly caller: () => Promise<Caller>
  readonly authenticate: () => Promise<Pubkey>
  readonly loaders: Loaders
  /** Reserves the most values that a nested list can return. Throws QUERY_TOO_LARGE. */
  readonly spend: (values: number) => void
  /** Begins an event of a subscription: nothing is loaded or spent yet. */
  readonly startEvent: () => void
}

const NEVER = new AbortController().signal

/** Creates the context of one operation. Loaders are created at first use and never shared. */
export function createGraphQLContext(services: Services, request: RequestContext): GraphQLContext {
  const { clientIp, authenticate = unsigned, operator = noOperator, count } = request
  const { disconnected = () => NEVER, chargeEvent = () => undefined } = request
  let known: Promise<Caller> | undefined
  let loaders: Loaders | undefined
  let spent = 0
  const caller = async (): Promise<Caller> => {
    if (known === undefined) return (known = authenticate())
    await count('authenticated')
    return known
  }
  return {
    services,
    clientIp,
    count,
    disconnected,
    chargeEvent,
    operator,
    caller,
    authenticate: async () => (await caller()).wallet,
    get loaders() {
      return (loaders ??= createLoaders(services))
    },
    spend: (values) => {
      spent += values
      if (spent > LIMITS.nestedValues) throw new DomainError('QUERY_TOO_LARGE', { max: LIMITS.nestedValues })
    },
    startEvent: () => {
      if (loaders !== undefined) Object.assign(loaders, createLoaders(services))
      spent = 0
    },
  }
}

function noOperator(): never {
  throw new DomainError('OPERATOR_FORBIDDEN')
}

async function unsigned(): Promise<never> {
  throw new DomainError('AUTH_HEADERS_MISSING')
}
