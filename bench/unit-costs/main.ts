import { readFileSync } from 'node:fs'
import { Connection, Keypair } from '@solana/web3.js'
import { Agent } from 'undici'
import { startBenchGateway } from '../gateway.ts'
import { areMet, saveResult } from '../support/result.ts'
import { spread } from '../support/statistics.ts'
import { type Known, type Measured, requests } from './requests.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
/** Of each request, in each round. */
const REPEATS = Number(process.env.BENCH_REPEATS ?? 40)
const WARM_UP = 30
/** Milliseconds of the main thread per unit. A unit is about one. */
const MAX_MS = 2
const UNITS = 600
const MANY = '1000000'

// The ledger is a process of its own, so that its simulations are not measured.
const ledger = await startBenchGateway({ SEED_AGENTS: '200' })
const feePayer = Keypair.generate()
const connection = new Connection(ledger.rpcUrl, 'confirmed')
await connection.confirmTransaction(await connection.requestAirdrop(feePayer.publicKey, 5e9))
const gateway = await startBenchGateway({
  FEE_PAYER_KEYPAIR: JSON.stringify([...feePayer.secretKey]),
  SOLANA_RPC_URL: ledger.rpcUrl,
  WEBHOOK_SECRETS_KEY: '07'.repeat(32),
  TRUST_PROXY: '127.0.0.1',
  RATE_LIMITS: `reads=${UNITS},prepare=${MANY},sponsoredPrepare=${MANY}`,
})
const agent = new Agent({ connections: 1 })
let sent = 0
/** Each is a client network of its own, by X-Forwarded-For. */
const nextClient = (): string => `10.${((sent += 1) >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`

async function send({ path, body, headers }: Measured, client = nextClient()) {
  const response = await agent.request({
    origin: gateway.baseUrl,
    path,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
      'x-forwarded-for': client,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body(sent)) }),
  })
  const text = await response.body.text()
  if (response.statusCode >= 400 && !text.includes('Cannot query field'))
    throw new Error(`${path} was answered ${response.statusCode} ${text.slice(0, 500)}`)
  return { remaining: Number(response.headers['ratelimit-remaining']), text }
}

/** The units that a request costs, as the next request of its client sees them. */
async function unitsOf(request: Measured): Promise<number> {
  const client = nextClient()
  await send(request, client)
  return UNITS - 1 - (await send({ name: '', path: '/info' }, client)).remaining
}

/** Milliseconds that the main thread of the gateway has worked. */
function workedMs(): number {
  const file = readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/schedstat`, 'utf8')
  return Number(file.split(' ')[0]) / 1_000_000
}

/** Waits until the indexer has read all agents. */
async function known(): Promise<Known> {
  const read = async (query: string): Promise<{ total: number; agents: { pda: string; owner: string }[] }> =>
    JSON.parse((await send({ name: '', path: `/agents?${query}` })).text)
  const isReady = async (): Promise<boolean> => (await fetch(`${gateway.baseUrl}/ready`)).status === 200
  while (!(await isReady()) || (await read('limit=1')).total < 200)
    await new Promise((resolve) => setTimeout(resolve, 500))
  const [one] = (await read('limit=1&status=active')).agents
  const [basic] = (await read('limit=1&tier=basic&status=active')).agents
  return { pda: one!.pda, owner: one!.owner, sponsored: basic!.owner }
}

const cases = requests(await known()).map((request) => ({ request, units: 0, perUnit: [] as number[] }))
for (let round = 0; round <= ROUNDS; round += 1) {
  // In another order, so that the garbage collector does not work for the same requests each time.
  for (const each of cases.toSorted(() => Math.random() - 0.5)) {
    const begin = workedMs()
    const count = round === 0 ? WARM_UP : REPEATS
    for (let i = 0; i < count; i += 1) await send(each.request)
    if (round === 0) each.units = await unitsOf(each.request)
    else each.perUnit.push((workedMs() - begin) / count / each.units)
  }
}
await gateway.stop()
await ledger.stop()

const figures = cases.map(({ request: { name }, units, perUnit }) => ({
  figure: `${name}, ${units} ${units === 1 ? 'unit' : 'units'}`,
  value: spread(perUnit),
  unit: 'ms per unit',
  atMost: MAX_MS,
}))
saveResult('unit-costs', { figures }, { rounds: ROUNDS, repeats: REPEATS })
process.exit(areMet(figures) ? 0 : 1)
