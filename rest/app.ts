import { type FastifyBaseLogger, fastify } from 'fastify'
import { handleError } from './contract/errors.ts'
import { limitBodyValues } from './contract/json-size.ts'
import type { Operation } from './documents/documents.ts'
import type { Executor } from './execute.ts'
import { type ConsoleOptions, consoleRoutes, consolePath } from './console/routes.ts'
import { graphqlRoutes } from './graphql/routes.ts'
import { shedLoad, takeTurns } from './plugins/overload.ts'
import { registerRest } from './index.ts'
import { metricsRoute, observeRequests } from './plugins/observability.ts'
import { allowOrigins, securityHeaders } from './plugins/browser-headers.ts'
import { createOriginGuard, isLocal } from './plugins/origin-guard.ts'
import { countRequests } from './plugins/rate-limits.ts'
import { mcpRoutes } from './mcp/routes.ts'
import { describeRoutes } from './openapi/describe-routes.ts'
import { CONNECTION_LIMITS, type ConnectionLimits } from './plugins/connections.ts'
import { limitConnections } from './plugins/open-connections.ts'
import { compileSerializer, compileValidator, serverOptions } from './plugins/server-options.ts'
import { checkRequests } from './contract/request-checks.ts'
import { LIMITS } from '../schema/limits.ts'
import { LOCALNET_RECEIVER } from '../src/health/health-service.ts'
import type { Logger } from '../src/platform/logger.ts'
import type { Metrics } from '../src/platform/metrics/metrics.ts'
import type { Services } from '../src/compose/services.ts'
import type { RestApp } from './rest-app.ts'
import { addVary } from './contract/vary.ts'
import { wantsPage } from './graphql/graphiql.ts'

export interface AppOptions {
  readonly services: Services
  readonly logger: Logger
  readonly metrics: Metrics
  /** Semantic version, for the OpenAPI document. */
  readonly version: string
  /** Public URL of the service. Null if unknown. */
  readonly baseUrl: string | null
  /** Proxies (addresses or CIDR blocks) whose X-Forwarded-For is trusted. */
  readonly trustProxy?: string[]
  /** Origins whose pages may call the service. `*` allows all. Default: none. */
  readonly corsOrigins?: readonly string[]
  /** Host names of the service in addition to that of `baseUrl`. Null allows every name. */
  readonly hostNames?: readonly string[] | null
  readonly executor?: Executor
  readonly connectionLimits?: ConnectionLimits
  /**
   * `operations` has only health, readiness, info and metrics, for processes without the role
   * `api`.
   */
  readonly surface?: 'all' | 'operations'
  /** With which other machines may read `/metrics`. Default: only this one may. */
  readonly metricsToken?: string | null
  /** Operations of the operator (documents/operators.ts). Default: none. */
  readonly operatorDocuments?: readonly Operation[]
  /** Whether the process runs a localnet, whose fields are then in the schema. Default: false. */
  readonly hasLocalnet?: boolean
  /** Serves the web console. Default: false. */
  readonly console?: boolean | Pick<ConsoleOptions, 'dist'>
}

/** Builds the HTTP API, ready to listen. Closing it does not close the services. */
export async function buildApp(options: AppOptions): Promise<RestApp> {
  const { services, metrics, trustProxy = [], connectionLimits = CONNECTION_LIMITS } = options
  const { executor = 'jit', surface = 'all', operatorDocuments = [] } = options
  const loggerInstance: FastifyBaseLogger = options.logger
  const app: RestApp = fastify({
    ...serverOptions(connectionLimits),
    loggerInstance,
    trustProxy: trustProxy.length > 0 ? trustProxy : false,
  })

  app.server.maxConnections = connectionLimits.maxConnections
  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(compileSerializer)
  app.setErrorHandler(handleError)
  // Pages may send text/plain across origins without a preflight request. No route reads it.
  app.removeContentTypeParser('text/plain')
  limitBodyValues(app, LIMITS.values)
  limitConnections(app, connectionLimits, trustProxy, metrics)
  takeTurns(app)
  observeRequests(app, metrics)
  securityHeaders(app, { https: options.baseUrl?.startsWith('https:') === true })
  await allowOrigins(app, options.corsOrigins ?? [])
  countRequests(app, services)
  checkRequests(app)
  shedLoad(app, services.admission)
  metricsRoute(app, metrics, options.metricsToken ?? null)
  if (surface === 'all')
    await addClientFaces(app, { ...options, connectionLimits, executor, operatorDocuments })
  registerRest(app, { services, executor, surface, operatorDocuments })
  await app.ready()
  return app
}

