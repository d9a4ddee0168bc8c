import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { registryIdl } from '@agent-registry/program'
import { eventually } from '../support/eventually.ts'
import { agentRow, insertAgents, insertStakes, stakeRow } from '../support/factories.ts'
import { createGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'
import { perFile } from '../support/lifetime.ts'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { scaled } from '../support/machine-speed.ts'
import { seedOf } from '../support/property.ts'
import { randomOf } from './support/random.ts'

/** A million takes ten minutes. */
const CHECKS = Number(process.env.REGISTRY_CHECKS ?? 50_000)
/** On average. */
const CHECKS_BETWEEN_KILLS = 3_000
const COUNTERS = 16
/** So that loading takes a while. */
const OTHERS = 5_000
const SCORES = 1_001

interface Counter {
  readonly pda: string
  readonly owner: string
  count: number
}

interface Api {
  readonly gateway: GatewayProcess
  readonly agent: Agent
  url: string
  checks: number
}

const settings = ['fsync=off', 'max_connections=100']
const postgres = perFile(() => startOwnPostgres({ settings, inMemory: true }))
let pool: Pool
const apis: Api[] = []
const counters: Counter[] = []
const tally = { checks: 0, failed: 0, memory: 0, database: 0 }
const stale: string[] = []

beforeAll(async () => {
  const kysely = postgres.orm.em.getKysely()
  const rows = Array.from({ length: COUNTERS }, (_, i) => agentRow(`counter ${i}`, { tier: 'premium' }))
  for (const { pda, owner } of rows) counters.push({ pda, owner, count: 0 })
  const others = Array.from({ length: OTHERS }, (_, i) => agentRow(`other ${i}`))
  await insertAgents(kysely, [...rows, ...others])
  await insertStakes(
    kysely,
    counters.map((_, i) => stakeRow(`counter ${i}`)),
  )
  const filled = {
    program_id: registryIdl.address,
    genesis_hash: 'none',
    filled_at: '2026-11-20T00:00:00.000Z',
  }
  await kysely.insertInto('indexer_state').values(filled).execute()
  pool = new Pool({ ...postgres.connection, max: COUNTERS })
  // Without a listener, a killed session ends the process.
  pool.on('error', () => undefined)
  for (let i = 0; i < 2; i += 1) {
    const gateway = await createGatewayProcess({
      DATABASE_URL: postgres.url,
      ROLES: 'api',
      // Reads need no ledger.
      SOLANA_RPC_URL: 'http://127.0.0.1:9',
      WEBHOOK_SECRETS_KEY: '05'.repeat(32),
      RATE_LIMITS: 'false',
      MAX_REQUESTS_IN_FLIGHT: '0',
    })
    apis.push({
      gateway,
      agent: new Agent({ keepAlive: true }),
      url: (await gateway.start()).baseUrl,
      checks: 0,
    })
  }
})
afterAll(async () => {
  for (const { gateway } of apis) await gateway.remove()
  await pool.end()
})

/** Commits the next number as the agent's version, its score and its stake. */
async function increment(counter: Counter): Promise<void> {
  counter.count += 1
  const text = `with agent as (update agents set version = $2, reputation_score = $3 where pda = $1)
    update stakes set deposited_amount = $4 where agent_pda = $1`
  const { pda, count } = counter
  // A commit whose session was killed may have worked, so it writes the same again.
  await eventually(() => pool.query(text, [pda, String(count), count % SCORES, count]))
}

type Found = { pda?: string; version: string; stake?: { depositedAmount: string } }
interface Read {
  readonly path: (counter: Counter) => string
  readonly query?: string
  readonly found: (body: never, pda: string) => Found | undefined
}

const inList = ({ agents }: { agents: Found[] }, pda: string) => agents.find((each) => each.pda === pda)
const READS: Record<string, Read> = {
  one: { path: ({ pda }) => `/agents/${pda}`, found: (body: Found) => body },
  owner: { path: ({ owner }) => `/agents?owner=${owner}`, found: inList },
  score: {
    path: ({ count }) => {
      const score = count % SCORES
      return `/agents?tier=premium&min_reputation=${score}&max_reputation=${score}&sort=reputation`
    },
    found: inList,
  },
  graphql: {
    path: () => '/graphql',
    query: 'query ($pda: Pubkey!) { agent(pda: $pda) { version stake { depositedAmount } } }',
    found: ({ data }: { data: { agent: Found } }) => data.agent,
  },
}

/** Reads a counter after its commit. A request may fail, but not show an earlier number. */
async function check(api: Api, name: string, { path, query, found }: Read, counter: Counter): Promise<void> {
  const { pda, count } = counter
  const body = query === undefined ? undefined : JSON.stringify({ query, variables: { pda } })
  const response = await exchange(api, path(counter), body).catch(() => null)
  // /graphql reports a failure with the status 200.
  if (response === null || response.status >= 500 || response.text.includes('DATABASE_UNAVAILABLE')) {
    tally.failed += 1
    return
  }
  tally.checks += 1
  api.checks += 1
  const answer = found(JSON.parse(response.text) as never, pda)
  if (answer?.version === String(count) && (answer.stake?.depositedAmount ?? String(count)) === String(count))
    return
  stale.push(`${name} of ${count}: ${response.text.slice(0, 300)}`)
}

function exchange({ agent, url }: Api, path: string, body?: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const sent = request(url + path, { agent, headers, method: body === undefined ? 'GET' : 'POST' })
  sent.on('error', reject).on('response', (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    response.on('error', reject).on('end', () => resolve({ status: response.statusCode ?? 0, text }))
  })
  sent.end(body)
  return promise
}

async function metricOf(api: Api, name: string): Promise<number> {
  const { text } = await exchange(api, '/metrics')
  return Number(new RegExp(`^gateway_registry_${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

const untilReady = (api: Api): Promise<void> =>
  eventually(async () => {
    if ((await metricOf(api, 'ready')) !== 1) throw new Error('the copy is not loaded')
  })

/** Before the process ends, which loses its metrics. */
async function countSources(api: Api): Promise<void> {
  for (const source of ['memory', 'database'] as const)
    tally[source] += await metricOf(api, `reads_total{source="${source}"}`)
}

const serverPid = (): number =>
  Number.parseInt(readFileSync(join(postgres.dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8'), 10)

const KILLS: Record<string, (pick: <T>(items: readonly T[]) => T) => Promise<void>> = {
  api: async (pick) => {
    const api = pick(apis)
    await countSources(api)
    await api.gateway.kill()
    api.url = (await eventually(() => api.gateway.start())).baseUrl
  },
  session: async (pick) => {
    const text = `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`
    const { rows } = await eventually(() => pool.query<{ pid: number }>(text))
    process.kill(pick(rows).pid, 'SIGKILL')
  },
  server: async () => {
    process.kill(serverPid(), 'SIGKILL')
    await postgres.restart()
  },
}

test(
  'after kill -9 of the service and of PostgreSQL, two processes never answer with less than was committed',
  async () => {
    const seed = seedOf()
    const random = randomOf(seed)
    const isDone = (): boolean => tally.checks >= CHECKS || stale.length > 0
    const work = async (counter: Counter): Promise<void> => {
      while (!isDone()) {
        await increment(counter)
        const reads = Object.entries(READS)
        await Promise.all(apis.flatMap((api) => reads.map(([name, read]) => check(api, name, read, counter))))
      }
    }
    const load = Promise.all(counters.map(work))
    load.catch(() => undefined)
    const kills: string[] = []
    const until = (done: () => boolean) =>
      Promise.race([
        load,
        vi.waitFor(() => expect(done()).toBe(true), { timeout: scaled(60_000), interval: 1 }),
      ])
    while (!isDone()) {
      // Otherwise something is killed while a process starts or loads.
      if (random.chance(0.8)) await Promise.all(apis.map(untilReady))
      const next = tally.checks + random.integer(1, 2 * CHECKS_BETWEEN_KILLS)
      await until(() => tally.checks >= next || isDone())
      if (isDone()) break
      const name = Object.keys(KILLS)[kills.length % 3] ?? ''
      await KILLS[name]?.((items) => random.pick(items))
      kills.push(name)
    }
    await load
    await Promise.all(apis.map(countSources))
    expect(stale, `PROPERTY_SEED=${seed}, after ${kills.join(' ')}`).toEqual([])
    process.stdout.write(`${JSON.stringify({ ...tally, kills: kills.length, seed })}\n`)
    expect(new Set(kills).size).toBe(Object.keys(KILLS).length)
    // Both have answered, and from memory, or the test would not show what it says.
    for (const api of apis) expect(api.checks).toBeGreaterThan(CHECKS / 4)
    expect(tally.memory / (tally.memory + tally.database)).toBeGreaterThan(1 / 3)
  },
  scaled(900_000) * Math.max(1, CHECKS / 100_000),
)
