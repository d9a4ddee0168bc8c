import PQueue from 'p-queue'
import { beforeAll, expect, test } from 'vitest'
import { createLocalnetRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { SUBMIT_FAULTS } from '../support/faulty-gateway.ts'
import { createGatewayProcess } from '../../support/gateway-process.ts'
import {
  isWrong,
  OPERATIONS,
  play,
  type Result,
  type Run,
  table,
  type World,
} from '../support/outcome-runs.ts'
import { perFile } from '../../support/lifetime.ts'

// OUTCOME_RUNS=100 OUTCOME_DELAY_MS=60000 npm run test:long -- test/long/client/outcomes.long.ts
const RUNS = Number(process.env.OUTCOME_RUNS ?? 4)
const MAX_DELAY_MS = Number(process.env.OUTCOME_DELAY_MS ?? 3_000)
const MAX_KILL_MS = 1_500
const SHORT = { timeoutMs: 1_000, confirmTimeoutMs: 4_000 }
const FAULTS = [...SUBMIT_FAULTS, 'killed'] as const

const gateway = perFile(() =>
  createGatewayProcess({
    SEED_AGENTS: '0',
    RATE_LIMITS: 'false',
    TRUST_PROXY: '127.0.0.1',
  }),
)
let world: World
let inviteCode: string
beforeAll(async () => {
  const { baseUrl, rpcUrl } = await gateway.start()
  const { stdout } = await gateway.cli('invite', 'create', '--uses', '1000', '--json')
  inviteCode = (JSON.parse(stdout) as { code: string }).code
  world = { url: baseUrl, rpc: createLocalnetRpc(rpcUrl) }
})

/** Each fault in turn, with one to three faulty submits, and now and then all of them. */
function runsOf(): Run[] {
  return OPERATIONS.flatMap((operation, o) =>
    Array.from({ length: RUNS }, (_, i) => ({
      operation,
      fault: FAULTS[(i + 3 * o) % FAULTS.length]!,
      times: i % 10 === 9 ? Infinity : 1 + (i % 3),
      delayMs: Math.random() * MAX_DELAY_MS,
      killMs: Math.random() * MAX_KILL_MS,
      client: `203.0.${o}.${i % 256}`,
      timeouts: i % 2 === 0 ? SHORT : {},
      ...(operation === 'register' && i % 4 < 2 && { inviteCode }),
    })),
  )
}

const failures = (results: readonly Result[]): Result[] =>
  results.filter((each) => isWrong(each) || each.executions > 1)

test('the client says nothing wrong, and nothing is executed twice', async () => {
  const queue = new PQueue({ concurrency: 24 })
  const results = await queue.addAll(runsOf().map((run) => () => play(world, run)))
  process.stdout.write(`${table(results)}\n`)
  const wrong = failures(results)
  expect(wrong, `wrong: ${JSON.stringify(wrong)}`).toEqual([])
})
