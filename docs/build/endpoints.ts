import { operations } from '../../rest/documents/documents.ts'
import { rootFields } from '../../rest/documents/responses.ts'
import { RATE_LIMIT_KINDS } from '../../src/platform/rate-limits/rate-limits.ts'
import { page, table } from './markdown.ts'
import { documentedApp } from './openapi-document.ts'

interface Route {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly security?: readonly object[]
}

/** Routes that send a file. */
const WITHOUT_GRAPHQL: ReadonlySet<string> = new Set(['getAgentCredentialsContext', 'getProgramIdl'])

/** Operations that the webhook service charges for each delivery. */
const SENDING: ReadonlySet<string> = new Set(['pingWebhook', 'resendWebhookDelivery', 'recoverWebhook'])

/** Paths that the OpenAPI document does not have. */
const OTHER_PATHS: readonly [method: 'GET' | 'POST', url: string, purpose: string, rateLimit: string][] = [
  [
    'POST',
    '/graphql',
    '[GraphQL](../guides/graphql.md): queries, mutations and event streams',
    'units by cost',
  ],
  [
    'GET',
    '/graphql',
    'GraphQL queries, event streams and WebSockets; GraphiQL in a browser',
    'units by cost',
  ],
  ['GET', '/graphql/graphiql/:file', 'The files of GraphiQL', '20 units'],
  ['GET', '/graphql/schema.graphql', 'The GraphQL schema as SDL', '1 unit'],
  ['POST', '/mcp', '[MCP](../guides/mcp.md) over Streamable HTTP', 'units by cost'],
  ['GET', '/mcp/sse', 'MCP over the older SSE transport', '1 unit'],
  ['POST', '/mcp/messages', 'Messages of an MCP session over SSE', 'units by cost'],
  ['GET', '/openapi.json', 'The OpenAPI document', '1 unit'],
  ['GET', '/docs', 'The OpenAPI document in a browser', '1 unit; each of its files 5'],
  ['GET', '/docs/guides/:file', 'A guide, such as `rest.md`', '1 unit'],
  ['GET', '/metrics', 'Prometheus metrics, see [monitoring](../guides/monitoring.md)', ''],
]

/** The documented routes. Throws if one of OTHER_PATHS does not exist. */
async function readRoutes(): Promise<Record<string, Record<string, Route>>> {
  const app = await documentedApp()
  for (const [method, url] of OTHER_PATHS)
    if (!app.hasRoute({ method, url })) throw new Error(`There is no route ${method} ${url}`)
  const { paths } = app.swagger()
  await app.close()
  return paths as Record<string, Record<string, Route>>
}

/** The root field that a REST route runs. The operation has the name of the route's operationId. */
function rootField(operationId: string) {
  const operation = operations.get(`${operationId[0]?.toUpperCase()}${operationId.slice(1)}`)
  if (operation === undefined) throw new Error(`No GraphQL operation has the name of ${operationId}`)
  const { rest, definition } = operation
  return {
    field: rootFields(operation)[0]!.field,
    operation: definition.operation,
    isExempt: rest?.exempt === 'ALL',
  }
}

function row(method: string, path: string, { operationId, summary, security }: Route): string[] {
  const root = WITHOUT_GRAPHQL.has(operationId) ? null : rootField(operationId)
  const needsWallet = security !== undefined
  const auth = security?.length === 1 ? 'session' : 'wallet'
  const rateLimit = root?.field.extensions.rateLimit
  const limits = [
    ...(root?.isExempt ? [] : ['reads']),
    ...(needsWallet ? ['authenticated'] : []),
    ...(rateLimit ? [rateLimit] : []),
    ...(SENDING.has(operationId) ? ['sends'] : []),
  ]
  return [
    `\`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}\``,
    summary,
    root === null ? '' : `${root.operation} \`${root.field.name}\``,
    needsWallet ? auth : '',
    limits.join(', '),
  ]
}

export async function endpointsPage(): Promise<string> {
  const routes = Object.entries(await readRoutes()).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]) => ({ method, path, route })),
  )
  const tags = [...new Set(routes.flatMap(({ route }) => route.tags))]
  return page(
    '# Endpoints',
    'The OpenAPI 3.1 document at `/openapi.json` describes every parameter, body and response. `/docs` shows it in a browser. This page lists the endpoints; [REST conventions](../guides/rest.md) explains what they have in common.',
    '- **GraphQL** is the field that does the same at `/graphql`.\n- **Auth** `wallet`: the request needs [wallet authentication](../guides/wallet-authentication.md) or a [session](../guides/sessions.md). `session`: it needs a session. All other endpoints are public.\n- **Rate limit** names the limits that count the request, per client network and minute. A request costs one unit of `reads`, a search by name and a filter by reputation 5. `sends` counts deliveries, per client network and per wallet.',
    table(
      ['Rate limit', 'Default', 'Counts'],
      Object.entries(RATE_LIMIT_KINDS).map(([name, { perMinute, counts }]) => [
        name,
        `${perMinute} per minute`,
        counts,
      ]),
    ),
    'The setting `RATE_LIMITS` changes them, for example `RATE_LIMITS=reads=1200,verify=5`.',
    ...tags.flatMap((tag) => [
      `## ${tag}`,
      table(
        ['Endpoint', 'Purpose', 'GraphQL', 'Auth', 'Rate limit'],
        routes
          .filter(({ route }) => route.tags.includes(tag))
          .map(({ method, path, route }) => row(method, path, route)),
      ),
    ]),
    '## Other paths',
    'These paths are not in the OpenAPI document.',
    table(
      ['Path', 'Purpose', 'Rate limit'],
      OTHER_PATHS.map(([method, url, purpose, rateLimit]) => [`\`${method} ${url}\``, purpose, rateLimit]),
    ),
  )
}
