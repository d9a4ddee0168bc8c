import { beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { serveApp } from '../../support/clients.ts'
import { agentRows, insertStakes, stakeRow } from '../../support/factories.ts'
import { ATTACKS } from '../../support/graphql-attacks.ts'
import { perFile } from '../../support/lifetime.ts'

const LIMITS = readConfig({}).config.rateLimits!
const READ = '/agents?limit=50'
/** About 1 is usual. The clock of the CPU is not exact. */
const MAX_RATIO = 4

const repeat = (count: number, part: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ')
const EXPENSIVE = [
  `{ agents(first: 200) { nodes { ${repeat(50, (i) => `s${i}: stake { pda }`)} } } }`,
  `{ agents(first: 200) { nodes { ${repeat(200, (i) => `s${i}: pda`)} } } }`,
].map((query) => JSON.stringify({ query }))
const REFUSED = ATTACKS.filter(({ status }) => status === 200).map(({ body }) => body)

const AGENTS = agentRows(200)
const t = perFile(() => serveApp({ rateLimits: LIMITS, clock: systemClock, agents: AGENTS }))
beforeAll(() =>
  insertStakes(
    t.kysely,
    AGENTS.map(({ name }) => stakeRow(name)),
  ),
)

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

// Compares CPU time, client included, because other work of the machine makes any request slow.
test.each([
  { kind: 'expensive operations', bodies: EXPENSIVE, address: '127.0.0.2' },
  { kind: 'documents that are refused', bodies: REFUSED, address: '127.0.0.12' },
])(
  'the allowance of a client buys with $kind hardly more CPU time than with reads, and refusals cost no more',
  async ({ bodies, address }) => {
    const [reader, attacker] = [t.client(`${address}3`), t.client(address)]
    const read = async (): Promise<void> => expect((await reader.send(READ)).status).toBe(200)
    let sent = 0
    const attack = async (): Promise<number> => {
      const body = bodies[(sent += 1) % bodies.length]!
      // No document is sent twice, because documents are cached.
      const unique = body.replace('"query":"', `"query":"#${Math.random()}\\n`)
      return (await attacker.send('/graphql', { method: 'POST', body: unique })).status
    }
    const average = async (count: number, run: () => Promise<unknown>): Promise<number> => {
      const start = cpuMs()
      for (let i = 0; i < count; i += 1) await run()
      return (cpuMs() - start) / count
    }
    await average(50, read)
    const perRead = await average(200, read)

    const start = cpuMs()
    while ((await attack()) !== 429);
    const allowance = cpuMs() - start
    const perRefusal = await average(200, attack)

    expect(allowance).toBeLessThan(MAX_RATIO * LIMITS.reads * perRead)
    // Some of them are allowed, as the allowance grows again.
    expect(perRefusal).toBeLessThan(MAX_RATIO * perRead)
    await read()
  },
)

test('each type that an operation introspects costs a unit', async () => {
  const client = t.client('127.0.0.14')
  const query = `{ ${repeat(10, (i) => `t${i}: __type(name: "Query") { fields { name } }`)} }`
  const { headers } = await client.send('/graphql', { method: 'POST', body: JSON.stringify({ query }) })
  expect(LIMITS.reads - Number(headers['ratelimit-remaining'])).toBeGreaterThanOrEqual(10)
})
