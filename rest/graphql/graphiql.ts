import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const EXAMPLE = `# Agents with their stakes, the best reputed first.
{
  agents(sort: reputation, limit: 5) {
    total
    agents { pda name tier reputationScore stake { depositedAmount } }
  }
}
`

/** The page has its scripts, styles and fonts in it; browsers are told to load nothing from elsewhere. */
const POLICY =
  "default-src 'none'; connect-src 'self'; script-src 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:; " +
  "style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'none'"

interface Page {
  readonly plain: Buffer
  readonly packed: Buffer
}

let page: Promise<Page> | undefined

/** Nine megabytes, and so made when first asked for, and once. */
async function makePage(): Promise<Page> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const plain = Buffer.from(renderGraphiQL({ title: 'Agent Registry Gateway', defaultQuery: EXAMPLE }))
  return { plain, packed: await promisify(gzip)(plain) }
}

export function wantsPage({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true
}

/** Answers GraphiQL. */
export async function sendGraphiql(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { plain, packed } = await (page ??= makePage())
  reply.headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    vary: 'accept, accept-encoding',
  })
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(plain)
  return reply.header('content-encoding', 'gzip').send(packed)
}
