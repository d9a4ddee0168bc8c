import type { Pubkey } from '@agent-registry/solana'
import { offsetUnits, pageBounds } from '../src/domain/page.ts'
import {
  type AttemptRecord,
  ATTEMPTS_SHOWN,
  type DeliveryFigures,
  type DeliveryRecord,
  FIGURE_HOURS,
  MAX_FIGURED,
  MAX_FILTERED,
} from '../src/webhooks/deliveries.ts'
import type { RecoverResult } from '../src/webhooks/requests.ts'
import { pageSize } from '../src/domain/connection.ts'
import { EventType } from './event.ts'
import { builder } from './builder.ts'
import { WALLET_POLICY } from './policy.ts'
import { args, expected, inputType, limited, required } from './inputs.ts'
import { bool, id, int, list, nullable, objectType, of, pubkey, text, time } from './columns.ts'
import { enumType } from './enum-values.ts'
import { UUID_EXAMPLE } from './relay.ts'
import { NEEDS_WEBHOOK, WEBHOOK_ARG, WebhookRef } from './webhook.ts'
import { nodeType } from './node.ts'
import { VALUES_PER_UNIT } from './limits.ts'
import { WHEN } from './event.ts'
import { CONNECTION_ARGS, connectionType } from './connection.ts'
import { PAGE_ARGS, pageType } from './page.ts'
import { fieldsBelow } from './selection-size.ts'

const DeliveryStatusRef = enumType('WebhookDeliveryStatus', 'Status of a delivery.', {
  pending: 'It waits for its first attempt.',
  in_flight: 'An attempt is running.',
  success: 'The receiver responded with 2xx.',
  retrying: 'An attempt failed. It waits for the next attempt.',
  failed: 'All attempts failed.',
  cancelled: 'The webhook was disabled or deleted, its URL changed, or a fork removed the event.',
})

const DeliveryTriggerRef = enumType('WebhookDeliveryTrigger', 'The reason for an attempt.', {
  event: 'The first attempt for the event.',
  retry: 'A retry after a failed attempt.',
  resend: 'The owner requested this delivery again.',
  recover: 'The owner requested the deliveries of a period again.',
  ping: 'The owner requested a test event.',
})

const AttemptOutcomeRef = enumType('WebhookAttemptOutcome', 'Outcome of an attempt.', {
  success: 'The receiver responded with 2xx.',
  failure: 'The receiver responded with another status, or not at all.',
  gone: 'The receiver responded with 410.',
  stale: 'Another worker had taken over the delivery, or a new URL cancelled it.',
  lost: 'The worker stopped several times during the attempt.',
})

const AttemptErrorRef = enumType('WebhookAttemptError', 'Why an attempt got no valid response.', {
  timeout: 'No response in time.',
  dns_error: 'The name of the host was not found.',
  connect_error: 'No connection.',
  tls_error: 'No encrypted connection.',
  reset: 'The connection ended early.',
  ssrf_blocked: 'The address is not allowed.',
  header_overflow: 'The headers of the response are too long.',
  too_large: 'The response is too long.',
  bad_encoding: 'The response cannot be decoded.',
  bad_redirect: 'The redirect cannot be followed.',
  protocol_error: 'The response is invalid.',
  aborted: 'The service stopped during the attempt.',
  worker_lost: 'The worker stopped several times during the attempt.',
})

const AttemptRef = objectType<AttemptRecord>('WebhookAttempt', 'A request to the receiver.', {
  number: int('Number of the attempt, starting at 1.', 1, { minimum: 1 }),
  trigger: of(DeliveryTriggerRef, 'Reason for the attempt.'),
  outcome: of(AttemptOutcomeRef, 'Outcome of the attempt.'),
  startedAt: time('Start time.'),
  durationMs: int('Duration in milliseconds.', 42, { minimum: 0 }),
  responseStatus: nullable(
    int('HTTP status of the response. Null if there was no response; see `errorCode`.', 200),
  ),
  errorCode: nullable(of(AttemptErrorRef, 'Why there was no response. Null if there was one.', 'timeout')),
  responseExcerpt: nullable(
    text('Start of the response body, if it is text. Shorter after three days.', 'ok'),
  ),
  signedHeaders: nullable(
    text(
      'The headers with the time and the signatures of the attempt, one `name: value` a line. Null if the worker was lost, and for attempts of earlier releases.',
      'X-Service-Timestamp: 1795392000\nX-Service-Signature: 5d2c…',
    ),
  ),
  nextAttemptAt: nullable(time('Time at which the next attempt was due. Null if there was none.')),
})

