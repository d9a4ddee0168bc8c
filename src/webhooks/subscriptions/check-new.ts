import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { DomainError } from '../../domain/errors.ts'

export const MAX_PER_WALLET = 20

export interface NewSubscription {
  readonly wallet: string
  /** The result of `clientNetwork`. */
  readonly network: string
  /** New webhooks of a client network in 24 hours. */
  readonly dailyPerNetwork: number
}

/**
 * Checks that a wallet may have one more webhook, and its client network another one today. Locks
 * both until the transaction ends. Throws TOO_MANY_WEBHOOKS and WEBHOOK_CLIENT_LIMIT.
 */
export async function checkNew(db: Kysely<Database>, subscription: NewSubscription): Promise<void> {
  const { wallet, network, dailyPerNetwork: max } = subscription
  // One creation at a time, on all replicas. The counts are a later statement, so that they see
  // what the previous holder of a lock committed.
  for (const name of [`webhooks of network ${network}`, `webhooks of ${wallet}`])
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db)
  // Deleted webhooks count too: their rows stay for 30 days.
  const { rows } = await sql<{ owned: number; today: number; seconds: number | null }>`
    select
      (select count(*)::integer from webhook_subscriptions
        where wallet = ${wallet} and deleted_at is null) as owned,
      count(*)::integer as today,
      ceil(extract(epoch from min(created_at) + interval '1 day' - now()))::integer as seconds
    from (
      select created_at from webhook_subscriptions
      where network = ${network} and created_at > now() - interval '1 day'
      order by created_at desc limit ${max}
    ) as newest`.execute(db)
  const { owned = 0, today = 0, seconds: wait = null } = rows[0] ?? {}
  if (owned >= MAX_PER_WALLET) throw new DomainError('TOO_MANY_WEBHOOKS', { max: MAX_PER_WALLET })
  if (today < max) return
  const seconds = Math.max(1, wait ?? 1)
  throw new DomainError('WEBHOOK_CLIENT_LIMIT', { max, seconds }, { retryAfterSeconds: seconds })
}
