import {
  Connection,
  Keypair,
  sendAndConfirmTransaction,
  SystemProgram,
  Transaction,
  VersionedTransaction,
} from '@solana/web3.js'
import { Agent } from 'undici'
import { createLocalnetRpc } from '../../src/ledger/rpc/localnet-rpc.ts'
import { startBenchGateway } from '../gateway.ts'
import { type Comparison, saveResult, compareTimes } from '../support/result.ts'

const PREPARES = Number(process.env.BENCH_PREPARES ?? 500)
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
const percentile = (values: number[], percent: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return Number((sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0).toFixed(2))
}
const summary = (work: string, against: string, ours: number[], bare: number[]): Comparison[] =>
  [50, 99].map((percent) =>
    compareTimes(
      { work, against, unit: `ms p${percent}` },
      percentile(ours, percent),
      percentile(bare, percent),
    ),
  )

/** Prepares and simulates the same transactions in turns. */
async function compare(count: number): Promise<{ prepares: number[]; simulations: number[] }> {
  const prepares: number[] = []
  const simulations: number[] = []
  for (let i = 0; i < count; i += 1) {
    let serializedTx = ''
    prepares.push(await timed(async () => ({ serializedTx } = await prepare())))
    simulations.push(await timed(() => simulate(serializedTx)))
  }
  return { prepares, simulations }
}

await compare(50)
const near = await compare(PREPARES)
const methods = ['simulateTransaction', 'getLatestBlockhash', 'getRecentPrioritizationFees']
await rpc.call('localnet_fault', [{ kind: 'http', methods, delayMs: NODE_DELAY }])
const far = await compare(PREPARES)
await rpc.call('localnet_fault', [{ kind: 'clear' }])

const submits: number[] = []
const confirms: number[] = []
for (let i = 0; i < SUBMITS; i += 1) {
  const { id, serializedTx } = await prepare()
  const transaction = VersionedTransaction.deserialize(Buffer.from(serializedTx, 'base64'))
  transaction.sign([wallet])
  const signedTx = Buffer.from(transaction.serialize()).toString('base64')
  submits.push(
    await timed(async () => {
      const { status } = await post<{ status: string }>('/relay/submit', { id, signedTx })
      if (status !== 'confirmed') throw new Error(`the status is ${status}`)
    }),
  )
  const bare = new Transaction().add(transfer())
  confirms.push(await timed(() => sendAndConfirmTransaction(connection, bare, [wallet])))
}
await gateway.stop()

const comparisons = [
  ...summary('prepare', 'simulateTransaction', near.prepares, near.simulations),
  ...summary(`prepare, node ${NODE_DELAY} ms away`, 'simulateTransaction', far.prepares, far.simulations),
  ...summary('submit', 'sendAndConfirmTransaction', submits, confirms),
]
saveResult('relay', { comparisons }, { prepares: PREPARES, submits: SUBMITS })
process.exit(0)