const DeliveryEventType = enumType(
  'WebhookDeliveryEventType',
  'The type of a delivered event, or of a test.',
  { ...WHEN, ping: 'A test event.' },
  'DeliveryEventType',
)

export const DeliveryRef = nodeType<DeliveryRecord>(
  'WebhookDelivery',
  'A delivery of one event to one webhook.',
  {
    id: id('A UUID.', UUID_EXAMPLE),
    eventId: text('The `id` in the body.', 'evt_7YbmGZ1qkWGDW5o4mhHQnS'),
    eventType: of(DeliveryEventType, 'Type of the event.', 'agent.registered'),
    exampleOf: nullable(
      of(
        EventType,
        'The event that a test event is an example of, see `pingWebhook`. Null for a `ping`, for other events, and if the body is not stored any more.',
        'agent.registered',
      ),
    ),
    status: of(DeliveryStatusRef, 'Current status.'),
    attemptCount: int('Number of attempts.', 1, { minimum: 0 }),
    nextAttemptAt: nullable(time('Time at which the next attempt is due. Null if there is none.')),
    createdAt: time('Creation time.'),
    completedAt: nullable(
      time('Time at which the delivery succeeded, finally failed or was cancelled. Null before.'),
    ),
    attempts: list(of(AttemptRef, `The last ${ATTEMPTS_SHOWN} attempts, newest first.`)),
  },
)

const DeliveryPageRef = pageType('WebhookDeliveryPage', 'A page of a webhook’s deliveries, newest first.', {
  deliveries: list(of(DeliveryRef, 'The deliveries of this page.')),
})

/** Figures read the attempts of many deliveries. */
const FIGURES_UNITS = 5
/** A filter by status, type or agent compares up to 10,000 deliveries: 3 ms, by agent up to 25. */
const FILTER_UNITS = 5

const deliveryUnits = ({ filter }: { readonly filter?: unknown }): number => {
  const { statuses, eventTypes, agentPda } = (filter ?? {}) as Record<string, unknown>
  return (statuses ?? eventTypes ?? agentPda ?? null) === null ? 1 : FILTER_UNITS
}

/** A recovery may compare all deliveries of 14 days: 40 ms for 200,000 of them. */
const RECOVER_UNITS = 20

const DeliveryConnectionRef = connectionType('WebhookDelivery', DeliveryRef)

const DeliveryFilter = inputType('WebhookDeliveryFilter', 'Deliveries must match all conditions.', {
  statuses: list(
    of(
      DeliveryStatusRef,
      `Only deliveries with one of these statuses, of the newest ${MAX_FILTERED} of the period.`,
    ),
  ),
  eventTypes: list(
    of(
      DeliveryEventType,
      `Only deliveries of these event types, of the newest ${MAX_FILTERED} of the period.`,
    ),
  ),
  agentPda: pubkey(`Only deliveries of events of this agent, of the newest ${MAX_FILTERED} of the period.`),
  since: text('Only deliveries from this time on, ISO 8601 with a UTC offset.', '2026-11-20T00:00:00Z', {
    format: 'date-time',
  }),
  until: text('Only deliveries before this time, ISO 8601 with a UTC offset.', '2026-11-21T00:00:00Z', {
    format: 'date-time',
  }),
})

const FiguresRef = objectType<DeliveryFigures>('WebhookFigures', 'What a receiver did.', {
  attempts: int('Number of attempts.', 120, { minimum: 0 }),
  succeeded: int('Attempts that the receiver answered with 2xx.', 118, { minimum: 0 }),
  p50Ms: nullable(int('Half of the attempts took at most so many milliseconds. Null without attempts.', 42)),
  p95Ms: nullable(int('95 % of the attempts took at most so many milliseconds. Null without attempts.', 310)),
})

