import { pino } from 'pino'
import { expect, test } from 'vitest'
import { buildApp } from '../../../rest/app.ts'
import { createDatabaseProbe } from '../../../src/db/session.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { LIVE } from '../../support/app.ts'
import { serveApp } from '../../support/clients.ts'
import { perFile } from '../../support/lifetime.ts'

let checks = 0
const t = perFile(() =>
  serveApp({
    clock: { now: () => Date.now() },
    healthSharedMs: 1_000,
    rateLimits: { reads: 600 },
    overload: { inFlight: 1_000 },
    trustProxy: ['127.0.0.8/32'],
    indexer: async () => {
      checks += 1
      await t.kysely.selectFrom('indexer_state').select('id').execute()
      return LIVE
    },
  }),
)

// The second one is for people and alerts, so their limit of reads holds.
test.each([
  { path: '/ready', expected: [200] },
  { path: '/health/detailed', expected: [200, 429] },
])(
  '100 connections that read $path all the time cost one check a second, and reads of others succeed',
  async ({ path, expected }) => {
    const attackers = Array.from({ length: 100 }, () => t.client('127.0.0.2'))
    const polite = t.client('127.0.0.3')
    const answers = new Set<number>()
    const begin = performance.now()
    const before = checks
    const over = new AbortController()
    // At least ten each, so that together they pass the limit of 600 however soon the others are done.
    const attack = attackers.map(async (each) => {
      for (let sent = 0; sent < 10 || !over.signal.aborted; sent += 1)
        answers.add((await each.send(path)).status)
    })
    const statuses: number[] = []
    for (let i = 0; i < 10; i += 1) statuses.push((await polite.send(`/agents?limit=${i + 1}`)).status)
    over.abort()
    await Promise.all(attack)
    const seconds = (performance.now() - begin) / 1_000
    expect(statuses).toEqual(Array(10).fill(200))
    expect(answers).toEqual(new Set(expected))
    // A read also asks for the age of the tables, once a second.
    expect(checks - before).toBeLessThanOrEqual(2 * Math.ceil(seconds) + 2)
  },
)

test('the check of the database does not wait for the connections of the pool', async () => {
  const { promise: isChecked, resolve: release } = Promise.withResolvers<void>()
  const started = Array.from({ length: 10 }, () => Promise.withResolvers<void>())
  const holding = started.map(({ resolve }) =>
    t.kysely.connection().execute(() => {
      resolve()
      return isChecked
    }),
  )
  await Promise.all(started.map(({ promise }) => promise))
  expect(await createDatabaseProbe(t.database.orm.em)()).toBe(true)
  release()
  await Promise.all(holding)
})

test.each([
  ['another machine', { 'x-forwarded-for': '203.0.113.9' }, '127.0.0.8'],
  ['a proxy on this machine that is not trusted', { 'x-forwarded-for': '203.0.113.9' }, '127.0.0.1'],
  ['the same with the newer header', { forwarded: 'for=203.0.113.9' }, '127.0.0.1'],
  ['one that only says its name', { via: '1.1 proxy' }, '127.0.0.1'],
  ['one of nginx', { 'x-real-ip': '203.0.113.9' }, '127.0.0.1'],
])('/metrics is not for %s', async (_, headers, remoteAddress) => {
  const response = await t.app.inject({ url: '/metrics', headers, remoteAddress })
  expect([response.statusCode, response.json()]).toEqual([
    403,
    {
      error: 'Only the machine of the service, or a request with METRICS_TOKEN, can read the metrics',
      details: { code: 'METRICS_FORBIDDEN' },
    },
  ])
})

test('/metrics is for this machine, and for who has the token', async () => {
  const { config } = readConfig({ CONSOLE: 'false' })
  const context = { config, logger: pino({ level: 'silent' }), metrics: createMetrics() }
  const app = await buildApp(context, t.services, { metricsToken: 'a secret' })
  const statusOf = async (remoteAddress: string, authorization?: string) =>
    (
      await app.inject({
        url: '/metrics',
        remoteAddress,
        headers: { ...(authorization && { authorization }) },
      })
    ).statusCode
  expect([
    await statusOf('127.0.0.1'),
    await statusOf('203.0.113.9', 'Bearer a secret'),
    await statusOf('203.0.113.9', 'Bearer another'),
    await statusOf('203.0.113.9', 'a secret'),
    await statusOf('203.0.113.9'),
  ]).toEqual([200, 200, 403, 403, 403])
  await app.close()
})
