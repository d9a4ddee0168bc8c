import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LogSubscription, subscribeToLogs } from '../../src/ledger/log-subscription.ts'
import { silentLogger } from './support/indexer.ts'
import { createRegistryWorld, programId, type RegistryWorld } from './support/registry-world.ts'

let world: RegistryWorld
let subscription: LogSubscription | undefined
let connections = 0
let announced: string[] = []

beforeEach(async () => {
  world = await createRegistryWorld({ slotMs: 20 })
  connections = 0
  announced = []
})
afterEach(async () => {
  subscription?.close()
  await world.close()
})

function subscribe(quietMs?: number): void {
  subscription = subscribeToLogs({
    url: world.localnet.wsUrl,
    programId,
    commitment: 'confirmed',
    logger: silentLogger,
    onTransaction: ({ signature }) => announced.push(signature),
    onConnected: () => (connections += 1),
    ...(quietMs === undefined ? {} : { quietMs }),
  })
}

test('transactions of the program are announced, before and after a dropped connection', async () => {
  subscribe()
  await expect.poll(() => connections).toBe(1)
  await world.wallet('one')
  await expect.poll(() => announced).toHaveLength(1)
  world.localnet.fault.refuseSockets = true
  world.localnet.fault.dropSockets()
  await expect.poll(() => subscription?.connected).toBe(false)
  world.localnet.fault.clear()
  await expect.poll(() => connections, { timeout: 5_000 }).toBe(2)
  await world.wallet('two')
  await expect.poll(() => announced).toHaveLength(2)
})

test('a socket that stays open and says nothing is replaced', async () => {
  subscribe(150)
  await expect.poll(() => connections).toBe(1)
  world.localnet.fault.muteSockets = true
  await expect.poll(() => connections, { timeout: 5_000 }).toBeGreaterThan(1)
})
