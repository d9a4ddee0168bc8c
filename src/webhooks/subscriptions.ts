import { randomUUID } from 'node:crypto'
import type { Pubkey } from '@agent-registry/solana'
import type { EntityData, InferEntity } from '@mikro-orm/core'
import { raw } from '@mikro-orm/postgresql'
import { type Kysely, sql } from 'kysely'
import type { RowOf } from '../db/columns-of.ts'
import type { Database } from '../db/database.ts'
import { WebhookSubscription } from '../db/entities/webhooks.ts'
import type { EntityManager } from '../db/orm-types.ts'
import { clientNetwork, siteOf } from '../domain/client-network.ts'
import { DomainError } from '../domain/errors.ts'
import { enumParameter, optional, pubkeyParameter } from '../domain/parameters.ts'
import { quoted } from '../domain/quoted.ts'
import { isUuid } from '../domain/uuid.ts'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../domain/webhook-events.ts'
import { urlProblem } from '../platform/net/check-url.ts'
import type { GuardedHttp } from '../platform/net/guarded-http.ts'
import { cancelBacklog, cancelUnfinished, cancelWaiting } from './cancel.ts'
import { newSecret, type SecretBox } from './secret-box.ts'

/** The properties that a subscription's owner sees. The secret is not one of them. */
const SHOWN = [
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
] as const

export type SubscriptionRow = Readonly<Pick<RowOf<typeof WebhookSubscription>, (typeof SHOWN)[number]>>
type SubscriptionChanges = EntityData<InferEntity<typeof WebhookSubscription>>

/** Returns why a URL cannot be a receiver, for example `must use https`. Null if it can. */
export type ReceiverProblem = (url: string) => string | null

/** The rules of the client that sends: what it would refuse to call is refused when it is given. */
export function receiverProblemOf(http: Pick<GuardedHttp, 'checkUrl'>): ReceiverProblem {
  return (url) => urlProblem(http, url)
}

export interface SubscriptionOptions {
  readonly secretBox: SecretBox
  readonly receiverProblem: ReceiverProblem
  /** New webhooks of a client network in 24 hours. */
  readonly dailyPerNetwork: number
}

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

export interface Creation {
  readonly id: string
  /** Shown only in this response. */
  readonly secret: string
  readonly message: string
}

const MESSAGE = 'Store the secret now: it is not shown again. Rotate it if it is lost.'

/**
 * Throws the errors of `readUrl` and `readEventTypes`, INVALID_PUBKEY, TOO_MANY_WEBHOOKS and
 * WEBHOOK_CLIENT_LIMIT.
 */
export async function createSubscription(
  em: EntityManager,
  wallet: Pubkey,
  clientIp: string,
  input: CreateInput,
  { secretBox, receiverProblem, dailyPerNetwork }: SubscriptionOptions,
): Promise<Creation> {
  const receiver = readUrl(input.url, receiverProblem)
  const eventTypes = readEventTypes(input.eventTypes)
  const filterAgentPda = readFilter(input.filterAgentPda)
  const network = clientNetwork(clientIp)
  const [id, secret] = [randomUUID(), newSecret()]
  const secretEncrypted = secretBox.seal(id, secret)
  await em.transactional(async (transaction) => {
    await checkNew(transaction.getKysely(), wallet, network, dailyPerNetwork)
    const row = { id, wallet, network, ...receiver, eventTypes, filterAgentPda, secretEncrypted }
    transaction.create(WebhookSubscription, row)
  })
  return { id, secret, message: MESSAGE }
}

export const MAX_PER_WALLET = 20

/**
 * Checks that a wallet may have one more webhook, and its client network another one today: `max`
 * in 24 hours. Locks both until the transaction ends. Throws TOO_MANY_WEBHOOKS and
 * WEBHOOK_CLIENT_LIMIT.
 */
