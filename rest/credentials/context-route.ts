import type { FastifyInstance } from 'fastify'
import { readFileSync } from 'node:fs'
import {
  AGENT_CREDENTIALS_FILE,
  AGENT_CREDENTIALS_PATH,
  AGENT_CREDENTIALS_V1,
} from '../../src/identity/credentials/contexts/pinned.ts'
import { errorResponses } from '../contract/error-responses.ts'
import { named, object } from '../contract/shapes.ts'

const Document = named(
  'JsonLdContext',
  object({
    '@context': {
      type: 'object',
      description: 'The terms of the credential types.',
      examples: [{ '@version': 1.1, '@protected': true }],
    },
  }),
)

const schema = {
  operationId: 'getAgentCredentialsContext',
  tags: ['Credentials'],
  summary: 'Read the JSON-LD context of the four credential kinds',
  description: `Credentials reference it as \`${AGENT_CREDENTIALS_V1}\`, independent of the address of this service. The document never changes, so verifiers can pin its SHA-256.`,
  querystring: object({}),
  response: {
    200: {
      description: 'The JSON-LD context.',
      content: {
        'application/ld+json': { schema: Document },
      },
    },
    ...errorResponses({}),
  },
}

/** Serves a static file that never changes. It needs no GraphQL operation. */
export function contextRoute(app: FastifyInstance): void {
  const file = readFileSync(AGENT_CREDENTIALS_FILE)
  app.get(AGENT_CREDENTIALS_PATH, { schema }, async (_, reply) => {
    reply.type('application/ld+json').header('cache-control', 'public, max-age=31536000, immutable')
    return file
  })
}
