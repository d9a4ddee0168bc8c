import {
  CreateSessionDocument,
  CreateSignInChallengeDocument,
  EndSessionDocument,
  GetSessionDocument,
} from '../generated/graphql.ts'
import type { Operations } from '../operations.ts'
import type { RestApp } from '../rest-app.ts'
import * as schemas from './schemas.ts'

/** No cache may store a token (RFC 6750, section 5.3). */
const NO_STORE = { 'cache-control': 'no-store' }

export function authRoutes(app: RestApp, operations: Operations): void {
  const { walletAuth } = operations
  const challenge = operations.run(CreateSignInChallengeDocument)
  const create = operations.run(CreateSessionDocument)
  const get = operations.run(GetSessionDocument)
  const end = operations.run(EndSessionDocument)

  app.post('/auth/challenge', { schema: schemas.challengeSchema }, async (request, reply) => {
    const { createSignInChallenge } = await challenge(request, request.body)
    return reply.headers(NO_STORE).send(createSignInChallenge)
  })

  const createOptions = { config: { priority: 'high' as const }, schema: schemas.createSchema }
  app.post('/auth/session', createOptions, async (request, reply) => {
    const { createSession } = await create(request, request.body)
    return reply.code(201).headers(NO_STORE).send(createSession)
  })

  app.get('/auth/session', { ...walletAuth, schema: schemas.getSchema }, async (request, reply) => {
    const { session } = await get(request, {})
    return reply.headers(NO_STORE).send(session)
  })

  app.delete('/auth/session', { ...walletAuth, schema: schemas.endSchema }, async (request) => {
    const { endSession } = await end(request, request.query)
    return endSession
  })
}
