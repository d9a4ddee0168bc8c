import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import staticFiles from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendPage } from '../plugins/static-files.ts'
import type { RestContext } from '../rest-context.ts'

/**
 * Nothing comes from another origin. `data:` is for the icons of wallets. The page has one inline
 * style and one inline script, which are allowed by their hashes.
 */
function policyOf(html: string): string {
  const hashOf = (tag: string): string => {
    const [, content = ''] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(html) ?? []
    return `'sha256-${createHash('sha256').update(content).digest('base64')}'`
  }
  return (
    `default-src 'none'; script-src 'self' ${hashOf('script')}; style-src 'self' ${hashOf('style')}; ` +
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'"
  )
}

const HEADERS = {
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'cross-origin-resource-policy': 'same-origin',
}
const DIST = new URL('../../packages/console/dist/', import.meta.url)
const NOT_BUILT = 'The console is not built. Build it with: npm run build -w @agent-registry/console'

/** The path of the console, as browsers see it. */
export function consolePath(baseUrl: string | null): string {
  return `${baseUrl === null ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '')}/console/`
}

/** `dist`: the folder of the built console. */
export async function consoleRoutes(
  app: FastifyInstance,
  { logger, baseUrl }: RestContext,
  dist = DIST,
): Promise<void> {
  const base = consolePath(baseUrl)
  const route = { schema: { hide: true }, config: { priority: 'file' } } as const
  const html = readPage(dist, base)
  if (html === null) logger.warn(NOT_BUILT)
  const policy = policyOf(html ?? '')

  // Not permanent, so that browsers ask again if the console is switched off.
  app.get('/console', route, (_, reply) => reply.redirect(base))
  const send = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    html === null
      ? reply.code(503).type('text/plain; charset=utf-8').send(`${NOT_BUILT}\n`)
      : sendPage(request, reply, { html, policy, headers: HEADERS })
  app.get('/console/', route, send)
  app.get('/console/*', route, send)
  if (html === null) return
  app.addHook('onRoute', (added) => {
    if (added.url.startsWith('/console/assets/')) Object.assign(added, route)
  })
  await app.register(staticFiles, {
    root: fileURLToPath(new URL('assets/', dist)),
    prefix: '/console/assets/',
    preCompressed: true,
    immutable: true,
    maxAge: '1y',
    index: false,
    decorateReply: false,
  })
}

/** The page for this path. Null if the console is not built. */
function readPage(dist: URL, base: string): string | null {
  try {
    const html = readFileSync(new URL('index.html', dist), 'utf8')
    return html.replace('<base href="/console/"', `<base href="${base}"`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
