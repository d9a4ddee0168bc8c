import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { clientAt } from '../../support/clients.ts'
import { agentRow, insertAgents, insertStakes, stakeRow } from '../../support/factories.ts'
import { ATTACKS } from '../../support/graphql-attacks.ts'

const LIMITS = readConfig({}).config.rateLimits!
const READ = '/agents?limit=50'
const ATTACK_MS = 2_000
/** Requests that the hostile client sends at once. */
const AT_ONCE = 8
/** After a refusal. The client runs in the process of the service and must leave it time. */
const PAUSE_MS = 20

const repeat = (count: number, part: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ')
/** Valid operations that take tens of milliseconds each. */
const EXPENSIVE = [
  `{ agents(limit: 200) { agents { ${repeat(50, (i) => `s${i}: stake { pda }`)} } } }`,
  `{ agents(limit: 200) { agents { ${repeat(200, (i) => `s${i}: pda`)} } } }`,
].map((query) => JSON.stringify({ query }))
const REFUSED = ATTACKS.filter(({ status }) => status === 200).map(({ body }) => body)

let t: TestApp
let port: number
beforeAll(async () => {
  t = await createTestApp({
    ledger: { call: () => Promise.reject(new Error('not used')) },
    rateLimits: LIMITS,
    clock: systemClock,
  })
  const names = Array.from({ length: 200 }, (_, i) => `agent ${i}`)
  await insertAgents(
    t.kysely,
    names.map((name) => agentRow(name)),
  )
  await insertStakes(
    t.kysely,
    names.map((name) => stakeRow(name)),
  )
  await t.app.listen({ port: 0, host: '127.0.0.1' })
  port = (t.app.server.address() as AddressInfo).port
})
afterAll(() => t.close())

/** The median time of reads in ms, one after the other, until `isOver`. */
async function medianRead(address: string, isOver: (reads: number) => boolean): Promise<number> {
  const client = clientAt(address, port)
  const times: number[] = []
  while (!isOver(times.length)) {
    const begin = performance.now()
    const { status } = await client.send(READ)
    if (status !== 200) throw new Error(`the read was answered ${status}`)
    times.push(performance.now() - begin)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await client.close()
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN
}

test.each([
  { kind: 'expensive operations', bodies: EXPENSIVE, address: '127.0.0.2' },
  { kind: 'documents that are refused', bodies: REFUSED, address: '127.0.0.12' },
])(
  'other clients read at most ten times slower while one client spends its allowance on $kind',
  async ({ bodies, address }) => {
    await medianRead(`${address}3`, (reads) => reads === 50)
    const idle = await medianRead(`${address}4`, (reads) => reads === 100)

    const over = new AbortController()
    const statuses = new Map<number, number>()
    const attack = async (): Promise<void> => {
      const client = clientAt(address, port)
      for (let i = 0; !over.signal.aborted; i += 1) {
        const body = bodies[i % bodies.length]!
        // No document is sent twice, because documents are cached.
        const unique = body.replace('"query":"', `"query":"#${Math.random()}\\n`)
        const { status } = await client.send('/graphql', { method: 'POST', body: unique })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status === 429) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      }
      await client.close()
    }
    const attacks = Array.from({ length: AT_ONCE }, attack)
    // A slow machine needs longer than ATTACK_MS to spend the allowance.
    await expect.poll(() => statuses.get(429)).toBeGreaterThan(0)
    const end = performance.now() + ATTACK_MS
    const attacked = await medianRead(`${address}5`, () => performance.now() > end)
    over.abort()
    await Promise.all(attacks)

    expect(statuses.get(200)).toBeLessThan(LIMITS.reads)
    expect(attacked).toBeLessThan(10 * idle)
  },
)
