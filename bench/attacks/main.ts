import { execFileSync, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { startBenchGateway } from '../gateway.ts'
import { residentMib } from '../support/memory.ts'
import { saveResult } from '../support/result.ts'
import { percentile, rounded } from '../support/statistics.ts'

/** Beside each attack, a client of another network sends this many reads, one each 120 ms. */
const READS = Number(process.env.BENCH_READS ?? 80)
const EVERY_MS = 120
/**
 * Before the attack, this many networks read, each 60 times: its memory is that of a service in
 * use.
 */
const USERS = 250
const USER_READS = 60
const ATTACKER = fileURLToPath(new URL('attacker.ts', import.meta.url))

const names = JSON.parse(execFileSync(process.execPath, [ATTACKER, '--names']).toString()) as string[]
const figures = []
for (const name of names) {
  const gateway = await startBenchGateway({ SEED_AGENTS: '24', RATE_LIMITS: 'true' })
  const dispatcher = new Agent({ localAddress: '127.0.0.99', connections: 1 })
  const read = async (path: string, body?: string) => {
    const headers = { 'content-type': 'application/json' }
    const method = body === undefined ? 'GET' : 'POST'
    const response = await request(gateway.baseUrl + path, { dispatcher, method, body, headers })
    return { status: response.statusCode, text: await response.body.text() }
  }
  const events = await read('/graphql', '{"query":"{ registryEvents(first: 200) { nodes { id } } }"}')
  const { data } = JSON.parse(events.text) as { data: { registryEvents: { nodes: { id: string }[] } } }
  const oldest = data.registryEvents.nodes.at(-1)?.id ?? ''
  await Promise.all(Array.from({ length: USERS }, (_, i) => useService(gateway.baseUrl, `127.0.1.${i + 1}`)))
  const memory = residentMib(gateway.pid, 'peak') ?? 0
  const attacker = spawn(process.execPath, [ATTACKER, name, new URL(gateway.baseUrl).port], {
    env: { ...process.env, OLDEST_EVENT: oldest },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await delay(1_500)
  const taken: number[] = []
  let errors = 0
  for (let i = 0; i < READS; i += 1) {
    const begin = performance.now()
    const { status } = await read(`/agents?limit=${1 + (i % 50)}`)
    taken.push(performance.now() - begin)
    if (status >= 500) errors += 1
    await delay(Math.max(0, EVERY_MS - (performance.now() - begin)))
  }
  attacker.kill('SIGKILL')
  const growth = (residentMib(gateway.pid, 'peak') ?? 0) - memory
  figures.push(
    { figure: `${name}: reads of another network`, value: rounded(percentile(taken, 95)), unit: 'ms p95' },
    { figure: `${name}: 5xx responses of ${READS} reads`, value: errors, unit: 'responses' },
    { figure: `${name}: growth of the memory`, value: growth, unit: 'MiB' },
  )
  process.stderr.write(`${name}: p95 ${percentile(taken, 95).toFixed(1)} ms, ${errors} 5xx, +${growth} MiB\n`)
  await dispatcher.destroy()
  await gateway.stop()
}
async function useService(baseUrl: string, localAddress: string): Promise<void> {
  const dispatcher = new Agent({ localAddress, connections: 1 })
  for (let i = 0; i < USER_READS; i += 1) {
    const { body } = await request(`${baseUrl}/agents?limit=${1 + (i % 50)}`, { dispatcher })
    await body.dump()
  }
  await dispatcher.destroy()
}

saveResult('attacks', { figures }, { reads: READS })
process.exit(0)
