import { Connection, Keypair, SystemProgram } from '@solana/web3.js'
import { expect, test, vi } from 'vitest'
import type { Runtime } from '../../src/compose/runtime-file.ts'
import { createLocalnetRpc } from '../../src/ledger/rpc/ledger-rpc.ts'
import { type Prepared, type RecordBody, signed, toJson } from '../support/transactions/relay-world.ts'
import { createGatewayProcess } from '../support/gateway-process.ts'
import { scaled } from '../support/machine-speed.ts'
import { perFile } from '../support/lifetime.ts'
import { callJson, readJson } from '../support/http.ts'

const FAR = 600_000
const AMOUNT = 1_000_000
/** Ends only a test that fails. */
const WAIT_MS = scaled(60_000)

const gateway = perFile(() => createGatewayProcess({ SEED_AGENTS: '0' }))

const post = async <Body>({ baseUrl }: Runtime, path: string, body: object): Promise<Body> =>
  (await callJson<Body>(`${baseUrl}${path}`, body)).body
const status = ({ baseUrl }: Runtime, id: string) => readJson<RecordBody>(`${baseUrl}/relay/status/${id}`)

test.each([
  ['storing and sending', 'sendTransaction'],
  ['sending and storing what came of it', 'getSignatureStatuses'],
])('kill -9 between %s: after a restart the transaction lands once', async (_, silenced) => {
  const runtime = await gateway.start()
  const connection = new Connection(runtime.rpcUrl, 'confirmed')
  const [payer, receiver] = [Keypair.generate(), Keypair.generate()]
  await connection.requestAirdrop(payer.publicKey, 1e9)
  await vi.waitFor(async () => expect(await connection.getBalance(payer.publicKey)).toBe(1e9), WAIT_MS)
  const transfer = SystemProgram.transfer({
    fromPubkey: payer.publicKey,
    toPubkey: receiver.publicKey,
    lamports: AMOUNT,
  })
  const prepared = await post<Prepared>(runtime, '/relay/prepare', {
    instructions: [toJson(transfer)],
    signerPubkeys: [payer.publicKey.toBase58()],
  })
  await createLocalnetRpc(runtime.rpcUrl).call('localnet_fault', [
    { kind: 'http', methods: [silenced], delayMs: FAR },
  ])
  const body = { id: prepared.id, signedTx: signed(prepared, payer) }
  const dying = post(runtime, '/relay/submit', body).catch(() => undefined)
  await vi.waitFor(async () => expect((await status(runtime, prepared.id)).status).toBe('submitted'), WAIT_MS)
  const already = silenced === 'sendTransaction' ? 0 : AMOUNT
  await vi.waitFor(async () => expect(await connection.getBalance(receiver.publicKey)).toBe(already), WAIT_MS)
  await gateway.kill()
  await dying

  const again = await gateway.start()
  await vi.waitFor(
    async () => expect(await status(again, prepared.id)).toMatchObject({ status: 'confirmed', error: null }),
    { timeout: WAIT_MS, interval: 200 },
  )
  expect(await new Connection(again.rpcUrl, 'confirmed').getBalance(receiver.publicKey)).toBe(AMOUNT)
  expect(await post(again, '/relay/submit', body)).toMatchObject({ status: 'confirmed' })
  await gateway.stop()
})
