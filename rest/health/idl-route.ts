import type { FastifyInstance } from 'fastify'
import { hash } from 'node:crypto'
import type { Services } from '../../src/compose/services.ts'
import { errorResponses } from '../contract/error-responses.ts'
import { named, object, Pubkey } from '../contract/shapes.ts'
import {
  conditionalRequest,
  JSON_TYPE,
  notModified,
  sendTagged,
  TAG_HEADER,
} from '../plugins/read-headers.ts'

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

const schema = {
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
  app.get('/idl.json', { schema }, async (request, reply) => {
    document ??= tagged(JSON.stringify(services.idl))
    reply.header('cache-control', 'public, max-age=300')
    return sendTagged(request, reply, { type: JSON_TYPE, ...document })
  })
}

const tagged = (body: string) => ({ body: () => body, etag: `"${hash('sha256', body, 'base64url')}"` })
