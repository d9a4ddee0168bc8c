import type { Pubkey } from '@agent-registry/solana'
import type { EntityData, InferEntity } from '@mikro-orm/core'
import { raw } from '@mikro-orm/postgresql'
import { type Kysely, sql } from 'kysely'
import type { RowOf } from '../db/columns-of.ts'
import type { Database } from '../db/database.ts'
import { WebhookSubscription } from '../db/entities/webhooks.ts'
import type { EntityManager } from '../db/orm-types.ts'
import { clientNetwork } from '../domain/client-network.ts'
import { DomainError } from '../domain/errors.ts'
import { optional, pubkeyParameter } from '../domain/parameters.ts'
import { isUuid } from '../domain/uuid.ts'
import { cancelBacklog, cancelUnfinished, cancelWaiting } from './cancel.ts'
import { newSecret, type RandomBytes, type SecretBox } from './secret-box.ts'
import { readEventTypes, readUrl, type ReceiverProblem, siteOfUrl } from './subscription-input.ts'

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
] as const

export type SubscriptionRow = Readonly<Pick<RowOf<typeof WebhookSubscription>, (typeof SHOWN)[number]>>

export interface CreateInput {
  /** An https URL. */
  readonly url?: string | null
  readonly eventTypes?: readonly string[] | null
  /** Only events of this agent, which need not exist yet. */
  readonly filterAgentPda?: string | null
}

export interface Creation {
  readonly id: string
  /** Shown only in this response. */
  readonly secret: string
  readonly message: string
}

export interface SubscriptionDependencies {
  readonly em: EntityManager
  readonly secretBox: SecretBox
  readonly receiverProblem: ReceiverProblem
  readonly newId: () => string
  readonly random: RandomBytes
  /** New webhooks of a client network in 24 hours. */
  readonly dailyPerNetwork: number
}

const MESSAGE = 'Store the secret now: it is not shown again. Rotate it if it is lost.'

/**
 * Throws the errors of `readUrl` and `readEventTypes`, INVALID_PUBKEY, TOO_MANY_WEBHOOKS and
 * WEBHOOK_CLIENT_LIMIT.
 */
export async function createSubscription(
  wallet: Pubkey,
  clientIp: string,
  input: CreateInput,
  dependencies: SubscriptionDependencies,
): Promise<Creation> {
  const { em, secretBox, receiverProblem, newId, random, dailyPerNetwork } = dependencies
  const url = readUrl(input.url, receiverProblem)
  const eventTypes = readEventTypes(input.eventTypes)
  const filterAgentPda = optional(pubkeyParameter, 'filterAgentPda', input.filterAgentPda) ?? null
  const network = clientNetwork(clientIp)
  const id = newId()
  const secret = newSecret(random)
  await em.fork().transactional(async (transaction) => {
    await checkNew(transaction.getKysely(), { wallet, network, dailyPerNetwork })
    transaction.create(WebhookSubscription, {
      id,
      wallet,
      network,
      url,
      site: siteOfUrl(url),
      eventTypes,
      filterAgentPda,
      secretEncrypted: secretBox.seal(id, secret),
    })
  })
  return { id, secret, message: MESSAGE }
}

export const MAX_PER_WALLET = 20