const RecoveryRef = objectType<RecoverResult>('WebhookRecovery', 'The result of a recovery.', {
  recovered: int('Number of deliveries that are due again.', 12),
  more: bool('True if more deliveries match than this call sends. Call again.'),
  last: nullable(
    id(
      'The newest of these deliveries, or null. If `statuses` has SUCCESS, call again with it as `continueAfter` and the same `until`.',
      UUID_EXAMPLE,
    ),
  ),
})

const BODY_WEIGHT = 30

const DELIVERY_ARG = { deliveryId: required(text('Identifier of a delivery of the webhook.', UUID_EXAMPLE)) }

builder.objectField(DeliveryRef, 'webhook', (t) =>
  t.field({
    type: WebhookRef,
    nullable: true,
    description: 'Its webhook. Null if it is deleted.',
    resolve: ({ subscriptionId }, _args, { loaders }) => loaders.webhookById.load(subscriptionId),
  }),
)

builder.objectField(DeliveryRef, 'body', (t) =>
  t.string({
    // A body has about as many characters as so many other values.
    extensions: { weight: BODY_WEIGHT },
    nullable: true,
    description:
      'The exact body of its requests, which is signed. Null if it is not stored any more. After a fork of the ledger, earlier attempts can have had another one.',
    resolve: ({ id: deliveryId }, _args, { loaders }) => loaders.bodyByDelivery.load(deliveryId),
  }),
)

builder.objectField(WebhookRef, 'deliveries', (t) =>
  t.field({
    // Each webhook of a list has a statement of its own.
    extensions: { weight: VALUES_PER_UNIT, errors: ['INVALID_CURSOR'] },
    type: DeliveryConnectionRef,
    description: 'The deliveries of this webhook, newest first. Costs a unit for each webhook.',
    args: args(CONNECTION_ARGS),
    resolve: ({ id, wallet }, page, { services, spend }, info) => {
      spend(pageSize(page) * ATTEMPTS_SHOWN * fieldsBelow(info))
      return services.webhooks.listDeliveriesConnection(wallet as Pubkey, id, page)
    },
  }),
)

builder.objectField(WebhookRef, 'lastDelivery', (t) =>
  t.field({
    type: DeliveryRef,
    nullable: true,
    description: 'The newest delivery of this webhook. Null without deliveries.',
    resolve: ({ id }, _args, { loaders }) => loaders.newestDelivery.load(id),
  }),
)

builder.objectField(WebhookRef, 'figures', (t) =>
  t.field({
    extensions: { weight: FIGURES_UNITS * VALUES_PER_UNIT },
    type: FiguresRef,
    description: `What the receiver did with the attempts of the last hours, of its newest ${MAX_FIGURED} deliveries. Costs ${FIGURES_UNITS} units for each webhook.`,
    args: args({
      hours: limited(
        int(`${FIGURE_HOURS.min} to ${FIGURE_HOURS.max}. Default: ${FIGURE_HOURS.default}.`, 24),
        { minimum: FIGURE_HOURS.min, maximum: FIGURE_HOURS.max },
      ),
    }),
    resolve: ({ id, wallet }, { hours }, { services }) =>
      services.webhooks.figures(wallet as Pubkey, id, hours),
  }),
)

