import { randomUUID } from 'node:crypto'
import type { Pubkey } from '@agent-registry/solana'
import { raw } from '@mikro-orm/postgresql'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { WebhookSubscription } from '../db/entities/webhooks.ts'
import type { EntityManager } from '../db/orm-types.ts'
import { clientNetwork } from '../domain/client-network.ts'
import { DomainError } from '../domain/errors.ts'
import type { PageInput } from '../domain/page.ts'
import { integerParameter, optional } from '../domain/parameters.ts'
import { isUuid } from '../domain/uuid.ts'
import type { WebhookEventType } from '../domain/webhook-events.ts'
import type { Clock } from '../platform/clock.ts'
import type { GuardedHttp } from '../platform/net/guarded-http.ts'
import { cancelBacklog, cancelUnfinished, cancelWaiting } from './cancel.ts'
import {
  findDelivery,
  listDeliveries,
  listDeliveriesConnection,
  readBodies,
  readNewest,
  readDelivery,
  readFigures,
  type DeliveriesInput,
} from './deliveries.ts'
import {
  type Caller,
  type ExampleEvent,
  pingWebhook,
  recoverDeliveries,
  type RecoverInput,
  resendDelivery,
} from './requests.ts'
import { newSecret, type SecretBox } from './secret-box.ts'
import {
  type CreateInput,
  MAX_PER_WALLET,
  readChanges,
  readCreation,
  SHOWN,
  type SubscriptionChanges,
  type SubscriptionRow,
  type UpdateInput,
} from './subscriptions.ts'

interface WebhookServiceOptions {
  readonly em: EntityManager
  readonly clock: Clock
  readonly secretBox: SecretBox
  /** The client that sends: what it would refuse to call is refused when it is given. */
  readonly http: Pick<GuardedHttp, 'checkUrl'>
  /** New webhooks of a client network in 24 hours. */
  readonly dailyPerNetwork: number
  /** Pings, resends and recovered deliveries per minute. Null for no limit. */
  readonly sendLimit: number | null
  readonly exampleOf: (type: WebhookEventType) => ExampleEvent
}

/** How long a replaced secret signs deliveries, too. */
export const KEEP_HOURS = { min: 0, max: 168, default: 0 } as const
const readKeepHours = integerParameter(KEEP_HOURS)

const MESSAGE = 'Store the secret now: it is not shown again. Rotate it if it is lost.'

export type Creation = Awaited<ReturnType<WebhookService['create']>>

/** The operations of a wallet on its webhooks. All other webhooks are WEBHOOK_NOT_FOUND. */
export class WebhookService {
  readonly #options: WebhookServiceOptions
  readonly #kysely: Kysely<Database>
  readonly #sending

  constructor(options: WebhookServiceOptions) {
    const { em, clock, sendLimit } = options
    this.#options = options
    this.#kysely = em.getKysely()
    this.#sending = { kysely: this.#kysely, clock, sendLimit, newId: randomUUID }
  }

