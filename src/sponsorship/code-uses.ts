import { type RawBuilder, sql } from 'kysely'
import { SPONSOR_POLICY } from './policy.ts'

/** The used uses of the invite code with this hash, as an SQL expression. */
export function codeUses(hash: RawBuilder<string>): RawBuilder<number> {
  const free = sql.lit(SPONSOR_POLICY.registration.freeFailuresPerCode)
  return sql<number>`(
    select count(*) filter (where state <> 'failed')
      + greatest(0, count(*) filter (where state = 'failed') - ${free})
    from sponsorships where code_hash = ${hash} and state <> 'released')::int`
}
