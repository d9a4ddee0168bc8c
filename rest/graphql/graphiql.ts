import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const EXAMPLE = `# Agents with their stakes, highest reputation first.
{
  agents(sort: reputation, limit: 5) {
    total
    agents { pda name tier reputationScore stake { depositedAmount } }
  }
}
`

/** The page contains its scripts, styles and fonts, so browsers may load nothing else. */
const POLICY =
  "default-src 'none'; connect-src 'self'; script-src 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:; " +
  "style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'none'"

interface Page {
  readonly plain: Buffer
  readonly compressed: Buffer
}

let page: Promise<Page> | undefined

/** The page has nine megabytes, so it is created at the first request, and only once. */
async function createPage(): Promise<Page> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const plain = Buffer.from(renderGraphiQL({ title: 'Agent Registry Gateway', defaultQuery: EXAMPLE }))
  return { plain, compressed: await promisify(gzip)(plain) }
}

export function wantsPage({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true
}

export async function sendGraphiql(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { plain, compressed } = await (page ??= createPage())
  reply.headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    vary: 'accept, accept-encoding',
  })
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(plain)
  return reply.header('content-encoding', 'gzip').send(compressed)
}
