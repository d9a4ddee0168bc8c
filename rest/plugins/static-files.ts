import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, createGunzip, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pathNotFound } from '../contract/request-checks.ts'
import { addVary, hasTag, sendTagged } from './read-headers.ts'

/** A file in memory that is compressed once. */
export interface StaticFile {
  readonly type: string
  readonly tag: string
  readonly size: number
  readonly br: Buffer
  readonly gzip: Buffer
}

export interface PageContent {
  readonly style: string
  readonly script: string
}

/**
 * An expression for the script of a page: the token of the session that the console has stored for
 * this tab (`api/token.ts` of the console), or undefined. The page does not store it.
 */
export const SESSION_TOKEN = `(() => {
  try {
    const { token, expiresAt } = JSON.parse(sessionStorage.getItem('session'))
    return Date.parse(expiresAt) > Date.now() ? token : undefined
  } catch { return undefined }
})()`

const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
/** Bytes that are decompressed at once. */
const CHUNK = 131_072

export async function compressFile(type: string, text: string): Promise<StaticFile> {
  const bytes = Buffer.from(text)
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(bytes, QUALITY), promisify(gzip)(bytes)])
  return { type, tag: hash('sha256', bytes).slice(0, 16), size: bytes.length, br, gzip: gzipped }
}

/** A client that accepts neither encoding gets the file decompressed, as fast as it reads. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  addVary(reply, 'accept-encoding')
  reply.headers({ 'content-type': file.type, etag: `W/"${file.tag}"` })
  if (hasTag(request.headers['if-none-match'], `"${file.tag}"`)) return reply.code(304).send()
  const encoding = acceptedEncoding(request.headers['accept-encoding'])
  if (encoding !== undefined) return reply.header('content-encoding', encoding).send(file[encoding])
  const whole = createGunzip({ chunkSize: CHUNK })
  whole.end(file.gzip)
  return reply.header('content-length', file.size).send(whole)
}

function acceptedEncoding(header: string | string[] | undefined): 'br' | 'gzip' | undefined {
  const named = String(header).toLowerCase().split(',')
  const accepted = named.filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
  const names = new Set(accepted.map((each) => each.split(';', 1)[0]?.trim()))
  return (['br', 'gzip'] as const).find((each) => names.has(each))
}

/**
 * Serves the style sheet and the script of a page in this folder. They are loaded at the first
 * request. Returns a function that returns their names, which contain hashes of their content.
 */
export function servePageFiles(
  app: FastifyInstance,
  folder: string,
  { units, load }: { units: number; load: () => Promise<PageContent> },
): () => Promise<PageContent> {
  const compressAll = async () => {
    const { style, script } = await load()
    const [css, js] = await Promise.all([
      compressFile('text/css; charset=utf-8', style),
      compressFile('text/javascript; charset=utf-8', script),
    ])
    const names = { style: `${css.tag}.css`, script: `${js.tag}.js` }
    return { names, files: new Map([[names.style, css] as const, [names.script, js] as const]) }
  }
  let loaded: ReturnType<typeof compressAll> | undefined
  const options = { schema: { hide: true }, config: { units, priority: 'file' as const } }
  app.get<{ Params: { file: string } }>(`${folder}:file`, options, async (request, reply) => {
    const { files } = await (loaded ??= compressAll())
    const file = files.get(request.params.file)
    if (file === undefined) throw pathNotFound(request)
    reply.header('cache-control', 'public, max-age=31536000, immutable')
    return sendFile(request, reply, file)
  })
  return async () => (await (loaded ??= compressAll())).names
}

/** The HTML of a page whose files are in `folder`. `body` precedes its script. */
export const writePage = ({ style, script }: PageContent, folder: string, body: string): string =>
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Agent Registry Gateway</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${folder}${style}" />
  </head>
  ${body}
    <script src="${folder}${script}"></script>
  </body>
</html>
`

/** Sends a page with this content security policy and more headers. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { html, policy, headers }: { html: string; policy: string; headers?: Record<string, string> },
): FastifyReply {
  const etag = `"${hash('sha256', html).slice(0, 32)}"`
  reply.headers({
    ...headers,
    'content-security-policy': policy,
    'cache-control': 'no-cache',
  })
  return sendTagged(request, reply, { type: 'text/html; charset=utf-8', body: () => html, etag })
}
