import { setTimeout as delay } from 'node:timers/promises'
import autocannon from 'autocannon'
import { startReadingGateway } from '../gateway.ts'
import { keptOptions, openBenchDatabase } from '../reads/database.ts'
import { fill } from '../scale/dataset.ts'
import { residentMib } from '../support/memory.ts'
import { type Figure, saveResult } from '../support/result.ts'
import { spread } from '../support/statistics.ts'

/**
 * How long a replica reads the registry into memory, its memory after that, and the delay of reads
 * at a fixed rate. With BENCH_KEEP_DIR it uses the database of `scale`.
 */
const AGENTS = Number(process.env.BENCH_AGENTS ?? 10_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 6)
/** Requests per second: half of the target for a million agents. */
const RATE = Number(process.env.BENCH_RATE ?? 750)
const REST_MS = 5_000
/** Enough to compile the code of a read. */
const WARM_UP_SECONDS = 3
const READS: Record<string, string> = {
  'four filters': '/agents?tier=premium&status=suspended&category=logistics&min_reputation=900',
  'reputation range': '/agents?min_reputation=400&max_reputation=600',
  'offset 5,000': '/agents?limit=50&offset=5000',
  'connection page': `/graphql?query=${encodeURIComponent('{ agents(first: 50) { nodes { pda name tier status reputationScore createdAt } pageInfo { endCursor } } }')}`,
}

const database = await openBenchDatabase(keptOptions(`scale-${AGENTS}`))
await fill(database.orm.em.getKysely(), AGENTS)
const loadSeconds: number[] = []
const memory: number[] = []
const delays = Object.keys(READS).map(() => [] as number[])
for (let round = 0; round < ROUNDS; round += 1) {
  const gateway = await startReadingGateway(database.url, { MAX_REQUESTS_IN_FLIGHT: '0' })
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${gateway.baseUrl}/metrics`)).text()
    return Number(new RegExp(`^gateway_registry_${name} (.*)$`, 'm').exec(text)?.[1])
  }
  while ((await metric('searches')) !== 1) await delay(100)
  await delay(REST_MS)
  loadSeconds.push(await metric('load_seconds'))
  memory.push(residentMib(gateway.pid, 'now') ?? NaN)
  for (const [i, path] of Object.values(READS).entries()) {
    const load = (duration: number, overallRate?: number) =>
      autocannon({ url: gateway.baseUrl + path, connections: 10, duration, overallRate })
    await load(WARM_UP_SECONDS)
    delays[i]!.push((await load(SECONDS, RATE)).latency.p99)
  }
  await gateway.stop()
}
await database.drop()
const figures: Figure[] = [
  { figure: 'time of reading the registry into memory', value: spread(loadSeconds), unit: 's' },
  { figure: 'memory after that', value: spread(memory), unit: 'MiB' },
  ...Object.keys(READS).map((name, i) => ({
    figure: `${name}: p99 at ${RATE}/s`,
    value: spread(delays[i]!),
    unit: 'ms',
  })),
]
saveResult(`load-${AGENTS}`, { figures }, { agents: AGENTS, rounds: ROUNDS, rate: RATE })
process.exit(0)
