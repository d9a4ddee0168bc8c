import { type Page, pageBounds } from '../src/domain/page.ts'
import { ATTEMPT_OUTCOMES, DELIVERY_STATUSES, DELIVERY_TRIGGERS } from '../src/domain/webhook-delivery.ts'
import {
  type AttemptRecord,
  ATTEMPTS_SHOWN,
  type DeliveryRecord,
} from '../src/webhooks/deliveries/delivery-record.ts'
import type { RecoverResult } from '../src/webhooks/deliveries/recover-deliveries.ts'
import { firstOf } from '../src/domain/connection.ts'
import { builder } from './builder.ts'
import { enumValues } from './enum-values.ts'
import { WALLET_POLICY } from './policy.ts'
import { connectionArgs, connectionType } from './connection.ts'
import { pageArgs, pageFields } from './page.ts'
import { fieldsBelow } from './selection-size.ts'

const DeliveryStatusRef = builder.enumType('WebhookDeliveryStatus', {
  description:
    'pending: to be attempted. in_flight: being attempted. retrying: failed, and waits. failed: every attempt failed. cancelled: the webhook was switched off or deleted, or the ledger took the event back.',
  values: enumValues(DELIVERY_STATUSES, {
    pending: 'To be attempted.',
    in_flight: 'Being attempted.',
    success: 'Answered with 2xx.',
    retrying: 'Failed, and waits.',
    failed: 'Every attempt failed.',
    cancelled: 'The webhook was switched off or deleted, or the ledger took the event back.',
  }),
})

const DeliveryTriggerRef = builder.enumType('WebhookDeliveryTrigger', {
  description: 'Why an attempt was made: the event, a failure before it, or what the owner asked for.',
  values: enumValues(DELIVERY_TRIGGERS, {
    event: 'The event itself.',
    retry: 'A failure before it.',
    resend: 'The owner asked for this delivery.',
    recover: 'The owner asked for those of a time.',
    ping: 'The owner asked for a ping.',
  }),
})

const AttemptOutcomeRef = builder.enumType('WebhookAttemptOutcome', {
  description:
    'gone: answered 410. stale: taken over by another worker meanwhile. lost: workers ended during it.',
  values: enumValues(ATTEMPT_OUTCOMES, {
    success: 'Answered with 2xx.',
    failure: 'Answered with something else, or not at all.',
    gone: 'Answered with 410.',
    stale: 'Taken over by another worker meanwhile.',
    lost: 'Workers ended during it.',
  }),
})

const AttemptRef = builder.objectRef<AttemptRecord>('WebhookAttempt').implement({
  description: 'One request to the receiver.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'From 1.' }),
    trigger: t.expose('trigger', { description: 'Why it was made.', type: DeliveryTriggerRef }),
    outcome: t.expose('outcome', { description: 'What came of it.', type: AttemptOutcomeRef }),
    startedAt: t.expose('startedAt', { description: 'When it began.', type: 'DateTime' }),
    durationMs: t.exposeInt('durationMs', { description: 'Milliseconds from the start to the outcome.' }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'Null where no answer came; errorCode says why.',
    }),
    errorCode: t.exposeString('errorCode', {
      description: 'What kept it from an answer, such as `timeout`; null where one came.',
      nullable: true,
    }),
    responseExcerpt: t.exposeString('responseExcerpt', {
      nullable: true,
      description: 'The beginning of the answer as text.',
    }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      description: 'When the next one was to be; null where none was.',
      type: 'DateTime',
      nullable: true,
    }),
  }),
})

const DeliveryRef = builder.objectRef<DeliveryRecord>('WebhookDelivery').implement({
  description: 'One event on its way to one webhook.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'A UUID.' }),
    eventId: t.exposeString('eventId', { description: 'The `id` of the body that is sent.' }),
    eventType: t.exposeString('eventType', { description: 'One of `webhookEventTypes`, or `ping`.' }),
    status: t.expose('status', { description: 'How far it has come.', type: DeliveryStatusRef }),
    attemptCount: t.exposeInt('attemptCount', { description: 'Attempts so far.' }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      description: 'When it is due; null where it is not.',
      type: 'DateTime',
      nullable: true,
    }),
    createdAt: t.expose('createdAt', { description: 'When it was enqueued.', type: 'DateTime' }),
    completedAt: t.expose('completedAt', {
      description: 'When it came to its end; null before.',
      type: 'DateTime',
      nullable: true,
    }),
    attempts: t.field({
      type: [AttemptRef],
      description: `Newest first, the last ${ATTEMPTS_SHOWN}.`,
      resolve: ({ attempts }) => [...attempts],
    }),
  }),
})

