import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { DomainError } from '../../domain/errors.ts'

const RETRY_AFTER_SECONDS = 5

/**
 * Undefined if the tables were filled from the ledger once, as far as is known. Otherwise reads the
 * database, and throws REGISTRY_NOT_READY.
 */
type CheckFilled = () => Promise<void> | undefined

export function createFilledTables(kysely: Kysely<Database>): CheckFilled {
  let areFilled = false
  let checking: Promise<void> | undefined
  const readDatabase = async (): Promise<void> => {
    const row = await kysely.selectFrom('indexer_state').select('filled_at').executeTakeFirst()
    areFilled = (row?.filled_at ?? null) !== null
    if (!areFilled)
      throw new DomainError('REGISTRY_NOT_READY', {}, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }
  return () => (areFilled ? undefined : (checking ??= readDatabase().finally(() => (checking = undefined))))
}

/** The leader of this epoch calls it when the tables contain everything of the ledger. */
export async function markFilled(kysely: Kysely<Database>, epoch: number): Promise<void> {
  await sql`
    update indexer_state set filled_at = now() where filled_at is null and leader_epoch = ${epoch}`.execute(
    kysely,
  )
}

type Methods<Service> = Record<keyof Service, (...args: never[]) => Promise<unknown>>

/** The service with methods that throw REGISTRY_NOT_READY until the tables are filled. */
export function whenFilled<Service extends Methods<Service>>(service: Service, check: CheckFilled): Service {
  const methods = Object.entries<(...args: never[]) => Promise<unknown>>(service)
  const guarded = methods.map(([name, method]) => [
    name,
    (...args: never[]) => check()?.then(() => method(...args)) ?? method(...args),
  ])
  return Object.fromEntries(guarded) as Service
}
