import { pino } from 'pino'
import { buildApp } from '../../rest/app.ts'
import type { RestApp } from '../../rest/rest-app.ts'
import type { Services } from '../../src/compose/services.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'

/** An app whose routes are registered, but never called, so its services can be empty. */
export function documentedApp(): Promise<RestApp> {
  return buildApp({
    services: { admission: {}, walletAuth: {} } as unknown as Services,
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(),
    version: '0.0.0',
    baseUrl: null,
  })
}

export async function openApiDocument(): Promise<unknown> {
  const app = await documentedApp()
  const document: unknown = app.swagger()
  await app.close()
  return document
}