const DeliveryPageRef = builder.objectRef<Page<DeliveryRecord>>('WebhookDeliveryPage').implement({
  description: 'A page of a webhook’s deliveries, newest first.',
  fields: (t) => ({
    ...pageFields(t),
    deliveries: t.expose('rows', { description: 'The deliveries of this page.', type: [DeliveryRef] }),
  }),
})

const DeliveryConnectionRef = connectionType('WebhookDelivery', DeliveryRef)

const RecoveryRef = builder.objectRef<RecoverResult>('WebhookRecovery').implement({
  description: 'How much is sent again.',
  fields: (t) => ({
    recovered: t.exposeInt('recovered', { description: 'How many deliveries are due again.' }),
    more: t.exposeBoolean('more', { description: 'Whether there are more than one call takes: ask again.' }),
  }),
})

builder.queryField('webhookDeliveries', (t) =>
  t.field({
    extensions: WALLET_POLICY,
    type: DeliveryPageRef,
    description: 'The delivery log of a webhook, newest first. Error WEBHOOK_NOT_FOUND.',
    args: { id: t.arg.string({ description: 'Of the webhook.', required: true }), ...pageArgs() },
    resolve: async (_, { id, ...page }, { services, authenticate, spend }, info) => {
      const wallet = await authenticate()
      spend(pageBounds(page).limit * ATTEMPTS_SHOWN * fieldsBelow(info))
      return services.webhooks.listDeliveries(wallet, id, page)
    },
  }),
)

builder.queryField('webhookDeliveriesConnection', (t) =>
  t.field({
    extensions: WALLET_POLICY,
    type: DeliveryConnectionRef,
    description: 'The deliveries of `webhookDeliveries`, walked by cursors. Error WEBHOOK_NOT_FOUND.',
    args: { id: t.arg.string({ required: true, description: 'Of the webhook.' }), ...connectionArgs() },
    resolve: async (_, { id, ...rest }, { services, authenticate, spend }, info) => {
      const wallet = await authenticate()
      spend(firstOf(rest) * ATTEMPTS_SHOWN * fieldsBelow(info))
      return services.webhooks.listDeliveriesConnection(wallet, id, rest)
    },
  }),
)

builder.mutationFields((t) => ({
  pingWebhook: t.field({
    extensions: WALLET_POLICY,
    type: DeliveryRef,
    description:
      'Sends an event of type `ping` to try the receiver. Errors WEBHOOK_NOT_FOUND, WEBHOOK_INACTIVE.',
    args: { id: t.arg.string({ description: 'Of the webhook.', required: true }) },
    resolve: async (_, { id }, { services, authenticate }) =>
      services.webhooks.ping(await authenticate(), id),
  }),
  resendWebhookDelivery: t.field({
    extensions: WALLET_POLICY,
    type: DeliveryRef,
    description:
      'Sends a delivery again at once, whatever came of it. Errors WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND, WEBHOOK_INACTIVE, EVENT_WITHDRAWN.',
    args: {
      id: t.arg.string({ description: 'Of the webhook.', required: true }),
      deliveryId: t.arg.string({ description: 'Of one of its deliveries.', required: true }),
    },
    resolve: async (_, { id, deliveryId }, { services, authenticate }) =>
      services.webhooks.resend(await authenticate(), id, deliveryId),
  }),
  recoverWebhook: t.field({
    extensions: WALLET_POLICY,
    type: RecoveryRef,
    description:
      'Sends again what failed or was cancelled between two times, at most 14 days apart. Errors as of POST /webhooks/:id/recover.',
    args: {
      id: t.arg.string({ description: 'Of the webhook.', required: true }),
      since: t.arg.string({ description: 'Required: ISO 8601 with an offset.' }),
      until: t.arg.string({ description: 'ISO 8601 with an offset; now by default.' }),
    },
    resolve: async (_, { id, ...span }, { services, authenticate }) =>
      services.webhooks.recover(await authenticate(), id, span),
  }),
}))
