import type { Pubkey } from '@agent-registry/solana'
import {
  AGENT_STATUSES,
  MAX_REPUTATION,
  SERVICE_CATEGORIES,
  type ServiceCategory,
  type Tier,
  TIERS,
} from '@agent-registry/program'
import { ORDERS, type Order, type PageBounds, type PageInput, pageBounds } from '../domain/page.ts'
import {
  booleanParameter,
  enumParameter,
  integerParameter,
  optional,
  pubkeyParameter,
  textParameter,
} from '../domain/parameters.ts'
import { DomainError } from '../domain/errors.ts'

/** `inactive` is every status but active. */
export const STATUS_FILTERS = [...AGENT_STATUSES, 'inactive'] as const
export const AGENT_SORTS = ['reputation', 'created_at', 'name'] as const
export const REPUTATION_RANGE = { min: 0, max: MAX_REPUTATION } as const
/** Characters; a registered name has at most 32 bytes, a mistyped one may be longer. */
export const MAX_NAME_SEARCH = 64

export type StatusFilter = (typeof STATUS_FILTERS)[number]
export type AgentSort = (typeof AGENT_SORTS)[number]

export interface AgentFilterInput {
  readonly owner?: string | null
  readonly tier?: string | null
  readonly status?: string | null
  readonly category?: string | null
  readonly name?: string | null
  readonly minReputation?: number | null
  readonly maxReputation?: number | null
  readonly includeMismatched?: boolean | null
}

export interface AgentListInput extends AgentFilterInput, PageInput {
  readonly sort?: string | null
  readonly order?: string | null
}

export interface AgentQuery extends PageBounds {
  readonly owner?: Pubkey
  readonly tier?: Tier
  readonly status?: StatusFilter
  readonly category?: ServiceCategory
  readonly name?: string
  readonly minReputation?: number
  readonly maxReputation?: number
  readonly includeMismatched: boolean
  readonly sort: AgentSort | 'similarity'
  readonly order: Order
}

const readReputation = integerParameter(REPUTATION_RANGE)

/** Checks what a client asks for; throws a DomainError that names the first parameter at fault. */
export function agentQuery(input: AgentListInput): AgentQuery {
  const name = optional(textParameter(MAX_NAME_SEARCH), 'name', input.name)
  const query = {
    owner: optional(pubkeyParameter, 'owner', input.owner),
    tier: optional(enumParameter(TIERS), 'tier', input.tier),
    status: optional(enumParameter(STATUS_FILTERS), 'status', input.status),
    category: optional(enumParameter(SERVICE_CATEGORIES), 'category', input.category),
    name,
    minReputation: optional(readReputation, 'minReputation', input.minReputation),
    maxReputation: optional(readReputation, 'maxReputation', input.maxReputation),
    includeMismatched: optional(booleanParameter, 'includeMismatched', input.includeMismatched) ?? false,
    sort: optional(enumParameter(AGENT_SORTS), 'sort', input.sort) ?? (name ? 'similarity' : 'created_at'),
    order: optional(enumParameter(ORDERS), 'order', input.order) ?? 'desc',
    ...pageBounds(input),
  } as const
  const { minReputation, maxReputation } = query
  if (minReputation !== undefined && maxReputation !== undefined && minReputation > maxReputation) {
    throw new DomainError('INVALID_RANGE', {
      low: 'minReputation',
      lowValue: minReputation,
      high: 'maxReputation',
      highValue: maxReputation,
    })
  }
  return query
}