builder.queryFields((t) => ({
  webhookDelivery: t.field({
    extensions: { ...WALLET_POLICY, errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND'] },
    type: DeliveryRef,
    nullable: true,
    description: 'Returns a delivery of a webhook.',
    args: args({ ...WEBHOOK_ARG, ...DELIVERY_ARG }),
    resolve: async (_, { id, deliveryId }, { services, authenticate }) =>
      services.webhooks.getDelivery(await authenticate(), id, deliveryId),
  }),
  webhookDeliveries: t.field({
    extensions: {
      ...WALLET_POLICY,
      units: deliveryUnits,
      errors: ['WEBHOOK_NOT_FOUND', 'INVALID_CURSOR'],
    },
    type: DeliveryConnectionRef,
    nullable: true,
    description: 'Lists the deliveries of a webhook, newest first.',
    args: args({
      ...WEBHOOK_ARG,
      filter: of(DeliveryFilter, 'Default: all deliveries.'),
      ...CONNECTION_ARGS,
    }),
    resolve: async (_, { id, ...page }, { services, authenticate, spend }, info) => {
      const wallet = await authenticate()
      spend(pageSize(page) * ATTEMPTS_SHOWN * fieldsBelow(info))
      return services.webhooks.listDeliveriesConnection(wallet, id, page)
    },
  }),
  webhookDeliveriesPage: t.field({
    extensions: { ...NEEDS_WEBHOOK, units: ({ offset }) => 1 + offsetUnits(offset) },
    type: DeliveryPageRef,
    nullable: true,
    description: 'The deliveries of `webhookDeliveries`, by offset.',
    args: args({ ...WEBHOOK_ARG, ...PAGE_ARGS }),
    resolve: async (_, { id, ...page }, { services, authenticate, spend }, info) => {
      const wallet = await authenticate()
      spend(pageBounds(page).limit * ATTEMPTS_SHOWN * fieldsBelow(info))
      return services.webhooks.listDeliveries(wallet, id, page)
    },
  }),
}))

const RECOVER_ARGS = {
  since: expected(
    text('Start, ISO 8601 with a UTC offset.', '2026-11-20T00:00:00Z', { format: 'date-time' }),
  ),
  until: text(
    'End, which is not included, ISO 8601 with a UTC offset. Default: the current time.',
    '2026-11-21T00:00:00Z',
    {
      format: 'date-time',
    },
  ),
  statuses: list(
    of(DeliveryStatusRef, 'Any of SUCCESS, FAILED and CANCELLED. Default: FAILED and CANCELLED.'),
  ),
  eventTypes: list(of(DeliveryEventType, 'Only deliveries of these event types.')),
  agentPda: pubkey('Only deliveries of events of this agent.'),
  continueAfter: text('Only deliveries after this one: the `last` of the result before.', UUID_EXAMPLE),
}

builder.mutationFields((t) => ({
  pingWebhook: t.field({
    extensions: { ...WALLET_POLICY, errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_INACTIVE'] },
    type: DeliveryRef,
    description: 'Sends a test event, whatever types the webhook is subscribed to. It has one attempt.',
    args: args({
      ...WEBHOOK_ARG,
      exampleOf: of(
        EventType,
        'An example of this event, with made-up values and the member `test`. Default: an event of the type `ping`.',
      ),
    }),
    resolve: async (_, { id, exampleOf }, { services, clientIp, authenticate }) =>
      services.webhooks.ping({ wallet: await authenticate(), clientIp }, id, exampleOf),
  }),
  resendWebhookDelivery: t.field({
    extensions: {
      ...WALLET_POLICY,
      errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'WEBHOOK_INACTIVE', 'EVENT_WITHDRAWN'],
    },
    type: DeliveryRef,
    description:
      'Sends a delivery again at once, whatever its status. It keeps its place in the retry schedule: one that succeeded or had all its attempts gets one more.',
    args: args({ ...WEBHOOK_ARG, ...DELIVERY_ARG }),
    resolve: async (_, { id, deliveryId }, { services, clientIp, authenticate }) =>
      services.webhooks.resend({ wallet: await authenticate(), clientIp }, id, deliveryId),
  }),
  recoverWebhook: t.field({
    extensions: {
      ...WALLET_POLICY,
      units: () => RECOVER_UNITS,
      errors: [
        'FIELD_REQUIRED',
        'RECOVERY_TOO_LONG',
        'WEBHOOK_NOT_FOUND',
        'DELIVERY_NOT_FOUND',
        'WEBHOOK_INACTIVE',
      ],
    },
    type: RecoveryRef,
    description:
      'Sends failed and cancelled deliveries again whose events were enqueued between two times, at most 14 days apart. Takes as many as the rate limit has left, oldest first. With `statuses`, sends also those that succeeded.',
    args: args({ ...WEBHOOK_ARG, ...RECOVER_ARGS }),
    resolve: async (_, { id, ...span }, { services, clientIp, authenticate }) =>
      services.webhooks.recover({ wallet: await authenticate(), clientIp }, id, span),
  }),
}))
