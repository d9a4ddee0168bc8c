import { DomainError } from '../../src/domain/errors.ts'
import type { Operations } from '../operations.ts'
import {
  GetDetailedHealthDocument,
  GetHealthDocument,
  GetInfoDocument,
  GetReadinessDocument,
} from '../generated/graphql.ts'
import { toDetailedHealth } from './map.ts'
import { detailedHealthSchema, healthSchema, infoSchema, readySchema } from './schemas.ts'
import type { RestApp } from '../rest-app.ts'

/** Health checks and monitoring must work under overload. */
const config = { priority: 'exempt' } as const

export function healthRoutes(app: RestApp, door: Operations): void {
  const getHealth = door.run(GetHealthDocument)
  const getDetailedHealth = door.run(GetDetailedHealthDocument)
  const getReadiness = door.run(GetReadinessDocument)
  const getInfo = door.run(GetInfoDocument)

  app.get('/health', { config, schema: healthSchema }, async (request) => {
    const { health } = await getHealth(request, {})
    return health
  })

  app.get('/health/detailed', { config, schema: detailedHealthSchema }, async (request) =>
    toDetailedHealth(await getDetailedHealth(request, {})),
  )

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
