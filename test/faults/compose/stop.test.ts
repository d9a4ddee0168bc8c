import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { isAdvisoryLockWanted, tryAdvisoryLock } from '../../../src/db/advisory-lock.ts'
import { openSession } from '../../../src/db/session.ts'
import { createTestDatabase, urlOf } from '../../support/database.ts'
import { createGatewayProcess, type GatewayProcess } from '../../support/gateway-process.ts'
import { scaled } from '../../support/machine-speed.ts'

const PATIENT = { timeout: scaled(60_000), interval: 50 }
/** A start takes long on a busy machine. */
const TIMEOUT = { timeout: scaled(180_000) }

async function process(settings: Record<string, string>): Promise<GatewayProcess> {
  const gateway = await createGatewayProcess({ SEED_AGENTS: '0', ...settings })
  onTestFinished(() => gateway.remove())
  return gateway
}

test('SIGTERM ends a start that waits for the migrations of another process', TIMEOUT, async () => {
  const database = await createTestDatabase()
  const session = await openSession(database.orm)
  onTestFinished(async () => {
    await session.end()
    await database.drop()
  })
  expect(await tryAdvisoryLock(session, 'migrate')).toBe(true)
  const gateway = await process({ DATABASE_URL: urlOf(database) })
  const started = gateway.start().catch((error: unknown) => error)
  await expect.poll(() => isAdvisoryLockWanted(session, 'migrate'), PATIENT).toBe(true)
  expect(await gateway.stop()).toBe(0)
  expect(await started).toBeInstanceOf(Error)
})

async function halfSent(baseUrl: string): Promise<Socket> {
  const half = connect({ port: Number(new URL(baseUrl).port), host: '127.0.0.1', allowHalfOpen: true })
  half.on('error', () => undefined)
  half.write('POST /graphql HTTP/1.1\r\nHost: gateway\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n')
  // 100 Continue: the process has the request.
  await once(half, 'data')
  onTestFinished(() => void half.destroy())
  return half
}

test('SIGTERM ends a process with a request that never ends', TIMEOUT, async () => {
  const gateway = await process({})
  await halfSent((await gateway.start()).baseUrl)
  const begin = performance.now()
  expect(await gateway.stop()).toBe(0)
  expect(performance.now() - begin).toBeLessThan(30_000)
})

test('a second signal ends a process with such a request at once', TIMEOUT, async () => {
  const gateway = await process({})
  await halfSent((await gateway.start()).baseUrl)
  const signals = setInterval(() => gateway.signal('SIGTERM'), 400)
  const begin = performance.now()
  expect(await gateway.ended()).toBe(1)
  clearInterval(signals)
  expect(performance.now() - begin).toBeLessThan(10_000)
  expect(gateway.output()).toContain('stopped at once, because of a second signal')
})
