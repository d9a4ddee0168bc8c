import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Keypair, VersionedTransaction } from '@solana/web3.js'

// mcp-client.ts KEYFILE URL: registers an agent for the wallet, as an AI agent does it. A URL that
// ends in /sse uses the older SSE transport, others use Streamable HTTP.
const [file = '', address = ''] = process.argv.slice(2)
const wallet = Keypair.fromSecretKey(Uint8Array.from(JSON.parse(readFileSync(file, 'utf8')) as number[]))
const ownerPubkey = wallet.publicKey.toBase58()
const url = new URL(address)
// `auto` uses the newest protocol version that the server supports.
const client = new Client(
  { name: 'example', version: '1.0.0' },
  { versionNegotiation: { mode: url.pathname.endsWith('/sse') ? 'legacy' : 'auto' } },
)
await client.connect(
  url.pathname.endsWith('/sse') ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url),
)
const { tools } = await client.listTools()
process.stdout.write(`tools: ${tools.map(({ name }) => name).join(', ')}\n`)

class RefusedError extends Error {}

async function call<Result>(name: string, args: Record<string, unknown>): Promise<Result> {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: args })
  if (isError === true) throw new RefusedError(`${name}: ${JSON.stringify(content)}`)
  return structuredContent as Result
}

const { id, serializedTx } = await call<{ id: string; serializedTx: string }>('prepare_register_agent', {
  ownerPubkey,
  name: 'Tool User',
  serviceCategory: 'research',
  agentCardUrl: 'https://example.org/card.json',
  agentCardHash: '07'.repeat(32),
})
// The key stays here. The service only receives the signed transaction.
const transaction = VersionedTransaction.deserialize(Buffer.from(serializedTx, 'base64'))
transaction.sign([wallet])
const signedTx = Buffer.from(transaction.serialize()).toString('base64')
type Status = 'simulated' | 'submitted' | 'confirmed' | 'failed' | 'unknown'
const submit = () => call<{ status: Status }>('submit_transaction', { id, signedTx })
const lost = (): { status: Status } => ({ status: 'unknown' })
let { status } = await submit().catch((error: unknown) => {
  if (error instanceof RefusedError) throw error
  return lost()
})
// A lost result does not say whether it was sent. The same transaction is sent once, so repeat it.
while (status !== 'confirmed' && status !== 'failed') {
  await delay(500)
  ;({ status } = await call<{ status: Status }>('transaction_status', { id }).catch(lost))
  if (status === 'simulated') ({ status } = await submit().catch(lost))
}
process.stdout.write(`registration: ${status}\n`)

interface Verdict {
  verified: boolean
  did: string
  agent: { pda: string; name: string } | null
}
let verdict: Verdict
const end = Date.now() + 10_000
// The indexer reads a confirmed registration from the ledger a moment later.
do {
  verdict = await call<Verdict>('verify_agent', { owner: ownerPubkey })
  if (!verdict.verified) await delay(100)
} while (!verdict.verified && Date.now() < end)
process.stdout.write(`verified: ${verdict.verified}, ${verdict.agent?.name} ${verdict.did}\n`)
await client.close()
