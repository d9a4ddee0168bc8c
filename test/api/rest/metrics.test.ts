import { pino } from 'pino'
import { Counter } from 'prom-client'
import { expect, test } from 'vitest'
import { buildApp } from '../../../rest/app.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { useTestApp } from '../../support/app.ts'

const gateway = useTestApp()

test('GET /metrics returns the metrics of the process in the Prometheus format', async () => {
  const counter = new Counter({
    name: 'gateway_test_things_total',
    help: 'Things',
    registers: [gateway.metrics],
  })
  counter.inc(3)
  const response = await gateway.app.inject('/metrics')
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(response.body).toContain('gateway_test_things_total 3\n')
})

test('requests are counted by route and not by path', async () => {
  await gateway.app.inject('/agents/11111111111111111111111111111111')
  await gateway.app.inject('/nowhere/at/all')
  const { body } = await gateway.app.inject('/metrics')
  expect(body).toContain(
    'gateway_http_request_duration_seconds_count{method="GET",route="/agents/:pda",status="404"} 1\n',
  )
  expect(body).toContain(
    'gateway_http_request_duration_seconds_count{method="GET",route="unknown",status="404"} 1\n',
  )
})

test('a process without the role api serves only health, readiness, info and metrics', async () => {
  const { config } = readConfig({ ROLES: 'indexer' })
  const context = { config, logger: pino({ level: 'silent' }), metrics: createMetrics() }
  const app = await buildApp(context, gateway.services)
  const statuses = await Promise.all(
    ['/health', '/ready', '/metrics', '/info', '/agents', '/graphql', '/mcp', '/docs'].map(
      async (url) => (await app.inject(url)).statusCode,
    ),
  )
  await app.close()
  expect(statuses).toEqual([200, 200, 200, 200, 404, 404, 404, 404])
})
