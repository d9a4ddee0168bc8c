import { pino } from 'pino'
import { buildApp } from '../../rest/app.ts'
import type { Services } from '../../src/services.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'

/** The OpenAPI document. Routes are registered, but never called, so the services can be empty. */
export async function openApiDocument(): Promise<unknown> {
  const app = await buildApp({
    services: { admission: {}, walletAuth: {} } as unknown as Services,
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(),
    version: '0.0.0',
    baseUrl: null,
  })
  await app.ready()
  const document: unknown = app.swagger()
  await app.close()
  return document
}
