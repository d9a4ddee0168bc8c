import { DomainError } from '../../src/domain/errors.ts'
import {
  GetDetailedHealthDocument,
  GetHealthDocument,
  GetInfoDocument,
  GetReadinessDocument,
} from '../generated/graphql.ts'
import type { Operations } from '../operations.ts'
import type { RestApp } from '../rest-app.ts'
import { detailedHealthSchema, healthSchema, infoSchema, readySchema } from './schemas.ts'

/** Health checks and monitoring must work under overload. */
const config = { priority: 'exempt' } as const

export function healthRoutes(app: RestApp, operations: Operations): void {
  const getHealth = operations.run(GetHealthDocument)
  const getDetailedHealth = operations.run(GetDetailedHealthDocument)
  const getReadiness = operations.run(GetReadinessDocument)
  const getInfo = operations.run(GetInfoDocument)

  app.get('/health', { config, schema: healthSchema }, async (request) => {
    const { health } = await getHealth(request, {})
    return health
  })

  app.get('/health/detailed', { config, schema: detailedHealthSchema }, async (request) => {
    const { detailedHealth } = await getDetailedHealth(request, {})
    return detailedHealth
  })

  app.get('/ready', { config, schema: readySchema }, async (request) => {
    const { readiness } = await getReadiness(request, {})
    if (!readiness.ready) throw new DomainError('NOT_READY', { missing: readiness.missing.join('; ') })
    return { status: 'ready' }
  })

  app.get('/info', { schema: infoSchema }, async (request) => {
    const { info } = await getInfo(request, {})
    return info
  })
}
