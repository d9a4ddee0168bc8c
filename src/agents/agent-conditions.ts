import { type RawBuilder, sql } from 'kysely'
import type { AgentQuery } from './agent-filter.ts'

type Fragment = RawBuilder<unknown>

/** The filters that the counts by tier, status, category and mismatch know as well. */
export function coarseConditions(query: AgentQuery): Fragment[] {
  const conditions: Fragment[] = []
  if (!query.includeMismatched) conditions.push(sql`not card_hash_mismatch`)
  if (query.tier !== undefined) conditions.push(sql`tier = ${query.tier}`)
  if (query.status === 'inactive') conditions.push(sql`status <> 'active'`)
  else if (query.status !== undefined) conditions.push(sql`status = ${query.status}`)
  if (query.category !== undefined) conditions.push(sql`service_category = ${query.category}`)
  return conditions
}

export function fineConditions(query: AgentQuery): Fragment[] {
  const conditions: Fragment[] = []
  if (query.owner !== undefined) conditions.push(sql`owner = ${query.owner}`)
  // The session sets pg_trgm.similarity_threshold; the operator is what the trigram index serves.
  if (query.name !== undefined) {
    conditions.push(sql`name % ${query.name}`)
    // Text without letters and digits has no trigrams and so no match; the index would be walked whole to find that.
    conditions.push(sql`show_trgm(${query.name}) <> '{}'`)
  }
  if (query.minReputation !== undefined) conditions.push(sql`reputation_score >= ${query.minReputation}`)
  if (query.maxReputation !== undefined) conditions.push(sql`reputation_score <= ${query.maxReputation}`)
  return conditions
}

export function where(conditions: Fragment[]): Fragment {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`
}
