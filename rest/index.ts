import type { Services } from '../src/services.ts'
import { agentRoutes } from './agents/routes.ts'
import { authRoutes } from './auth/routes.ts'
import { contextRoute } from './credentials/context-route.ts'
import { credentialRoutes } from './credentials/routes.ts'
import { didRoutes } from './did/routes.ts'
import type { Executor } from './execute.ts'
import { healthRoutes } from './health/routes.ts'
import { idlRoute } from './health/idl-route.ts'
import { createOperations, type Operations } from './operations.ts'
import type { ResponseCache } from './plugins/response-cache/response-cache.ts'
import { relayRoutes } from './relay/routes.ts'
import type { RestApp } from './rest-app.ts'
import { sponsorRoutes } from './sponsor/routes.ts'
import { stakeRoutes } from './stakes/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

export interface RestOptions {
  readonly services: Services
  /** How operations run; `execute` is the slow fallback. */
  readonly executor: Executor
  /** Null switches the cache off. */
  readonly cache: ResponseCache | null
  /** `operations` has health, readiness, info and metrics only. */
  readonly surface: 'all' | 'operations'
}

/** Registers the documented HTTP API, a folder for each section of the contract. */
export function registerRest(app: RestApp, options: RestOptions): void {
  const operations = createOperations(app, options)
  if (options.surface === 'all') documentedRoutes(app, operations, options.services)
  healthRoutes(app, operations)
}

function documentedRoutes(app: RestApp, operations: Operations, services: Services): void {
  authRoutes(app, operations)
  agentRoutes(app, operations)
  stakeRoutes(app, operations)
  didRoutes(app, operations)
  credentialRoutes(app, operations)
  contextRoute(app)
  idlRoute(app, services)
  relayRoutes(app, operations)
  sponsorRoutes(app, operations)
  webhookRoutes(app, operations)
}
