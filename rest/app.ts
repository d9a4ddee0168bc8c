import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify'
import packageJson from '../package.json' with { type: 'json' }
import { handleError } from './contract/errors.ts'
import { ignoreBodies } from './contract/readers.ts'
import { limitBodyValues } from './contract/json-size.ts'
import { loadOperators } from './documents/operators.ts'
import { consoleRoutes, consolePath } from './console/routes.ts'
import { graphqlRoutes } from './graphql/routes.ts'
import { shedLoad, takeTurns } from './plugins/overload.ts'
import { registerRest } from './index.ts'
import { metricsRoute, observeRequests } from './plugins/observability.ts'
import { allowOrigins, securityHeaders } from './plugins/browser-headers.ts'
import { createOriginGuard, isLocal } from './plugins/origin-guard.ts'
import { countRequests } from './plugins/rate-limits.ts'
import { mcpRoutes } from './mcp/routes.ts'
import { describeRoutes } from './openapi/describe-routes.ts'
import { CONNECTION_LIMITS } from './plugins/connections.ts'
import { limitConnections } from './plugins/open-connections.ts'
import { compileSerializer, compileValidator, serverOptions } from './plugins/server-options.ts'
import { checkRequests } from './contract/request-checks.ts'
import { LIMITS } from '../schema/limits.ts'
import { LOCALNET_RECEIVER } from '../src/health/health-service.ts'
import { type Config, hostNamesOf } from '../src/platform/config/config.ts'
import type { GatewayContext, Services } from '../src/compose/services.ts'
import type { RestContext } from './rest-context.ts'
import { addVary } from './plugins/read-headers.ts'
import { wantsPage } from './graphql/graphiql.ts'

/** In place of what follows from the settings. */
export interface AppOptions extends Partial<
  Pick<RestContext, 'executor' | 'connectionLimits' | 'operatorDocuments' | 'hasLocalnet'>
> {
  /** Host names of the service. Null allows every name. */
  readonly hostNames?: readonly string[] | null
  /** With which other machines may read `/metrics`. Default: only this one may. */
  readonly metricsToken?: string | null
  /** Whether there is a console, and the folder of its build. */
  readonly console?: boolean | { readonly dist: URL }
}

/** Builds the HTTP API, ready to listen. Closing it does not close the services. */
export async function buildApp(
  { config, logger, metrics }: Pick<GatewayContext, 'config' | 'logger' | 'metrics'>,
  services: Services,
  options: AppOptions = {},
): Promise<FastifyInstance> {
  const { host, port, operationsDir, trustProxy, corsOrigins } = config.server
  const { executor = 'jit', connectionLimits = CONNECTION_LIMITS, hasLocalnet = false } = options
  const { operatorDocuments = operationsDir === null ? [] : loadOperators(operationsDir) } = options
  const baseUrl = config.server.baseUrl ?? (port === 0 ? null : `http://${host}:${port}`)
  const loggerInstance: FastifyBaseLogger = logger
  const app: FastifyInstance = fastify({
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
  securityHeaders(app, { https: baseUrl?.startsWith('https:') === true })
  await allowOrigins(app, corsOrigins)
  countRequests(app, services)
  checkRequests(app)
  shedLoad(app, services.admission)
  metricsRoute(app, metrics, options.metricsToken ?? null)
  const forRoutes = { services, logger, metrics, baseUrl, executor, connectionLimits }
  const context: RestContext = { ...forRoutes, operatorDocuments, hasLocalnet }
  const isApi = config.roles.has('api')
  if (isApi) await addClientFaces(app, context, config.server, options)
  registerRest(app, context, isApi ? 'all' : 'operations')
  await app.ready()
  return app
}

/** What only processes with the role `api` have: OpenAPI, MCP, the console and GraphQL. */
async function addClientFaces(
  app: FastifyInstance,
  context: RestContext,
  server: Config['server'],
  { hostNames = hostNamesOf(server), console = server.console }: AppOptions,
): Promise<void> {
  await describeRoutes(app, context)
  // Any page of a browser on this machine could use the tools of a local service.
  const { corsOrigins } = server
  const pages = isLocal(hostNames) ? corsOrigins.filter((each) => each !== '*') : corsOrigins
  await app.register(async (scope: FastifyInstance) =>
    mcpRoutes(scope, context, createOriginGuard(pages, hostNames)),
  )
  rootRoute(app, context, console !== false)
  if (console !== false) await consoleRoutes(app, context, console === true ? undefined : console.dist)
  if (context.hasLocalnet) receiverRoute(app)
  graphqlRoutes(app, context, createOriginGuard(corsOrigins, hostNames))
}

/**
 * A receiver for people who try out webhooks of a localnet. The log of a delivery has what was sent
 * to it. Deliveries must not use up the limits of this machine, so it has none.
 */
function receiverRoute(app: FastifyInstance): void {
  void app.register(async (scope: FastifyInstance) => {
    ignoreBodies(scope)
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
function rootRoute(app: FastifyInstance, { baseUrl }: RestContext, hasConsole: boolean): void {
  const base = baseUrl?.replace(/\/+$/, '') ?? ''
  const links = Object.entries(LINKS)
    .filter(([name]) => hasConsole || name !== 'console')
    .map(([name, path]) => [name, base + path])
  const { version } = packageJson
  const body = { name: 'Agent Registry Gateway', version, links: Object.fromEntries(links) as object }
  app.get('/', { schema: { hide: true } }, (request, reply) => {
    addVary(reply, 'accept')
    // Not permanent, so that browsers ask again if the console is switched off.
    return hasConsole && wantsPage(request) ? reply.redirect(consolePath(baseUrl)) : reply.send(body)
  })
}
