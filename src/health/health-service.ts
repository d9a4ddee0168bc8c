import { DomainError } from '../domain/errors.ts'
import { type Network, networkOf } from '../domain/network.ts'
import { cachedValue } from '../platform/async/cached-value.ts'
import { detailedHealth, type Health, type HealthDependencies, readiness } from './health.ts'

interface ServiceIdentity {
  readonly name: string
  /** Semantic version. */
  readonly version: string
  /** Registry program, base-58. */
  readonly program: string
  /** Path that accepts webhooks, on a localnet whose webhooks may call this machine. Else null. */
  readonly localnetReceiver: string | null
}

/** The path of the receiver of a localnet. */
export const LOCALNET_RECEIVER = '/localnet/receiver'

const FEATURES = {
  did: { enabled: true, method: 'did:sol', spec: 'W3C DID Core 1.0' },
  mcp: { enabled: true, endpoint: '/mcp/sse', spec: 'MCP 2025-11-25' },
  a2a: { enabled: true, spec: 'A2A Agent Card 1.0' },
  credentials: { enabled: true, spec: 'W3C Verifiable Credentials 2.0' },
}

export interface ServiceInfo extends ServiceIdentity {
  readonly feeSponsorshipEnabled: boolean
  readonly network: Network
  readonly features: typeof FEATURES
}

/** How old the tables are. */
interface TablesAge {
  /** They contain everything of the ledger up to this slot. */
  readonly slot: number
  /** Seconds since they last contained everything, rounded up. */
  readonly seconds: number
}

export type HealthService = ReturnType<typeof createHealthService>

interface HealthServiceDependencies extends HealthDependencies {
  /** Of the ledger that filled the tables. Null if they are empty. */
  readonly indexedGenesisHash: () => Promise<string | null>
  readonly identity: ServiceIdentity
  /** How long a result is shared, in ms, because checks are not rate limited. 1,000 by default. */
  readonly sharedMs?: number
}

/** One statement a second is enough for all reads of a process. */
const AGE_CACHE = { freshMs: 1_000, maxAgeMs: 10_000 }

export function createHealthService({
  indexedGenesisHash,
  identity,
  sharedMs = 1_000,
  ...rest
}: HealthServiceDependencies) {
  const shared = <Value>(load: () => Promise<Value>): (() => Promise<Value>) => {
    const value = cachedValue({ load, freshMs: sharedMs, maxAgeMs: sharedMs, clock: rest.clock })
    return () => value.get()
  }
  const genesisHash = async (): Promise<string> => {
    const found = (await rest.ledger.genesisHash()) ?? (await indexedGenesisHash())
    if (found === null) throw new DomainError('LEDGER_UNAVAILABLE')
    return found
  }
  const indexerStatus = cachedValue({
    ...AGE_CACHE,
    clock: rest.clock,
    // Reads fail by themselves if the database does not answer, and do not ask again for a second.
    load: async () => {
      const status = await rest.indexerStatus().catch(() => null)
      return status && { ...status, at: rest.clock.now() }
    },
  })
  return {
    /** What a read that starts now contains at least. Null if it is unknown. */
    tablesAge: async (): Promise<TablesAge | null> => {
      const status = await indexerStatus.get()
      if (status === null || status.cursorSlot === null || status.lagSeconds === null) return null
      const seconds = status.lagSeconds + (rest.clock.now() - status.at) / 1_000
      return { slot: status.cursorSlot, seconds: Math.ceil(seconds) }
    },
    health: (): Health => ({ status: 'ok', timestamp: new Date(rest.clock.now()).toISOString() }),
    detailedHealth: shared(() => detailedHealth(rest)),
    readiness: shared(async () => {
      const { starting } = rest.roles
      // Whatever else is missing now follows from it.
      return starting === null ? readiness(rest) : { ready: false, missing: [starting] }
    }),
    /** Of the ledger, base-58. Throws LEDGER_UNAVAILABLE if it was never read. */
    genesisHash,
    /** Throws LEDGER_UNAVAILABLE. */
    info: async (): Promise<ServiceInfo> => ({
      ...identity,
      network: networkOf(await genesisHash()),
      feeSponsorshipEnabled: (await rest.feePayer?.enabled()) ?? false,
      features: FEATURES,
    }),
  }
}
