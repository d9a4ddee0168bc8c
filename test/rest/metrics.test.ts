import { Counter } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../support/app.ts'

let gateway: TestApp

beforeAll(async () => {
  gateway = await createTestApp()
})

afterAll(() => gateway.close())

test('GET /metrics answers what the process counted, in the Prometheus format', async () => {
  const counter = new Counter({
    name: 'gateway_test_things_total',
    help: 'Things',
    registers: [gateway.metrics],
  })
  counter.inc(3)
  const answer = await gateway.app.inject('/metrics')
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(answer.body).toContain('gateway_test_things_total 3\n')
})
