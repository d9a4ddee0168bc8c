import type { Services } from '../src/services.ts'
import { agentRoutes } from './agents/routes.ts'
import { contextRoute } from './credentials/context-route.ts'
import { credentialRoutes } from './credentials/routes.ts'
import { didRoutes } from './did/routes.ts'
import { createDoor } from './operations.ts'
import type { Executor } from './execute.ts'
import { healthRoutes } from './health/routes.ts'
import { relayRoutes } from './relay/routes.ts'
import type { ResponseCache } from './plugins/response-cache/response-cache.ts'
import { ErrorBody } from './contract/shapes.ts'
import { sponsorRoutes } from './sponsor/routes.ts'
import { stakeRoutes } from './stakes/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import type { RestApp } from './rest-app.ts'

export interface RestOptions {
  readonly services: Services
  /** How operations are run; `execute` is the slow fallback. */
  readonly executor?: Executor
  /** Null, the default, keeps no answers. */
  readonly responseCache?: ResponseCache | null
}

/** Registers the documented HTTP surface, a folder for each section of the contract. */
export function registerRest(
  app: RestApp,
  { services, executor = 'jit', responseCache = null }: RestOptions,
): void {
  const door = createDoor(services, executor, responseCache)
  app.addSchema(ErrorBody)
  agentRoutes(app, door)
  stakeRoutes(app, door)
  didRoutes(app, door)
  credentialRoutes(app, door)
  contextRoute(app)
  relayRoutes(app, door)
  sponsorRoutes(app, door)
  webhookRoutes(app, door)
  healthRoutes(app, door)
}

/** What a process without the documented surface still answers. */
export function registerOperations(app: RestApp, { services, executor = 'jit' }: RestOptions): void {
  app.addSchema(ErrorBody)
  healthRoutes(app, createDoor(services, executor, null))
}
