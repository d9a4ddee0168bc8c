import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, FIXED_NOW, type TestApp } from '../../support/app.ts'
import { walletOf } from '../../support/wallet.ts'
import { clientOf, steppingClock, type WalletClient } from '../../support/wallet-client.ts'
import { status } from '../../support/webhooks/receiver-farm.ts'
import { createWorkerWorld, signatureOf, type WorkerWorld } from '../../support/webhooks/worker-world.ts'
import { eventually } from '../../support/eventually.ts'

let world: WorkerWorld
let t: TestApp
let owner: WalletClient
beforeAll(async () => {
  world = await createWorkerWorld()
  const clock = steppingClock(FIXED_NOW)
  const ledger = { call: () => Promise.reject(new Error('none')) }
  t = await createTestApp({ clock, ledger, database: world.database, webhookDevMode: true })
  owner = clientOf(t, walletOf('owner'), clock)
})
afterAll(async () => {
  await t.close()
  await world.close()
})

/** For each received request: true if it is signed with the secret. */
const signedWith = (secret: string): boolean[] =>
  world.farm
    .receivedAt('/rotated')
    .map(
      ({ headers, body }) =>
        headers['x-service-signature'] === signatureOf(secret, String(headers['x-service-timestamp']), body),
    )

test('retries that were queued before a rotation are signed with the new secret', async () => {
  const url = world.farm.url('/rotated')
  const eventTypes = ['agent.updated']
  const { body: made } = await owner<{ id: string; secret: string }>('POST', '/webhooks', { url, eventTypes })
  const statuses = async (): Promise<string[]> => (await world.deliveries(made.id)).map((row) => row.status)
  world.farm.respond('/rotated', status(503))
  world.worker({ openSecret: (encrypted, id) => t.secretBox.open(id, encrypted) })
  await world.emit({}, {}, {})
  await eventually(async () => expect(await statuses()).toEqual(['retrying', 'retrying', 'retrying']))
  expect(signedWith(made.secret)).toEqual([true, true, true])

  const rotated = await owner<{ secret: string }>('POST', `/webhooks/${made.id}/rotate-secret`)
  expect(rotated.status).toBe(200)
  world.farm.respond('/rotated', status(200))
  await world.expire()
  await eventually(async () => expect(await statuses()).toEqual(['success', 'success', 'success']))
  expect(signedWith(rotated.body.secret)).toEqual([false, false, false, true, true, true])
  expect(signedWith(made.secret)).toEqual([true, true, true, false, false, false])
})
