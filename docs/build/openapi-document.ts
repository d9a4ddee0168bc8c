import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { buildApp } from '../../rest/app.ts'
import type { Services } from '../../src/compose/services.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'

/** An app whose routes are registered, but never called, so its services can be empty. */
export function documentedApp(): Promise<FastifyInstance> {
  const { config } = readConfig({ PORT: '0' })
  const context = { config, logger: pino({ level: 'silent' }), metrics: createMetrics() }
  const services = { admission: {}, walletAuth: {} } as unknown as Services
  return buildApp(context, services, { console: false })
}

export async function openApiDocument(): Promise<unknown> {
  const app = await documentedApp()
  const document: unknown = app.swagger()
  await app.close()
  return document
}
