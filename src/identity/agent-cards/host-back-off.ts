import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { milliseconds } from '../../db/milliseconds.ts'
import type { HostState } from '../../platform/net/hosted/fetch-hosted.ts'
import type { CardTiming } from './timing.ts'

interface CheckedHost {
  readonly host: string
  readonly state: HostState
  /** Why its card is unreachable. */
  readonly reason: string
  readonly checkedAt: Date
}

/**
 * Starts or ends the back-off of a host. Unchecked cards of a host that is down become unreachable.
 * A host that did not respond is not down if it served another card within a day: owners that share
 * a host must not be able to stop each other's checks.
 */
export async function recordHost(
  kysely: Kysely<Database>,
  { host, state, reason, checkedAt }: CheckedHost,
  { retryMs, retryFactor, hostRetryMs }: CardTiming,
  jitter: number,
): Promise<void> {
  if (state === null) return
  if (state === 'responded') {
    await sql`delete from agent_card_hosts where host = ${host}`.execute(kysely)
    return
  }
  const wait = sql`least(${retryMs}::float8 * power(${retryFactor}::float8, least(h.failures, 20)), ${hostRetryMs}::float8)`
  // Checks that ran at once count as one failure.
  await sql`
    with served as (
      select from agent_card_checks
      where host = ${host} and state in ('matched', 'mismatched') and checked_at > ${checkedAt}::timestamptz - interval '1 day'
      limit 1
    ),
    backed_off as (
      insert into agent_card_hosts as h (host, failures, retry_at)
      select ${host}, 1, now() + ${milliseconds(retryMs * jitter)}
      where ${state === 'down'} or not exists (select from served)
      on conflict (host) do update
        set failures = h.failures + 1, retry_at = now() + ${wait} * ${jitter}::float8 * interval '1 ms'
        where h.retry_at <= now()
      returning host
    )
    update agent_card_checks c set state = 'unreachable', reason = ${reason}, checked_at = ${checkedAt}
    from backed_off b where c.host = b.host and c.state = 'unchecked' and c.lease_token is null`.execute(
    kysely,
  )
}

/** Deletes hosts that no check used for two days: cards that name one are checked each day. */
export async function forgetHosts(kysely: Kysely<Database>): Promise<void> {
  await sql`delete from agent_card_hosts where retry_at < now() - interval '2 days'`.execute(kysely)
}