  get #em(): EntityManager {
    return this.#options.em.fork()
  }

  /** Throws the errors of `readCreation`, TOO_MANY_WEBHOOKS and WEBHOOK_CLIENT_LIMIT. */
  async create(wallet: Pubkey, clientIp: string, input: CreateInput) {
    const { secretBox, http, dailyPerNetwork } = this.#options
    const fields = readCreation(input, http)
    const network = clientNetwork(clientIp)
    const [id, secret] = [randomUUID(), newSecret()]
    const secretEncrypted = secretBox.seal(id, secret)
    await this.#em.transactional(async (em) => {
      await checkNew(em.getKysely(), wallet, network, dailyPerNetwork)
      em.create(WebhookSubscription, { id, wallet, network, ...fields, secretEncrypted })
    })
    return { id, secret, message: MESSAGE }
  }

  /** Oldest first; there are never more than `MAX_PER_WALLET`. */
  list(wallet: Pubkey): Promise<SubscriptionRow[]> {
    const orderBy = { createdAt: 'asc', id: 'asc' } as const
    return this.#em.find(WebhookSubscription, { wallet, deletedAt: null }, { fields: SHOWN, orderBy })
  }

  async get(wallet: Pubkey, id: string): Promise<SubscriptionRow> {
    const own = await this.#findOwn(wallet, id)
    if (own === null) throw new DomainError('WEBHOOK_NOT_FOUND')
    return own
  }

  async #findOwn(wallet: Pubkey, id: string): Promise<SubscriptionRow | null> {
    if (!isUuid(id)) return null
    return this.#em.findOne(WebhookSubscription, { id, wallet, deletedAt: null }, { fields: SHOWN })
  }

  /** A webhook or a delivery of the wallet. Null if there is none with this id. */
  async find(wallet: Pubkey, id: string) {
    return (await this.#findOwn(wallet, id)) ?? findDelivery(this.#kysely, wallet, id)
  }

  /** Those of these webhooks that are not deleted, of any wallet. */
  findAll(ids: readonly string[]): Promise<SubscriptionRow[]> {
    return this.#em.find(WebhookSubscription, { id: { $in: [...ids] }, deletedAt: null }, { fields: SHOWN })
  }

  /**
   * Changes a webhook. Disabling it and a new URL cancel its waiting deliveries: nobody can collect
   * deliveries and send them to another receiver at once. Throws the errors of `readChanges`.
   */
  async update(wallet: Pubkey, id: string, input: UpdateInput): Promise<SubscriptionRow> {
    // The owner is checked before the input, so that nobody else learns what is wrong with it.
    const { url } = await this.get(wallet, id)
    const changes = readChanges(input, url, this.#options.http)
    const isNewUrl = changes.url !== undefined
    if (isNewUrl) await cancelBacklog(this.#kysely, id)
    return this.#em.transactional(async (em) => {
      if (isNewUrl) await cancelUnfinished(em.getKysely(), id)
      await updateOwn(em, wallet, id, changes)
      if (input.active === false) await cancelWaiting(em.getKysely(), id)
      return em.findOneOrFail(WebhookSubscription, id, { fields: SHOWN })
    })
  }

  /**
   * Replaces the secret: later attempts, retries included, use it. For `keepHours`, they are signed
   * with the replaced one, too. Throws INVALID_INTEGER.
   */
  async rotateSecret(wallet: Pubkey, id: string, keepHours?: number | null): Promise<{ secret: string }> {
    const hours = optional(readKeepHours, 'keepPreviousHours', keepHours) ?? KEEP_HOURS.default
    const secret = newSecret()
    const previous =
      hours === 0
        ? { previousSecretEncrypted: null, previousSecretUntil: null }
        : {
            previousSecretEncrypted: raw('secret_encrypted'),
            previousSecretUntil: raw(`now() + ? * interval '1 hour'`, [hours]),
          }
    const secretEncrypted = this.#options.secretBox.seal(id, secret)
    await updateOwn(this.#em, wallet, id, { secretEncrypted, ...previous })
    return { secret }
  }

  /** Its row stays as long as its delivery log. */
  async delete(wallet: Pubkey, id: string): Promise<{ deleted: true }> {
    await this.#em.transactional(async (em) => {
      await updateOwn(em, wallet, id, { active: false, deletedAt: raw('now()') })
      await cancelWaiting(em.getKysely(), id)
    })
    return { deleted: true }
  }

  readonly listDeliveries = async (wallet: Pubkey, id: string, page: PageInput) =>
    listDeliveries(this.#kysely, await this.#own(wallet, id), page)
  readonly listDeliveriesConnection = async (wallet: Pubkey, id: string, page: DeliveriesInput) =>
    listDeliveriesConnection(this.#kysely, await this.#own(wallet, id), page)
  readonly getDelivery = async (wallet: Pubkey, id: string, deliveryId: string) =>
    readDelivery(this.#kysely, await this.#own(wallet, id), deliveryId)
  readonly figures = async (wallet: Pubkey, id: string, hours?: number | null) =>
    readFigures(this.#kysely, await this.#own(wallet, id), hours)
  readonly bodies = (deliveryIds: readonly string[]) => readBodies(this.#kysely, deliveryIds)
  readonly newestDeliveries = (ids: readonly string[]) => readNewest(this.#kysely, ids)
  /** `type`: an example of this event in place of a ping. */
  readonly ping = async (caller: Caller, id: string, type?: WebhookEventType | null) => {
    const example = type == null ? null : this.#options.exampleOf(type)
    return pingWebhook(await this.#own(caller.wallet, id), caller, this.#sending, example)
  }
  readonly resend = async (caller: Caller, id: string, deliveryId: string) =>
    resendDelivery(await this.#own(caller.wallet, id), caller, deliveryId, this.#sending)
  readonly recover = async (caller: Caller, id: string, input: RecoverInput) =>
    recoverDeliveries(await this.#own(caller.wallet, id), caller, input, this.#sending)

  async #own(wallet: Pubkey, id: string): Promise<string> {
    return (await this.get(wallet, id)).id
  }
}

/** One statement, because workers change the health of the same row. */
async function updateOwn(em: EntityManager, wallet: Pubkey, id: string, changes: SubscriptionChanges) {
  const own = { id, wallet, deletedAt: null }
  const changed = { ...changes, updatedAt: raw('now()') }
  const updated = isUuid(id) ? await em.nativeUpdate(WebhookSubscription, own, changed) : 0
  if (updated === 0) throw new DomainError('WEBHOOK_NOT_FOUND')
}

/**
 * Allows a wallet one more webhook, and its client network another one today. Locks both until the
 * transaction ends. Throws TOO_MANY_WEBHOOKS and WEBHOOK_CLIENT_LIMIT.
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
