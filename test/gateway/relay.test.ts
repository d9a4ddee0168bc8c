import bs58 from 'bs58'
import nacl from 'tweetnacl'
import { Connection, Keypair } from '@solana/web3.js'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Runtime } from '../../src/bootstrap/runtime-file.ts'
import { addresses, keyOf, type Prepared, registration, toJson } from '../relay/support/relay-world.ts'
import { createGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'

let gateway: GatewayProcess
let runtime: Runtime
beforeAll(async () => {
  gateway = await createGatewayProcess({ SEED_AGENTS: '0' })
  runtime = await gateway.start()
})
afterAll(() => gateway.remove())

async function post<Body>(path: string, body: object): Promise<Body> {
  const headers = { 'content-type': 'application/json' }
  const url = `${runtime.baseUrl}${path}`
  return (await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as Body
}

test('prepared, signed with tweetnacl, submitted: confirmed, and the agent is listed', async () => {
  const owner = Keypair.generate()
  const connection = new Connection(runtime.rpcUrl, 'confirmed')
  await connection.requestAirdrop(owner.publicKey, 1e9)
  await vi.waitFor(async () => expect(await connection.getBalance(owner.publicKey)).toBe(1e9), 5_000)

  const { id, serializedTx } = await post<Prepared>('/relay/prepare', {
    instructions: [toJson(registration(owner, 'By relay'))],
    signerPubkeys: [keyOf(owner)],
  })
  const bytes = new Uint8Array(Buffer.from(serializedTx, 'base64'))
  bytes.set(nacl.sign.detached(bytes.subarray(65), owner.secretKey), 1)
  expect(await post('/relay/submit', { id, signedTx: Buffer.from(bytes).toString('base64') })).toMatchObject({
    id,
    status: 'confirmed',
    signature: bs58.encode(bytes.subarray(1, 65)),
    error: null,
  })
  const agent = async (): Promise<unknown> =>
    (await fetch(`${runtime.baseUrl}/agents/${addresses.agent(keyOf(owner))}`)).json()
  await vi.waitFor(
    async () => expect(await agent()).toMatchObject({ name: 'By relay', owner: keyOf(owner) }),
    5_000,
  )
})
