import { enumName } from '../../api/enums.ts'
import type { WebhookEventType } from '../../events/events.generated.ts'
import { EVENT_TYPES } from '../../events/types.ts'
import { withFilter } from '../agents/filters.ts'
import { ADDRESS } from '../../shell/find.ts'

export interface FeedFilter {
  /** Undefined: all types. */
  readonly types?: WebhookEventType[]
  readonly agentPda?: string
}

/** The filter in the URL, also in texts such as `agent.updated`. What is unknown is left out. */
export function readFilter(search: URLSearchParams): FeedFilter {
  const given = new Set((search.get('types') ?? '').split(',').map(enumName))
  const types = EVENT_TYPES.filter((type) => given.has(type))
  const agent = search.get('agent') ?? ''
  return { ...(types.length > 0 && { types }), ...(ADDRESS.test(agent) && { agentPda: agent }) }
}

/** The search parameters with a type added or removed. */
export function withType(search: URLSearchParams, type: WebhookEventType): URLSearchParams {
  const { types = [] } = readFilter(search)
  return withTypes(search, types.includes(type) ? types.filter((each) => each !== type) : [...types, type])
}

export const withTypes = (search: URLSearchParams, types: readonly string[]): URLSearchParams =>
  withFilter(search, { types: types.join(',') })