interface NewSubscription {
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
async function checkNew(db: Kysely<Database>, subscription: NewSubscription): Promise<void> {
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

/** A wallet's subscriptions, oldest first; there are never more than `MAX_PER_WALLET`. */
export function listSubscriptions(em: EntityManager, wallet: Pubkey): Promise<SubscriptionRow[]> {
  return em
    .fork()
    .find(
      WebhookSubscription,
      { wallet, deletedAt: null },
      { fields: SHOWN, orderBy: { createdAt: 'asc', id: 'asc' } },
    )
}

type SubscriptionChanges = EntityData<InferEntity<typeof WebhookSubscription>>

/** A wallet's own webhook. Throws WEBHOOK_NOT_FOUND if there is none, or if it is deleted. */
export async function getOwn(em: EntityManager, wallet: Pubkey, id: string): Promise<SubscriptionRow> {
  const own = await findOwn(em, wallet, id)
  if (own === null) throw notFound()
  return own
}

/** Null if `getOwn` throws. */
export function findOwn(em: EntityManager, wallet: Pubkey, id: string): Promise<SubscriptionRow | null> {
  return em.findOne(WebhookSubscription, ownedBy(wallet, id), { fields: SHOWN })
}

/** Those of these webhooks that are not deleted. */
export function findSubscriptions(em: EntityManager, ids: readonly string[]): Promise<SubscriptionRow[]> {
  return em.find(WebhookSubscription, { id: { $in: [...ids] }, deletedAt: null }, { fields: SHOWN })
}

/** Changes a wallet's own webhook in one statement. Throws WEBHOOK_NOT_FOUND as `getOwn` does. */
async function updateOwn(
  em: EntityManager,
  wallet: Pubkey,
  id: string,
  changes: SubscriptionChanges,
): Promise<void> {
  const updated = await em.nativeUpdate(WebhookSubscription, ownedBy(wallet, id), {
    ...changes,
    updatedAt: raw('now()'),
  })
  if (updated === 0) throw notFound()
}

function ownedBy(wallet: Pubkey, id: string) {
  if (!isUuid(id)) throw notFound()
  return { id, wallet, deletedAt: null }
}

const notFound = () => new DomainError('WEBHOOK_NOT_FOUND')

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

/** Absent fields stay as they are; so do `url` and `active` if they are null. */
export interface UpdateInput {
  readonly url?: string | null
  /** Replaces the set. */
  readonly eventTypes?: readonly string[] | null
  /** Null removes the filter. */
  readonly filterAgentPda?: string | null
  readonly active?: boolean | null
}

/**
 * Changes a webhook. Disabling it and a new URL cancel its waiting deliveries: nobody can collect
 * deliveries and send them to another receiver at once. Throws WEBHOOK_NOT_FOUND, and the errors of
 * `createSubscription` for the given fields.
 */
export async function updateSubscription(
  wallet: Pubkey,
  id: string,
  input: UpdateInput,
  { em, receiverProblem }: Pick<SubscriptionDependencies, 'em' | 'receiverProblem'>,
): Promise<SubscriptionRow> {
  // The owner is checked before the input, so that nobody else learns what is wrong with it.
  const { url } = await getOwn(em.fork(), wallet, id)
  const changes = readChanges(input, url, receiverProblem)
  const isNewUrl = changes.url !== undefined
  if (isNewUrl) await cancelBacklog(em.getKysely(), id)
  return em.fork().transactional(async (transaction) => {
    if (isNewUrl) await cancelUnfinished(transaction.getKysely(), id)
    await updateOwn(transaction, wallet, id, changes)
    if (input.active === false) await cancelWaiting(transaction.getKysely(), id)
    return transaction.findOneOrFail(WebhookSubscription, id, { fields: SHOWN })
  })
}

function readChanges(
  { url, eventTypes, filterAgentPda, active }: UpdateInput,
  currentUrl: string,
  receiverProblem: ReceiverProblem,
): SubscriptionChanges {
  const givenUrl = url === undefined || url === null ? currentUrl : readUrl(url, receiverProblem)
  const newUrl = givenUrl === currentUrl ? undefined : givenUrl
  return {
    // A new receiver must prove itself fast again.
    ...(newUrl === undefined ? {} : { url: newUrl, site: siteOfUrl(newUrl), responseMs: null }),
    ...(eventTypes === undefined ? {} : { eventTypes: readEventTypes(eventTypes) }),
    ...(filterAgentPda === undefined
      ? {}
      : { filterAgentPda: optional(pubkeyParameter, 'filterAgentPda', filterAgentPda) ?? null }),
    ...(typeof active === 'boolean' ? { active } : {}),
    ...(active === true || newUrl !== undefined ? HEALTHY : {}),
  }
}

/**
 * Replaces the secret at once: later attempts, retries included, use it. Throws WEBHOOK_NOT_FOUND.
 */
export async function rotateSecret(
  wallet: Pubkey,
  id: string,
  { em, secretBox, random }: Pick<SubscriptionDependencies, 'em' | 'secretBox' | 'random'>,
): Promise<{ secret: string }> {
  const secret = newSecret(random)
  await updateOwn(em.fork(), wallet, id, { secretEncrypted: secretBox.seal(id, secret) })
  return { secret }
}

/** Deletes a webhook. Its row stays as long as its delivery log. Throws WEBHOOK_NOT_FOUND. */
export async function deleteSubscription(
  em: EntityManager,
  wallet: Pubkey,
  id: string,
): Promise<{ deleted: true }> {
  await em.fork().transactional(async (transaction) => {
    await updateOwn(transaction, wallet, id, { active: false, deletedAt: raw('now()') })
    await cancelWaiting(transaction.getKysely(), id)
  })
  return { deleted: true }
}
