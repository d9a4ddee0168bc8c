import type { FastifyInstance } from 'fastify'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Services } from '../src/compose/services.ts'
import { errorResponses } from './contract/error-responses.ts'
import { named, object, Pubkey } from './contract/shapes.ts'
import { conditionalRequest, JSON_TYPE, notModified, sendTagged, TAG_HEADER } from './plugins/read-headers.ts'
import {
  AGENT_CREDENTIALS_FILE,
  AGENT_CREDENTIALS_PATH,
  AGENT_CREDENTIALS_V1,
} from '../src/identity/credentials/contexts/pinned.ts'

const entry = (name: string) => ({ type: 'object', examples: [{ name }] })
const list = (name: string) => ({ type: 'array', items: entry(name) })

/** Anchor defines the rest. */
const AnchorIdl = named('AnchorIdl', {
  type: 'object',
  description: 'An IDL in the format of Anchor (spec 0.1.0).',
  properties: {
    address: { ...Pubkey, description: 'Address of the registry program.' },
    metadata: entry('agent_registry'),
    instructions: list('register_agent'),
    accounts: list('Agent'),
    events: list('AgentRegistered'),
    errors: list('InvalidPda'),
    types: list('Agent'),
  },
})

const idlSchema = {
  operationId: 'getProgramIdl',
  tags: ['Service'],
  summary: 'Read the IDL of the registry program',
  description:
    'Anchor clients use it to build instructions and to decode accounts, events and errors. `address` is the program that this service uses.',
  querystring: object({}),
  ...conditionalRequest,
  response: { 200: { ...AnchorIdl, headers: TAG_HEADER }, ...notModified(TAG_HEADER), ...errorResponses({}) },
}

/** Serves a static document. It needs no GraphQL operation. */
export function idlRoute(app: FastifyInstance, services: Services): void {
  let document: ReturnType<typeof tagged> | undefined
  app.get('/idl.json', { schema: idlSchema }, async (request, reply) => {
    document ??= tagged(JSON.stringify(services.idl))
    reply.header('cache-control', 'public, max-age=300')
    return sendTagged(request, reply, { type: JSON_TYPE, ...document })
  })
}

const tagged = (body: string) => ({ body: () => body, etag: `"${hash('sha256', body, 'base64url')}"` })

const JsonLdContext = named(
  'JsonLdContext',
  object({
    '@context': {
      type: 'object',
      description: 'The terms of the credential types.',
      examples: [{ '@version': 1.1, '@protected': true }],
    },
  }),
)

const contextSchema = {
  operationId: 'getAgentCredentialsContext',
  tags: ['Credentials'],
  summary: 'Read the JSON-LD context of the four credential kinds',
  description: `Credentials reference it as \`${AGENT_CREDENTIALS_V1}\`, independent of the address of this service. The document never changes, so verifiers can pin its SHA-256.`,
  querystring: object({}),
  response: {
    200: {
      description: 'The JSON-LD context.',
      content: {
        'application/ld+json': { schema: JsonLdContext },
      },
    },
    ...errorResponses({}),
  },
}

/** Serves a static file that never changes. It needs no GraphQL operation. */
export function contextRoute(app: FastifyInstance): void {
  const file = readFileSync(AGENT_CREDENTIALS_FILE)
  app.get(AGENT_CREDENTIALS_PATH, { schema: contextSchema }, async (_, reply) => {
    reply.type('application/ld+json').header('cache-control', 'public, max-age=31536000, immutable')
    return file
  })
}