/** What only processes with the role `api` have: OpenAPI, MCP, the console and GraphQL. */
async function addClientFaces(
  app: RestApp,
  options: AppOptions & Required<Pick<AppOptions, 'connectionLimits' | 'executor' | 'operatorDocuments'>>,
): Promise<void> {
  const { services, logger, metrics, version, baseUrl, connectionLimits } = options
  const { corsOrigins = [], hostNames = [], console = false, hasLocalnet = false } = options
  const { executor, operatorDocuments } = options
  await describeRoutes(app, services, { version, baseUrl })
  const ownNames = hostNames && [...hostNames, ...(baseUrl === null ? [] : [new URL(baseUrl).hostname])]
  // Any page of a browser on this machine could use the tools of a local service.
  const pages = isLocal(ownNames) ? corsOrigins.filter((each) => each !== '*') : corsOrigins
  const mcp = { services, logger, version, connectionLimits, operatorDocuments }
  await app.register(async (scope: RestApp) =>
    mcpRoutes(scope, { ...mcp, originGuard: createOriginGuard(pages, ownNames) }),
  )
  rootRoute(app, { version, baseUrl, hasConsole: console !== false })
  if (console !== false) await consoleRoutes(app, { logger, baseUrl, ...(console === true ? {} : console) })
  if (hasLocalnet) receiverRoute(app)
  const originGuard = createOriginGuard(corsOrigins, ownNames)
  graphqlRoutes(app, { services, logger, metrics, originGuard, connectionLimits, executor, hasLocalnet })
}

/**
 * A receiver for people who try out webhooks of a localnet. The log of a delivery has what was sent
 * to it. Deliveries must not use up the limits of this machine, so it has none.
 */
function receiverRoute(app: RestApp): void {
  void app.register(async (scope: RestApp) => {
    // Bodies are read, but not parsed.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      (_request, body, done) => void body.resume().once('end', () => done(null)),
    )
    scope.post(
      LOCALNET_RECEIVER,
      { config: { priority: 'exempt' }, schema: { hide: true } },
      (_request, reply) => reply.type('text/plain').send('received'),
    )
  })
}

/** Where to go from here. Without a base URL the links are paths. */
const LINKS = {
  console: '/console/',
  docs: '/docs',
  openapi: '/openapi.json',
  graphql: '/graphql',
  mcp: '/mcp',
  agents: '/agents',
  info: '/info',
  ready: '/ready',
}

/** Sends browsers from / to the console, and other clients a short list of links. */
function rootRoute(
  app: RestApp,
  { version, baseUrl, hasConsole }: { version: string; baseUrl: string | null; hasConsole: boolean },
): void {
  const base = baseUrl?.replace(/\/+$/, '') ?? ''
  const links = Object.entries(LINKS)
    .filter(([name]) => hasConsole || name !== 'console')
    .map(([name, path]) => [name, base + path])
  const body = { name: 'Agent Registry Gateway', version, links: Object.fromEntries(links) as object }
  app.get('/', { schema: { hide: true } }, (request, reply) => {
    addVary(reply, 'accept')
    // Not permanent, so that browsers ask again if the console is switched off.
    return hasConsole && wantsPage(request) ? reply.redirect(consolePath(baseUrl)) : reply.send(body)
  })
}
