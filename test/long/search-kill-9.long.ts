import { Keypair } from '@solana/web3.js'
import { expect, test, vi } from 'vitest'
import { createRegistryWorld } from '../support/ledger/registry-world.ts'
import { createTestDatabase, urlOf } from '../support/database.ts'
import { kyselyOf } from '../support/ledger/tables.ts'
import { createGatewayProcess } from '../support/gateway-process.ts'
import { type Prepared, type RecordBody, signed, toJson } from '../support/transactions/relay-world.ts'
import { scaled } from '../support/machine-speed.ts'
import { perFile } from '../support/lifetime.ts'
import { transferFrom } from '../support/transactions/wallet-sends.ts'
import { callJson, readJson } from '../support/http.ts'

const FAR = 600_000
const PAST_EXPIRY = 200

const database = perFile(() => createTestDatabase())
const world = perFile(() => createRegistryWorld({ slotMs: 40 }))
const gateway = perFile(() =>
  createGatewayProcess({
    DATABASE_URL: urlOf(database),
    ...world.env,
  }),
)

async function version(id: string): Promise<number | undefined> {
  const query = kyselyOf(database.orm).selectFrom('prepared_transactions').select('version')
  return (await query.where('id', '=', id).executeTakeFirst())?.version
}

test('kill -9 during the search: after a restart a transaction that the wallet sent is confirmed', async () => {
  let { baseUrl } = await gateway.start()
  const payer = Keypair.generate()
  await world.connection.requestAirdrop(payer.publicKey, 1e9)
  world.localnet.stepSlot(2)
  const transfer = transferFrom(payer)
  const { body: prepared } = await callJson<Prepared>(`${baseUrl}/relay/prepare`, {
    instructions: [toJson(transfer)],
    signerPubkeys: [payer.publicKey.toBase58()],
  })
  const status = () => readJson<RecordBody>(`${baseUrl}/relay/status/${prepared.id}`)
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
