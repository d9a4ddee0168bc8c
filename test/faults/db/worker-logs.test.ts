import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openOrm } from '../../../src/db/orm.ts'
import { createIdentity } from '../../../src/identity/identity.ts'
import { Feed } from '../../../src/webhooks/live/feed.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { createGuardedHttp } from '../../../src/platform/net/guarded-http.ts'
import { eventually } from '../../support/eventually.ts'
import { slowNetwork } from '../../support/slow-network.ts'
import { createWorkerWorld } from '../../support/webhooks/worker-world.ts'
import { perFile } from '../../support/lifetime.ts'

const world = perFile(() => createWorkerWorld())
const network = perFile(() => slowNetwork(world.database.connection))
const orm = perFile(() => openOrm({ url: network.url }))

test('workers report an outage of the database once each, without stack traces', async () => {
  const warnings: { message: string; details: object }[] = []
  const warn = (details: object, message: string): void => void warnings.push({ message, details })
  const logger = { warn, error: warn } as never
  const kysely = orm.em.fork().getKysely()
  const http = createGuardedHttp({ devMode: false, allowedPorts: [443] })
  const identity = createIdentity({
    em: orm.em,
    clock: systemClock,
    http,
    gateways: { ipfs: null, arweave: null },
    contextsDir: null,
    logger,
    metrics: createMetrics(),
  })
  const cards = identity.cardWorker(createMetrics())
  const feed = new Feed({ orm, kysely, logger })
  const id = await world.subscribe('/slow')
  const response = Promise.withResolvers<void>()
  world.farm.respond('/slow', (_, reply) => void response.promise.then(() => reply.end()))
  const webhooks = world.worker({ orm, logger, limits: { deadlineMs: 3_000, leaseMs: 6_000, pollMs: 20 } })
  cards.start()
  await feed.subscribe()
  await world.emit({})
  await eventually(() => expect(world.farm.receivedAt('/slow')).toHaveLength(1))
  expect((await world.deliveries(id))[0]?.status).toBe('in_flight')

  await network.close()
  response.resolve()
  await delay(1_500)
  await Promise.all([webhooks.stop(), cards.stop(), feed.close()])
  await identity.close()
  await http.close()

  const messages = warnings.map(({ message }) => message)
  expect(messages).toEqual(
    expect.arrayContaining([
      'polling for due deliveries failed, retrying',
      'writing delivery outcomes failed, retrying',
      'reading events for live streams failed, retrying',
      'polling for due first checks of agent cards failed, will retry',
    ]),
  )
  // A connection that ends and one that is refused are two reasons.
  for (const message of new Set(messages))
    expect(messages.filter((each) => each === message).length).toBeLessThanOrEqual(3)
  for (const { details } of warnings) expect(details).toEqual({ reason: expect.any(String) as string })
})
