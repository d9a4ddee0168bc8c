import type { Kysely } from 'kysely'
import type { Database } from '../db/database.ts'
import { DomainError } from '../domain/errors.ts'
import {
  type DetailedHealth,
  detailedHealth,
  health,
  type Health,
  type HealthDependencies,
  readiness,
  type Readiness,
} from './health.ts'
import { serviceInfo, type ServiceIdentity, type ServiceInfo } from './info.ts'

export interface HealthService {
  health(): Health
  detailedHealth(): Promise<DetailedHealth>
  readiness(): Promise<Readiness>
  /** Of the ledger, base-58. Throws LEDGER_UNAVAILABLE if it was never read. */
  genesisHash(): Promise<string>
  /** Throws LEDGER_UNAVAILABLE. */
  info(): Promise<ServiceInfo>
}

export interface HealthServiceDependencies extends HealthDependencies {
  readonly kysely: Kysely<Database>
  readonly identity: ServiceIdentity
}

export function createHealthService({ kysely, identity, ...rest }: HealthServiceDependencies): HealthService {
  const genesisHash = async (): Promise<string> => {
    const found = (await rest.ledger.genesisHash()) ?? (await indexedGenesisHash(kysely))
    if (found === null) throw new DomainError('LEDGER_UNAVAILABLE')
    return found
  }
  return {
    health: () => health(rest.clock),
    detailedHealth: () => detailedHealth(rest),
    readiness: async () => {
      const { starting } = rest.roles
      // Whatever else is missing now follows from it.
      return starting === null ? readiness(rest) : { ready: false, missing: [starting] }
    },
    genesisHash,
    info: async () => serviceInfo(identity, { genesisHash: await genesisHash(), feePayer: rest.feePayer }),
  }
}

async function indexedGenesisHash(kysely: Kysely<Database>): Promise<string | null> {
  const row = await kysely.selectFrom('indexer_state').select('genesis_hash').executeTakeFirst()
  return row?.genesis_hash ?? null
}
