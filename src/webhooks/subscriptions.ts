import type { Pubkey } from '@agent-registry/solana'
import type { EntityData, InferEntity } from '@mikro-orm/core'
import type { RowOf } from '../db/columns-of.ts'
import type { WebhookSubscription } from '../db/entities/webhooks.ts'
import { siteOf } from '../domain/client-network.ts'
import { DomainError } from '../domain/errors.ts'
import { enumParameter, optional, pubkeyParameter } from '../domain/parameters.ts'
import { quoted } from '../domain/quoted.ts'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../domain/webhook-events.ts'
import { urlProblem } from '../platform/net/check-url.ts'
import type { GuardedHttp } from '../platform/net/guarded-http.ts'

/** The properties that a subscription's owner sees. The secret is not one of them. */
export const SHOWN = [
  'id',
  'wallet',
  'url',
  'eventTypes',
  'filterAgentPda',
  'active',
  'disabledReason',
  'disabledAt',
  'createdAt',
  'updatedAt',
  'previousSecretUntil',
] as const

export type SubscriptionRow = Readonly<Pick<RowOf<typeof WebhookSubscription>, (typeof SHOWN)[number]>>
export type SubscriptionChanges = EntityData<InferEntity<typeof WebhookSubscription>>

export const MAX_PER_WALLET = 20

export interface CreateInput {
  /** An https URL. */
  readonly url?: string | null
  readonly eventTypes?: readonly string[] | null
  /** Only events of this agent, which need not exist yet. */
  readonly filterAgentPda?: string | null
}

/** Absent fields stay as they are; so do `url` and `active` if they are null. */
export interface UpdateInput extends CreateInput {
  readonly active?: boolean | null
}

type Http = Pick<GuardedHttp, 'checkUrl'>

/** Throws the errors of `readUrl` and `readEventTypes`, and INVALID_PUBKEY. */
export const readCreation = ({ url, eventTypes, filterAgentPda }: CreateInput, http: Http) => ({
  ...readUrl(url, http),
  eventTypes: readEventTypes(eventTypes),
  filterAgentPda: readFilter(filterAgentPda),
})

/** Resets the health of an endpoint, when its owner enables it or changes its URL. */
const HEALTHY = {
  disabledAt: null,
  disabledReason: null,
  failingSince: null,
  lastFailureAt: null,
  connectFailures: 0,
  breakerOpens: 0,
  pausedUntil: null,
} as const

/** Has a `url` only if it is new. Throws the errors of `readCreation` for the given fields. */
export function readChanges(
  { url, eventTypes, filterAgentPda, active }: UpdateInput,
  currentUrl: string,
  http: Http,
): SubscriptionChanges {
  const changes: SubscriptionChanges = {}
  if (url !== undefined && url !== null) {
    const receiver = readUrl(url, http)
    // A new receiver must prove itself fast again.
    if (receiver.url !== currentUrl) Object.assign(changes, receiver, HEALTHY, { responseMs: null })
  }
  if (eventTypes !== undefined) changes.eventTypes = readEventTypes(eventTypes)
  if (filterAgentPda !== undefined) changes.filterAgentPda = readFilter(filterAgentPda)
  if (typeof active === 'boolean') changes.active = active
  return active === true ? { ...changes, ...HEALTHY } : changes
}

/** Normalizes the URL, so that limits count each site once. */
function readUrl(value: unknown, http: Http): { url: string; site: string } {
  if (value === undefined || value === null) throw new DomainError('URL_REQUIRED')
  const problem = textProblem(value) ?? urlProblem(http, value as string)
  if (problem !== null)
    throw new DomainError('RECEIVER_REFUSED', { parameter: 'url', problem, value: quoted(value) })
  const { href, hostname } = new URL(value as string)
  return { url: href, site: siteOf(hostname) }
}

function textProblem(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be text'
  // URL parsers remove some other characters, so the stored URL would differ from the input.
  const isPlain = /^[\x21-\x7e]+$/.test(value)
  return isPlain ? null : 'must be an absolute URL in printable ASCII, all else in percent-encoding'
}

const eventType = enumParameter(WEBHOOK_EVENT_TYPES)

/**
 * Returns the types in the order of the contract. Throws EVENT_TYPES_REQUIRED, EVENT_TYPES_EMPTY,
 * INVALID_ENUM, EVENT_TYPE_REPEATED.
 */
function readEventTypes(value: unknown): WebhookEventType[] {
  if (!Array.isArray(value)) throw new DomainError('EVENT_TYPES_REQUIRED')
  if (value.length === 0) throw new DomainError('EVENT_TYPES_EMPTY')
  const types = new Set<WebhookEventType>()
  for (const [i, each] of value.entries()) {
    const type = eventType(`eventTypes[${i}]`, each)
    if (types.has(type)) throw new DomainError('EVENT_TYPE_REPEATED', { type })
    types.add(type)
  }
  return WEBHOOK_EVENT_TYPES.filter((type) => types.has(type))
}

const readFilter = (value: unknown): Pubkey | null =>
  optional(pubkeyParameter, 'filterAgentPda', value) ?? null
