import { consolePath } from './console/routes.ts'
import { addVary } from './contract/vary.ts'
import { wantsPage } from './graphql/graphiql.ts'
import type { RestApp } from './rest-app.ts'

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
export function rootRoute(
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
