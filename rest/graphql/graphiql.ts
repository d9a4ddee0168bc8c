import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pathNotFound } from '../contract/request-checks.ts'
import { hasTag } from '../plugins/response-cache/cached-read.ts'
import type { RestApp } from '../rest-app.ts'

const EXAMPLE = `# Agents with their stakes, highest reputation first.
{
  agents(sort: reputation, limit: 5) {
    total
    agents { pda name tier reputationScore stake { depositedAmount } }
  }
}
`

/**
 * Browsers load nothing from other servers. The editor needs `eval` and starts its workers itself.
 */
const POLICY =
  "default-src 'none'; connect-src 'self'; script-src 'self' 'unsafe-eval' blob:; worker-src blob:; " +
  "style-src 'self' 'unsafe-inline'; img-src data:; font-src 'self' data:; frame-ancestors 'none'"
const FILES = '/graphql/graphiql/'
/** The script has two megabytes, compressed. */
const FILE_UNITS = 20

interface File {
  readonly type: string
  readonly brotli: Buffer
  readonly gzip: Buffer
}

interface Page {
  readonly html: string
  readonly etag: string
  /** The script and the style sheet by their names, which contain hashes of their content. */
  readonly files: ReadonlyMap<string, File>
}

let page: Promise<Page> | undefined

/** The package has one page of nine megabytes. It is split and compressed at the first request. */
async function createPage(): Promise<Page> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const whole = renderGraphiQL({ title: 'Agent Registry Gateway', defaultQuery: EXAMPLE })
  const style = between(whole, '<style>', '</style>')
  const script = between(whole, '<script>', '</script>\n    </body>')
  const styleName = `${hash('sha256', style).slice(0, 16)}.css`
  const scriptName = `${hash('sha256', script).slice(0, 16)}.js`
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Agent Registry Gateway</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${FILES}${styleName}" />
  </head>
  <body id="body" class="no-focus-outline">
    <div id="root"></div>
    <script src="${FILES}${scriptName}"></script>
  </body>
</html>
`
  const files = new Map([
    [styleName, await compress('text/css; charset=utf-8', style)],
    [scriptName, await compress('text/javascript; charset=utf-8', script)],
  ])
  return { html, etag: `"${hash('sha256', html).slice(0, 32)}"`, files }
}

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start)
  const to = text.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`the page of GraphiQL has no ${start}`)
  return text.slice(from + start.length, to)
}

async function compress(type: string, text: string): Promise<File> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 }
  const [brotli, zipped] = await Promise.all([
    promisify(brotliCompress)(text, { params }),
    promisify(gzip)(text),
  ])
  return { type, brotli, gzip: zipped }
}

export function wantsPage({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true
}

export async function sendGraphiql(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { html, etag } = await (page ??= createPage())
  reply.headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'cache-control': 'no-cache',
    vary: 'accept',
    etag,
  })
  return hasTag(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(html)
}

/** Registers the files of the page, always compressed: every browser accepts gzip. */
export function graphiqlFiles(app: RestApp): void {
  const options = { schema: { hide: true }, config: { units: FILE_UNITS } }
  app.get<{ Params: { file: string } }>(`${FILES}:file`, options, async (request, reply) => {
    const { files } = await (page ??= createPage())
    const file = files.get(request.params.file)
    if (file === undefined) throw pathNotFound(request)
    const encoding = /\bbr\b/.test(String(request.headers['accept-encoding'])) ? 'brotli' : 'gzip'
    return reply
      .headers({
        'content-type': file.type,
        'content-encoding': encoding === 'brotli' ? 'br' : 'gzip',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      })
      .send(file[encoding])
  })
}
