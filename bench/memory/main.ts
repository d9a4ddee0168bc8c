import { startBenchGateway } from '../gateway.ts'
import { type Figure, saveResult } from '../support/result.ts'
import { rounded } from '../support/statistics.ts'
import { sendRequests } from './load.ts'
import { type MemoryUse, processorMs, readMemory } from './measure.ts'
import { createRequests } from './requests.ts'

const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 250_000)
const PARTS = 10
const SAMPLE_AGENTS = 24

const gateway = await startBenchGateway({ SEED_AGENTS: String(SAMPLE_AGENTS), LOAD_SHEDDING: 'false' })
const response = await fetch(`${gateway.baseUrl}/agents?limit=200&include_mismatched=true`)
const { agents } = (await response.json()) as { agents: { pda: string; owner: string }[] }
const next = createRequests(agents)

const parts: (MemoryUse & { cpuMicros: number | null })[] = []
const atStart = await readMemory(gateway)
for (let part = 0; part < PARTS; part += 1) {
  const before = processorMs(gateway.pid)
  await sendRequests(gateway.baseUrl, REQUESTS / PARTS, next)
  const spent = processorMs(gateway.pid)
  const cpuMicros =
    before === null || spent === null ? null : rounded(((spent - before) * 1_000 * PARTS) / REQUESTS, 0)
  parts.push({ ...(await readMemory(gateway)), cpuMicros })
}
const peakMib = parts.reduce((peak, { residentMib }) => Math.max(peak, residentMib ?? 0), 0)
await gateway.stop()

const last = parts.at(-1)!
const figures: Figure[] = [
  { figure: 'resident memory after the start', value: atStart.residentMib ?? 0, unit: 'MiB' },
  { figure: 'highest resident memory under the load', value: peakMib, unit: 'MiB' },
  { figure: 'used heap at the end', value: last.heapUsedMib, unit: 'MiB' },
  { figure: 'memory outside the heap at the end', value: last.externalMib, unit: 'MiB' },
  { figure: 'processor time per request, last part', value: last.cpuMicros ?? 0, unit: 'µs' },
]
saveResult('memory', { figures }, { requests: REQUESTS, agents: agents.length, atStart, parts })
process.exit(0)
