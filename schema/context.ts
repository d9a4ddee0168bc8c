import type { Services } from '../src/services.ts'
import { createLoaders, type Loaders } from './loaders.ts'

/** What resolvers see of a request; nothing of it belongs to a protocol. */
export interface GraphQLContext {
  readonly services: Services
  /** Empty where there is none, as in a call from inside. */
  readonly clientIp: string
  /** The wallet that signed the request, base-58. */
  readonly wallet?: string
  readonly loaders: Loaders
}

export interface ContextInput {
  readonly services: Services
  readonly clientIp: string
  readonly wallet?: string
}

/** A class, so that the many requests that need no loader make none. */
class RequestContext implements GraphQLContext {
  readonly services: Services
  readonly clientIp: string
  readonly wallet?: string
  #loaders: Loaders | undefined

  constructor({ services, clientIp, wallet }: ContextInput) {
    this.services = services
    this.clientIp = clientIp
    this.wallet = wallet
  }

  get loaders(): Loaders {
    return (this.#loaders ??= createLoaders(this.services))
  }
}

/** One for each operation: what its loaders have read is shared with no other. */
export function createGraphQLContext(input: ContextInput): GraphQLContext {
  return new RequestContext(input)
}
