import { startBenchGateway } from '../gateway.ts'
import { type Figure, saveResult } from '../support/result.ts'
import { rounded, spread } from '../support/statistics.ts'
import { sendRequests } from './load.ts'
import { type MemoryUse, processorMs, readMemory } from './measure.ts'
import { createRequests } from './requests.ts'

const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 250_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const PARTS = 10
const SAMPLE_AGENTS = 24

interface Round {
  readonly agents: number
  readonly atStart: MemoryUse
  readonly parts: (MemoryUse & { cpuMicros: number | null })[]
}

const rounds: Round[] = []
for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure())

const of = (value: (round: Round) => number) => spread(rounds.map(value))
const last = ({ parts }: Round) => parts.at(-1)!
const peakMib = ({ parts }: Round) => Math.max(...parts.map(({ residentMib }) => residentMib ?? 0))
const figures: Figure[] = [
  {
    figure: 'resident memory after the start',
    value: of(({ atStart }) => atStart.residentMib ?? 0),
    unit: 'MiB',
  },
  { figure: 'highest resident memory under the load', value: of(peakMib), unit: 'MiB' },
  { figure: 'used heap at the end', value: of((round) => last(round).heapUsedMib), unit: 'MiB' },
  {
    figure: 'memory outside the heap at the end',
    value: of((round) => last(round).externalMib),
    unit: 'MiB',
  },
  {
    figure: 'processor time per request, last part',
    value: of((round) => last(round).cpuMicros ?? 0),
    unit: 'µs',
  },
]
saveResult('memory', { figures }, { requests: REQUESTS, rounds })
process.exit(0)

async function measure(): Promise<Round> {
  const gateway = await startBenchGateway({ SEED_AGENTS: String(SAMPLE_AGENTS), MAX_REQUESTS_IN_FLIGHT: '0' })
  const response = await fetch(`${gateway.baseUrl}/agents?limit=200&include_mismatched=true`)
  const { agents } = (await response.json()) as { agents: { pda: string; owner: string }[] }
  const next = createRequests(agents)
  const parts: Round['parts'] = []
  const atStart = await readMemory(gateway)
  for (let part = 0; part < PARTS; part += 1) {
    const before = processorMs(gateway.pid)
    await sendRequests(gateway.baseUrl, REQUESTS / PARTS, next)
    const spent = processorMs(gateway.pid)
    const cpuMicros =
      before === null || spent === null ? null : rounded(((spent - before) * 1_000 * PARTS) / REQUESTS, 0)
    parts.push({ ...(await readMemory(gateway)), cpuMicros })
  }
  await gateway.stop()
  return { agents: agents.length, atStart, parts }
}
