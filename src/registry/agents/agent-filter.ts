import { type RawBuilder, sql } from 'kysely'
import {
  AGENT_STATUSES,
  type AgentStatus,
  MAX_REPUTATION,
  type ServiceCategory,
  type Tier,
} from '@agent-registry/program'
import { integerParameter, optional, pubkeyParameter, textParameter } from '../../domain/parameters.ts'
import { DomainError } from '../../domain/errors.ts'
import { offsetUnits } from '../../domain/page.ts'
import type { AgentConditions } from '../agents-copy.ts'
import type { SearchBy } from '../search/trigrams.ts'

/** `inactive` is every status except active. */
type StatusFilter = AgentStatus | 'inactive'
export const REPUTATION_RANGE = { min: 0, max: MAX_REPUTATION } as const
/** Characters. A registered name has at most 32 bytes; a mistyped one may be longer. */
export const MAX_NAME_SEARCH = 64
/** Units of a read that counts rows: a search by name, a filter by reputation, or a chart. */
export const SEARCH_UNITS = 5

/** All conditions must hold. Null is the same as absent. */
export interface AgentFilter {
  readonly owner?: string | null
  readonly tier?: Tier | null
  /** Lists of values match any of them. They must not be empty. */
  readonly tiers?: readonly Tier[] | null
  readonly status?: StatusFilter | null
  readonly statuses?: readonly StatusFilter[] | null
  readonly category?: ServiceCategory | null
  readonly categories?: readonly ServiceCategory[] | null
  /** Trigram similarity search. */
  readonly name?: string | null
  /** Search for words as people type them: the name has at least half of the text's trigrams. */
  readonly words?: string | null
  readonly minReputation?: number | null
  readonly maxReputation?: number | null
  /** Includes agents whose card does not match its recorded hash. */
  readonly includeMismatched?: boolean | null
}

type Condition = RawBuilder<unknown>

const INACTIVE = AGENT_STATUSES.filter((each) => each !== 'active')

const readName = textParameter(MAX_NAME_SEARCH)
const readReputation = integerParameter(REPUTATION_RANGE)

/** The units of a list of agents. Wrong values are refused later. */
export function agentListUnits(
  filter: { readonly [Key in 'name' | 'words' | 'minReputation' | 'maxReputation']?: unknown },
  offset?: unknown,
): number {
  const { name, words, minReputation, maxReputation } = filter
  const counts = (name ?? words ?? minReputation ?? maxReputation ?? null) !== null
  return (counts ? SEARCH_UNITS : 1) + offsetUnits(offset)
}

/** What a filter searches names for. Null if it does not. */
export function searchOf({ name, words }: AgentFilter): { text: string; by: SearchBy } | null {
  if (name !== undefined && name !== null) return { text: name, by: 'name' }
  return words === undefined || words === null ? null : { text: words, by: 'words' }
}

/** The similarity of a name to the searched text, as `MEASURES` has it. */
export const similarityTo = ({ text, by }: { text: string; by: SearchBy }): RawBuilder<unknown> =>
  by === 'name' ? sql`similarity(name, ${text})` : sharedPart(text)

/**
 * The part of the trigrams of a text that a name has. It follows from the similarity s of pg_trgm:
 * of q and n trigrams, s (q + n) / (1 + s) are shared. Counting them in SQL takes five times as
 * long.
 */
function sharedPart(text: string): RawBuilder<unknown> {
  const similarity = sql`similarity(name, ${text})::float8`
  const queried = sql`cardinality(show_trgm(${text}))`
  return sql`(round(${similarity} * (${queried} + cardinality(show_trgm(name))) / (1 + ${similarity}))::float4
    / nullif(${queried}, 0)::float4)`
}

/** Throws INVALID_TEXT, INVALID_PUBKEY, INVALID_INTEGER, INVALID_RANGE and INVALID_REQUEST. */
export function checkAgentFilter(filter: AgentFilter): void {
  const [name, words] = [optional(readName, 'name', filter.name), optional(readName, 'words', filter.words)]
  if (name !== undefined && words !== undefined)
    throw new DomainError('INVALID_REQUEST', { problem: 'name and words cannot be combined' })
  optional(pubkeyParameter, 'owner', filter.owner)
  for (const list of ['tiers', 'statuses', 'categories'] as const)
    if (filter[list]?.length === 0)
      throw new DomainError('INVALID_REQUEST', { problem: `${list} must contain at least one value` })
  const minReputation = optional(readReputation, 'minReputation', filter.minReputation)
  const maxReputation = optional(readReputation, 'maxReputation', filter.maxReputation)
  if (minReputation !== undefined && maxReputation !== undefined && minReputation > maxReputation) {
    throw new DomainError('INVALID_RANGE', {
      low: 'minReputation',
      lowValue: minReputation,
      high: 'maxReputation',
      highValue: maxReputation,
    })
  }
}

/** The conditions that a copy in memory compares: all but the owner and the names. */
export function conditionsOf(filter: AgentFilter): AgentConditions {
  const { tier, tiers, status, statuses, category, categories } = filter
  return {
    tiers: both(tier && [tier], tiers),
    statuses: both(status && statusesOf(status), statuses?.flatMap(statusesOf)),
    categories: both(category && [category], categories),
    includeMismatched: filter.includeMismatched === true,
    minReputation: filter.minReputation ?? null,
    maxReputation: filter.maxReputation ?? null,
  }
}

function statusesOf(filter: StatusFilter): readonly string[] {
  return filter === 'inactive' ? INACTIVE : [filter]
}

type Values = readonly string[] | null | undefined

/** The values that are in both lists, each once. Null if there is no list. */
function both(one: Values, other: Values): string[] | null {
  const values = one ?? other
  return values ? [...new Set(values)].filter((each) => other?.includes(each) ?? true) : null
}

/** The conditions on columns of `agent_counts`. */
export function countedConditions(filter: AgentFilter): Condition[] {
  const { includeMismatched, tiers, statuses, categories } = conditionsOf(filter)
  return [
    ...(includeMismatched ? [] : [sql`not card_hash_mismatch`]),
    ...when(tiers, anyOf(sql`tier`, tiers)),
    ...when(statuses, anyOf(sql`status`, statuses)),
    ...when(categories, anyOf(sql`service_category`, categories)),
  ]
}

function anyOf(column: RawBuilder<unknown>, values: readonly string[] | null): Condition {
  return values?.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} = any(${values}::text[])`
}

/** The conditions on all other columns. */
export function otherConditions(filter: AgentFilter): Condition[] {
  const { owner, name, words, minReputation, maxReputation } = filter
  return [
    ...when(owner, sql`owner = ${owner}`),
    // The trigram index serves `%`. The session sets pg_trgm.similarity_threshold. Text without
    // letters and digits has no trigrams; the second condition skips a scan of the whole index.
    ...when(name, sql`name % ${name}`, sql`show_trgm(${name}) <> '{}'`),
    ...when(words, sql`${similarityTo({ text: words ?? '', by: 'words' })} >= 0.5`),
    ...when(minReputation, sql`reputation_score >= ${minReputation}`),
    ...when(maxReputation, sql`reputation_score <= ${maxReputation}`),
  ]
}

function when(value: unknown, ...conditions: Condition[]): Condition[] {
  return value === undefined || value === null ? [] : conditions
}

export function where(conditions: Condition[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`
}
