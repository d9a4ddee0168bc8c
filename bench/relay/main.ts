import {
  Connection,
  Keypair,
  sendAndConfirmTransaction,
  SystemProgram,
  Transaction,
  VersionedTransaction,
} from '@solana/web3.js'
import { Agent } from 'undici'
import { createLocalnetRpc } from '../../src/ledger/rpc/ledger-rpc.ts'
import { startBenchGateway } from '../gateway.ts'
import { type Comparison, saveResult, compareTimes } from '../support/result.ts'
import { percentile } from '../support/statistics.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
/** In each round. */
const PREPARES = Number(process.env.BENCH_PREPARES ?? 200)
/** Response time of a remote node in milliseconds. */
const NODE_DELAY = Number(process.env.BENCH_NODE_DELAY ?? 20)
const SUBMITS = Number(process.env.BENCH_SUBMITS ?? 20)

interface Prepared {
  id: string
  serializedTx: string
}

const gateway = await startBenchGateway()
const connection = new Connection(gateway.rpcUrl, 'confirmed')
const rpc = createLocalnetRpc(gateway.rpcUrl)
const wallet = Keypair.generate()
await connection.confirmTransaction(await connection.requestAirdrop(wallet.publicKey, 1e9))

let lamports = 0
const transfer = () =>
  SystemProgram.transfer({
    fromPubkey: wallet.publicKey,
    toPubkey: wallet.publicKey,
    lamports: (lamports += 1),
  })

// Both sides are called through the same HTTP client.
const agent = new Agent()
async function post<Body>(path: string, body: object): Promise<Body> {
  const response = await agent.request({
    origin: gateway.baseUrl,
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.statusCode !== 200)
    throw new Error(`${path} answered ${response.statusCode}: ${await response.body.text()}`)
  return (await response.body.json()) as Body
}
const prepare = (): Promise<Prepared> => {
  const { programId, keys, data } = transfer()
  const instruction = { programId, keys, data: data.toString('base64') }
  return post('/relay/prepare', { instructions: [instruction], signerPubkeys: [wallet.publicKey] })
}
const simulate = (transaction: string): Promise<unknown> =>
  rpc.call('simulateTransaction', [
    transaction,
    { encoding: 'base64', sigVerify: false, commitment: 'confirmed' },
  ])

/** Milliseconds. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
type Times = { ours: number[]; bare: number[] }
const summary = (work: string, against: string, rounds: Times[]): Comparison[] =>
  [50, 99].map((percent) =>
    compareTimes(
      { work, against, unit: `ms p${percent}` },
      rounds.map(({ ours }) => percentile(ours, percent)),
      rounds.map(({ bare }) => percentile(bare, percent)),
    ),
  )

/** Prepares and simulates the same transactions in turns. */
async function comparePrepares(count = PREPARES): Promise<Times> {
  const times: Times = { ours: [], bare: [] }
  for (let i = 0; i < count; i += 1) {
    let serializedTx = ''
    times.ours.push(await timed(async () => ({ serializedTx } = await prepare())))
    times.bare.push(await timed(() => simulate(serializedTx)))
  }
  return times
}

async function compareSubmits(): Promise<Times> {
  const times: Times = { ours: [], bare: [] }
  for (let i = 0; i < SUBMITS; i += 1) {
    const { id, serializedTx } = await prepare()
    const transaction = VersionedTransaction.deserialize(Buffer.from(serializedTx, 'base64'))
    transaction.sign([wallet])
    const signedTx = Buffer.from(transaction.serialize()).toString('base64')
    times.ours.push(
      await timed(async () => {
        const { status } = await post<{ status: string }>('/relay/submit', { id, signedTx })
        if (status !== 'confirmed') throw new Error(`the status is ${status}`)
      }),
    )
    const bare = new Transaction().add(transfer())
    times.bare.push(await timed(() => sendAndConfirmTransaction(connection, bare, [wallet])))
  }
  return times
}

const methods = ['simulateTransaction', 'getLatestBlockhash', 'getRecentPrioritizationFees']
const near: Times[] = []
const far: Times[] = []
const submits: Times[] = []
await comparePrepares(50)
for (let round = 0; round < ROUNDS; round += 1) {
  near.push(await comparePrepares())
  await rpc.call('localnet_fault', [{ kind: 'http', methods, delayMs: NODE_DELAY }])
  far.push(await comparePrepares())
  await rpc.call('localnet_fault', [{ kind: 'clear' }])
  submits.push(await compareSubmits())
}
await gateway.stop()

const comparisons = [
  ...summary('prepare', 'simulateTransaction', near),
  ...summary(`prepare, node ${NODE_DELAY} ms away`, 'simulateTransaction', far),
  ...summary('submit', 'sendAndConfirmTransaction', submits),
]
saveResult('relay', { comparisons }, { rounds: ROUNDS, prepares: PREPARES, submits: SUBMITS })
process.exit(0)
