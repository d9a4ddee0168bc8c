import type { Context } from '../context.ts'
import type { Operations, WebhookEventType } from '../generated/api.ts'
import type { CallOptions } from '../http/call.ts'
import { listing } from '../pages.ts'

export type Webhook = Operations['updateWebhook']['response']
export type WebhookDelivery = Operations['pingWebhook']['response']
export type NewWebhook = Operations['createWebhook']['body']
export type WebhookUpdate = Operations['updateWebhook']['body']

/** Subscriptions of a wallet. Requests use `wallet`, the session, or the wallet of the registry. */
export function createWebhooks({ call }: Context) {
  return {
    /** Subscribes to events. Only this response and `rotateSecret` contain the secret. */
    create: (webhook: NewWebhook, options?: CallOptions) => call('createWebhook', { body: webhook }, options),
    list: async (options?: CallOptions): Promise<Webhook[]> =>
      (await call('listWebhooks', {}, options)).subscriptions,
    update: (id: string, update: WebhookUpdate, options?: CallOptions): Promise<Webhook> =>
      call('updateWebhook', { path: { id }, body: update }, options),
    delete: (id: string, options?: CallOptions) => call('deleteWebhook', { path: { id } }, options),
    /** The old secret becomes invalid at once. */
    rotateSecret: (id: string, options?: CallOptions) =>
      call('rotateWebhookSecret', { path: { id } }, options),
    /** Sends a test event. */
    ping: (id: string, options?: CallOptions) => call('pingWebhook', { path: { id } }, options),
    /** The delivery log, newest first. */
    deliveries: (id: string, options?: CallOptions) =>
      listing(
        (page) => call('listWebhookDeliveries', { path: { id }, query: page }, options),
        ({ deliveries }) => deliveries,
      ),
    resend: (id: string, deliveryId: string, options?: CallOptions) =>
      call('resendWebhookDelivery', { path: { id, deliveryId } }, options),
    /**
     * Sends failed and cancelled deliveries of a time again. Call it again while `more` is true.
     */
    recover: (id: string, range: Operations['recoverWebhook']['body'], options?: CallOptions) =>
      call('recoverWebhook', { path: { id }, body: range }, options),
    eventTypes: async (): Promise<WebhookEventType[]> =>
      (await call('listWebhookEventTypes', {})).event_types,
  }
}
