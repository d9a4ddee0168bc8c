import { Keypair, SystemProgram } from '@solana/web3.js'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createRegistryWorld, type RegistryWorld } from '../support/ledger/registry-world.ts'
import { createTestDatabase, type TestDatabase, urlOf } from '../support/database.ts'
import { kyselyOf } from '../support/ledger/tables.ts'
import { createGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'
import { type Prepared, type RecordBody, signed, toJson } from '../support/transactions/relay-world.ts'
import { scaled } from '../support/machine-speed.ts'

const FAR = 600_000
const PAST_EXPIRY = 200

let database: TestDatabase
let world: RegistryWorld
let gateway: GatewayProcess
beforeAll(async () => {
  database = await createTestDatabase()
  world = await createRegistryWorld({ slotMs: 40 })
  gateway = await createGatewayProcess({
    DATABASE_URL: urlOf(database),
    SOLANA_RPC_URL: world.localnet.rpcUrl,
    SOLANA_WS_URL: world.localnet.wsUrl,
    WEBHOOK_SECRETS_KEY: '07'.repeat(32),
  })
})
afterAll(async () => {
  await gateway.remove()
  await database.drop()
  await world.close()
})

async function version(id: string): Promise<number | undefined> {
  const query = kyselyOf(database.orm).selectFrom('prepared_transactions').select('version')
  return (await query.where('id', '=', id).executeTakeFirst())?.version
}

test('kill -9 during the search: after a restart a transaction that the wallet sent is confirmed', async () => {
  let { baseUrl } = await gateway.start()
  const payer = Keypair.generate()
  await world.connection.requestAirdrop(payer.publicKey, 1e9)
  world.localnet.stepSlot(2)
  const transfer = SystemProgram.transfer({
    fromPubkey: payer.publicKey,
    toPubkey: Keypair.generate().publicKey,
    lamports: 1_000_000,
  })
  const response = await fetch(`${baseUrl}/relay/prepare`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      instructions: [toJson(transfer)],
      signerPubkeys: [payer.publicKey.toBase58()],
    }),
  })
  const prepared = (await response.json()) as Prepared
  const status = async (): Promise<RecordBody> =>
    (await (await fetch(`${baseUrl}/relay/status/${prepared.id}`)).json()) as RecordBody
  const signature = await world.connection.sendRawTransaction(
    Buffer.from(signed(prepared, payer), 'base64'),
    { skipPreflight: true },
  )
  world.localnet.stepSlot()

  world.localnet.fault.http({ methods: ['getSignaturesForAddress'], delayMs: FAR })
  world.localnet.stepSlot(PAST_EXPIRY)
  // The relay has leased the row and waits for the listing.
  await vi.waitFor(async () => expect(await version(prepared.id)).toBe(2), {
    timeout: scaled(20_000),
    interval: 50,
  })
  await gateway.kill()
  world.localnet.fault.clear()

  baseUrl = (await gateway.start()).baseUrl
  await vi.waitFor(
    async () => expect(await status()).toMatchObject({ status: 'confirmed', signature, error: null }),
    { timeout: scaled(60_000), interval: 200 },
  )
})
