import { setTimeout as delay } from 'node:timers/promises'
import type { FaultControls } from '@agent-registry/localnet'
import type { RegistryWorld } from '../../support/ledger/registry-world.ts'
import type { Random } from './random.ts'

/** Methods that the indexer calls and the sender of the operations does not. */
const INDEXER_METHODS = [
  'getSignaturesForAddress',
  'getTransaction',
  'getMultipleAccounts',
  'getSlot',
  'getBlock',
  'getSignatureStatuses',
  'getProgramAccounts',
]

/** Faults that only the test can inject. */
interface Catastrophes {
  killGateway(): Promise<void>
  restartDatabase(): Promise<void>
}

type Fault = (fault: FaultControls, random: Random, world: RegistryWorld) => unknown

const methods = (random: Random): readonly string[] =>
  random.chance(0.5) ? INDEXER_METHODS : [random.pick(INDEXER_METHODS)]

const FAULTS: Record<string, Fault> = {
  dropSockets: (fault) => fault.dropSockets(),
  refuseSockets: (fault) => {
    fault.refuseSockets = true
    fault.dropSockets()
  },
  muteSockets: (fault) => (fault.muteSockets = true),
  tooManyRequests: (fault, random) =>
    fault.http({
      methods: methods(random),
      status: 429,
      retryAfter: random.integer(0, 1),
      count: random.integer(1, 3),
    }),
  serverErrors: (fault, random) =>
    fault.http({
      methods: methods(random),
      status: random.pick([500, 502, 503]),
      count: random.integer(1, 5),
    }),
  delays: (fault, random) =>
    fault.http({ methods: methods(random), delayMs: random.integer(20, 400), count: random.integer(1, 8) }),
  hide: (fault, random, { localnet }) =>
    fault.hideSignatures({
      fromSlot: localnet.slot - random.integer(0, 10),
      toSlot: localnet.slot + random.integer(0, 5),
      forSlots: random.integer(3, 20),
    }),
  lag: (fault, random) => fault.lag(random.integer(1, 8)),
  noLag: (fault) => fault.lag(0),
  fork: async (fault, random) => {
    // Often the indexer has already read what the fork removes.
    if (random.chance(0.6)) await delay(random.integer(50, 300))
    return fault.fork({ slots: random.integer(0, 25), reland: random.chance(0.5) })
  },
}

/**
 * Injects one random fault into the ledger, or rarely into the gateway or the database. Returns its
 * name.
 */
export async function injectFault(
  world: RegistryWorld,
  random: Random,
  catastrophes: Catastrophes,
): Promise<string> {
  if (random.chance(0.05)) {
    await catastrophes.killGateway()
    return 'kill'
  }
  if (random.chance(0.03)) {
    await catastrophes.restartDatabase()
    return 'database'
  }
  const name = random.pick(Object.keys(FAULTS))
  await FAULTS[name]?.(world.localnet.fault, random, world)
  return name
}
