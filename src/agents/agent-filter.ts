import { type RawBuilder, sql } from 'kysely'
import { AGENT_STATUSES, MAX_REPUTATION, type ServiceCategory, type Tier } from '@agent-registry/program'
import { integerParameter, optional, pubkeyParameter, textParameter } from '../domain/parameters.ts'
import { DomainError } from '../domain/errors.ts'

/** `inactive` is every status except active. */
export const STATUS_FILTERS = [...AGENT_STATUSES, 'inactive'] as const
export const REPUTATION_RANGE = { min: 0, max: MAX_REPUTATION } as const
/** Characters. A registered name has at most 32 bytes; a mistyped one may be longer. */
export const MAX_NAME_SEARCH = 64
/** Units of a search by name. A look-up costs one. */
export const SEARCH_UNITS = 5

/** All conditions must hold. Null is the same as absent. */
export interface AgentFilter {
  readonly owner?: string | null
  readonly tier?: Tier | null
  readonly status?: (typeof STATUS_FILTERS)[number] | null
  readonly category?: ServiceCategory | null
  /** Trigram similarity search. */
  readonly name?: string | null
  readonly minReputation?: number | null
  readonly maxReputation?: number | null
  /** Includes agents whose card does not match its recorded hash. */
  readonly includeMismatched?: boolean | null
}

type Condition = RawBuilder<unknown>

const readName = textParameter(MAX_NAME_SEARCH)
const readReputation = integerParameter(REPUTATION_RANGE)

/** Throws INVALID_TEXT, INVALID_PUBKEY, INVALID_INTEGER and INVALID_RANGE. */
export function checkAgentFilter(filter: AgentFilter): void {
  optional(readName, 'name', filter.name)
  optional(pubkeyParameter, 'owner', filter.owner)
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

/** The conditions on columns of `agent_counts`. */
export function countedConditions({ includeMismatched, tier, status, category }: AgentFilter): Condition[] {
  return [
    ...(includeMismatched === true ? [] : [sql`not card_hash_mismatch`]),
    ...when(tier, sql`tier = ${tier}`),
    ...when(status, status === 'inactive' ? sql`status <> 'active'` : sql`status = ${status}`),
    ...when(category, sql`service_category = ${category}`),
  ]
}

/** The conditions on all other columns. */
export function otherConditions({ owner, name, minReputation, maxReputation }: AgentFilter): Condition[] {
  return [
    ...when(owner, sql`owner = ${owner}`),
    // The trigram index serves `%`. The session sets pg_trgm.similarity_threshold. Text without
    // letters and digits has no trigrams; the second condition skips a scan of the whole index.
    ...when(name, sql`name % ${name}`, sql`show_trgm(${name}) <> '{}'`),
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