async function checkNew(db: Kysely<Database>, wallet: string, network: string, max: number): Promise<void> {
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

/** A wallet's subscriptions, oldest first; there are never more than `MAX_PER_WALLET`. */
export function listSubscriptions(em: EntityManager, wallet: Pubkey): Promise<SubscriptionRow[]> {
  const orderBy = { createdAt: 'asc', id: 'asc' } as const
  return em.find(WebhookSubscription, { wallet, deletedAt: null }, { fields: SHOWN, orderBy })
}

/** A wallet's own webhook. Throws WEBHOOK_NOT_FOUND if there is none, or if it is deleted. */
export async function getOwn(em: EntityManager, wallet: Pubkey, id: string): Promise<SubscriptionRow> {
  const own = await findOwn(em, wallet, id)
  if (own === null) throw new DomainError('WEBHOOK_NOT_FOUND')
  return own
}

/** Null if `getOwn` throws. */
export async function findOwn(
  em: EntityManager,
  wallet: Pubkey,
  id: string,
): Promise<SubscriptionRow | null> {
  if (!isUuid(id)) return null
  return em.findOne(WebhookSubscription, { id, wallet, deletedAt: null }, { fields: SHOWN })
}

/** Those of these webhooks that are not deleted. */
export function findSubscriptions(em: EntityManager, ids: readonly string[]): Promise<SubscriptionRow[]> {
  return em.find(WebhookSubscription, { id: { $in: [...ids] }, deletedAt: null }, { fields: SHOWN })
}

/**
 * Changes a wallet's own webhook. Throws WEBHOOK_NOT_FOUND as `getOwn` does. One statement, because
 * workers change the health of the same row.
 */
async function updateOwn(
  em: EntityManager,
  wallet: Pubkey,
  id: string,
  changes: SubscriptionChanges,
): Promise<void> {
  const own = { id, wallet, deletedAt: null }
  const changed = { ...changes, updatedAt: raw('now()') }
  const updated = isUuid(id) ? await em.nativeUpdate(WebhookSubscription, own, changed) : 0
  if (updated === 0) throw new DomainError('WEBHOOK_NOT_FOUND')
}

/**
 * Changes a webhook. Disabling it and a new URL cancel its waiting deliveries: nobody can collect
 * deliveries and send them to another receiver at once. Throws WEBHOOK_NOT_FOUND, and the errors of
 * `createSubscription` for the given fields.
 */
export async function updateSubscription(
  em: EntityManager,
  wallet: Pubkey,
  id: string,
  input: UpdateInput,
  { receiverProblem }: SubscriptionOptions,
): Promise<SubscriptionRow> {
  // The owner is checked before the input, so that nobody else learns what is wrong with it.
  const { url } = await getOwn(em.fork(), wallet, id)
  const changes = readChanges(input, url, receiverProblem)
  const isNewUrl = changes.url !== undefined
  if (isNewUrl) await cancelBacklog(em.getKysely(), id)
  return em.transactional(async (transaction) => {
    if (isNewUrl) await cancelUnfinished(transaction.getKysely(), id)
    await updateOwn(transaction, wallet, id, changes)
    if (input.active === false) await cancelWaiting(transaction.getKysely(), id)
    return transaction.findOneOrFail(WebhookSubscription, id, { fields: SHOWN })
  })
}

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

function readChanges(
  { url, eventTypes, filterAgentPda, active }: UpdateInput,
  currentUrl: string,
  receiverProblem: ReceiverProblem,
): SubscriptionChanges {
  const changes: SubscriptionChanges = {}
  if (url !== undefined && url !== null) {
    const receiver = readUrl(url, receiverProblem)
    // A new receiver must prove itself fast again.
    if (receiver.url !== currentUrl) Object.assign(changes, receiver, HEALTHY, { responseMs: null })
  }
  if (eventTypes !== undefined) changes.eventTypes = readEventTypes(eventTypes)
  if (filterAgentPda !== undefined) changes.filterAgentPda = readFilter(filterAgentPda)
  if (typeof active === 'boolean') changes.active = active
  return active === true ? { ...changes, ...HEALTHY } : changes
}

/**
 * Replaces the secret at once: later attempts, retries included, use it. Throws WEBHOOK_NOT_FOUND.
 */
export async function rotateSecret(
  em: EntityManager,
  wallet: Pubkey,
  id: string,
  { secretBox }: SubscriptionOptions,
): Promise<{ secret: string }> {
  const secret = newSecret()
  await updateOwn(em, wallet, id, { secretEncrypted: secretBox.seal(id, secret) })
  return { secret }
}

/** Deletes a webhook. Its row stays as long as its delivery log. Throws WEBHOOK_NOT_FOUND. */
export async function deleteSubscription(
  em: EntityManager,
  wallet: Pubkey,
  id: string,
): Promise<{ deleted: true }> {
  await em.transactional(async (transaction) => {
    await updateOwn(transaction, wallet, id, { active: false, deletedAt: raw('now()') })
    await cancelWaiting(transaction.getKysely(), id)
  })
  return { deleted: true }
}

/**
 * Normalizes the URL, so that limits count each site once. Throws URL_REQUIRED, RECEIVER_REFUSED.
 */
function readUrl(value: unknown, receiverProblem: ReceiverProblem): { url: string; site: string } {
  if (value === undefined || value === null) throw new DomainError('URL_REQUIRED')
  const problem = textProblem(value) ?? receiverProblem(value as string)
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
