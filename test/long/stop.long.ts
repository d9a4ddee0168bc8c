import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { createGatewayProcess } from '../support/gateway-process.ts'
import { openServerSockets } from './support/tcp-sockets.ts'
import { holdMany, type Ports } from './support/socket-load.ts'
import { scaled } from '../support/machine-speed.ts'
import { perTest } from '../support/lifetime.ts'

/** `STOP_ROUNDS=20 npm run test:long -- test/long/stop.long.ts` for the number of a release. */
const ROUNDS = Number(process.env.STOP_ROUNDS ?? 2)
const CONNECTIONS = 2_000
const STOP_MS = 30_000

const gateway = perTest(() => createGatewayProcess({ SEED_AGENTS: '3' }))
let ports: Ports
let held: Socket[] = []
async function start(): Promise<void> {
  const { baseUrl, rpcUrl, wsUrl } = await gateway.start()
  const [http = 0, rpc = 0, ws = 0] = [baseUrl, rpcUrl, wsUrl].map((url) => Number(new URL(url).port))
  ports = { http, rpc, ws }
}
const letGo = (): void => held.splice(0).forEach((socket) => socket.destroy())
const openSockets = (): number => openServerSockets(Object.values(ports))

afterEach(async () => {
  letGo()
})

/** The log of the embedded PostgreSQL since the last call. */
let readSoFar = 0
function databaseLog(): string {
  const [, clusterDir] = /"clusterDir":"([^"]+)"/.exec(gateway.output()) ?? []
  const text = readFileSync(`${clusterDir}.log`, 'utf8')
  const fresh = text.slice(readSoFar)
  readSoFar = text.length
  return fresh
}
/** Sends a signal, and returns how the process ended and after how long. */
async function stopBy(signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }> {
  const begin = performance.now()
  gateway.signal(signal)
  const code = await gateway.ended()
  return { code, ms: performance.now() - begin }
}

test('a minute after 2,000 clients went away, the process has none of their sockets', async () => {
  await start()
  const before = openSockets()
  held = await holdMany(ports, CONNECTIONS)
  letGo()
  await expect.poll(openSockets, { timeout: scaled(60_000), interval: 500 }).toBeLessThanOrEqual(before)
})

describe.skipIf('DATABASE_URL' in process.env)('the embedded PostgreSQL is stopped cleanly', () => {
  const isClean = (log: string): void => {
    expect(log).toContain('database system is shut down')
    expect(log).not.toMatch(/not properly shut down|was interrupted|redo starts/)
  }
  beforeEach(() => {
    readSoFar = 0
  })

  const limits = { timeout: ROUNDS * 90_000 }
  test(`${ROUNDS} times SIGTERM with ${CONNECTIONS} connections that never end`, limits, async () => {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      await start()
      held = await holdMany(ports, CONNECTIONS)
      const { code, ms } = await stopBy('SIGTERM')
      times.push(Math.round(ms))
      expect([round, code, ms < STOP_MS]).toEqual([round, 0, true])
      letGo()
      isClean(databaseLog())
    }
    process.stdout.write(`ms from SIGTERM to the end: ${times.join(', ')}\n`)
  })

  test.each<NodeJS.Signals[]>([
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGTERM'],
  ])('%s, and %s as the second signal, which ends the process at once', async (first, second) => {
    await start()
    held = await holdMany(ports, 200)
    gateway.signal(first)
    // A busy process can read the first signal so late that the second counts as its repetition.
    await eventually(() => expect(gateway.output()).toContain('"stopping"'))
    await wait(1_000)
    const { code, ms } = await stopBy(second)
    expect(code).toBe(1)
    expect(ms).toBeLessThan(10_000)
    letGo()
    await start()
    await gateway.stop()
    isClean(databaseLog())
  })

  test('SIGTERM at any time of the first and the second start', async () => {
    for (let i = 0; i < 12; i += 1) {
      const delayMs = 500 * (i + 1)
      const started = gateway.start().catch(() => undefined)
      await wait(delayMs)
      const { ms } = await stopBy('SIGTERM')
      await started
      expect([delayMs, ms < STOP_MS]).toEqual([delayMs, true])
    }
    await start()
    onTestFinished(() => gateway.kill())
    expect((await stopBy('SIGINT')).code).toBe(0)
    isClean(databaseLog())
  })
})
