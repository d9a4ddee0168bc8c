import { Type } from 'typebox'
import { Body, envelope, errors, named, orNull, pageQuery, walletSecurity } from '../contract/shapes.ts'
import {
  Delivery,
  EventTypeNames,
  EventTypes,
  ID,
  Secret,
  URL_EXAMPLE,
  Webhook,
  WebhookId,
  WebhookParams,
} from './shapes.ts'

const tags = ['Webhooks']
const noQuery = Type.Object({})
const notFound = { 404: 'Webhook not found' }
const inactive = { 409: 'Webhook is not active: set active to true first' }
const AGENT = 'DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'

const createBody = Body({
  url: Type.String({
    description: 'The same rules apply as for `url` in a subscription.',
    examples: [URL_EXAMPLE],
  }),
  eventTypes: EventTypeNames('At least one event type, without duplicates.'),
  filterAgentPda: Type.Optional(orNull('Only events of this agent. The agent need not exist yet.', AGENT)),
})

const walletErrors = (
  statuses: (400 | 404 | 409 | 413 | 415)[],
  examples: Parameters<typeof errors>[1] = {},
) => errors([401, ...statuses], { ...notFound, ...examples })

export const eventTypesSchema = {
  operationId: 'listWebhookEventTypes',
  tags,
  summary: 'List the event types',
  description: 'The types that a subscription can name. Each is described under webhooks in this document.',
  querystring: noQuery,
  response: {
    200: named(
      'WebhookEventTypes',
      Type.Object(
        {
          event_types: EventTypes('All event types.'),
          eventTypes: EventTypes('The same list under its second name.'),
        },
        { description: 'The event types.' },
      ),
    ),
    ...errors([400]),
  },
}

export const createSchema = {
  operationId: 'createWebhook',
  tags,
  ...walletSecurity,
  summary: 'Subscribe to events',
  description:
    'A wallet can have 20 subscriptions, and a client network can create 100 in 24 hours. Only this response and the response of a rotation contain the secret.',
  querystring: noQuery,
  body: createBody,
  response: {
    201: named(
      'CreatedWebhook',
      Type.Object(
        {
          id: WebhookId,
          secret: Secret,
          message: Type.String({ examples: ['Store the secret now: it is not shown again.'] }),
        },
        { description: 'The new subscription with its secret.' },
      ),
    ),
    ...walletErrors([400, 409, 413, 415], {
      400: 'eventTypes array is required',
      409: 'A wallet can have at most 20 webhooks',
    }),
  },
}

export const listSchema = {
  operationId: 'listWebhooks',
  tags,
  ...walletSecurity,
  summary: 'List your subscriptions',
  description: 'Oldest first. A wallet has at most 20.',
  querystring: noQuery,
  response: {
    200: named(
      'WebhookList',
      Type.Object(
        { subscriptions: Type.Array(Webhook) },
        { description: 'The subscriptions of the wallet.' },
      ),
    ),
    ...walletErrors([400]),
  },
}

export const updateSchema = {
  operationId: 'updateWebhook',
  tags,
  ...walletSecurity,
  summary: 'Change a subscription',
  description:
    'Absent fields stay unchanged. `active: false` or a new `url` cancels all waiting deliveries, which `recover` can send later. `active: true` or a new `url` resets the failure record.',
  params: WebhookParams,
  querystring: noQuery,
  body: Body({
    url: Type.Optional(Type.String({ examples: [URL_EXAMPLE] })),
    eventTypes: Type.Optional(EventTypeNames('Replaces the event types.')),
    filterAgentPda: Type.Optional(orNull('Null removes the filter.', AGENT)),
    active: Type.Optional(Type.Boolean()),
  }),
  response: {
    200: Webhook,
    ...walletErrors([400, 404, 413, 415], { 400: 'url must use https, got "http://example.com"' }),
  },
}

export const deleteSchema = {
  operationId: 'deleteWebhook',
  tags,
  ...walletSecurity,
  summary: 'Delete a subscription',
  description: 'Cancels its waiting deliveries.',
  params: WebhookParams,
  querystring: noQuery,
  response: {
    200: named(
      'DeletedWebhook',
      Type.Object({ deleted: Type.Boolean() }, { description: 'The subscription was deleted.' }),
    ),
    ...walletErrors([400, 404]),
  },
}

export const rotateSchema = {
  operationId: 'rotateWebhookSecret',
  tags,
  ...walletSecurity,
  summary: 'Replace the secret',
  description:
    'The old secret becomes invalid at once. All later attempts, including retries, are signed with the new secret.',
  params: WebhookParams,
  querystring: noQuery,
  response: {
    200: named('WebhookSecret', Type.Object({ secret: Secret }, { description: 'The new secret.' })),
    ...walletErrors([400, 404]),
  },
}

export const deliveriesSchema = {
  operationId: 'listWebhookDeliveries',
  tags,
  ...walletSecurity,
  summary: 'List the deliveries of a subscription',
  description: 'The delivery log, newest first.',
  params: WebhookParams,
  querystring: Type.Object(pageQuery),
  response: { 200: envelope('deliveries', Delivery), ...walletErrors([400, 404]) },
}

export const pingSchema = {
  operationId: 'pingWebhook',
  tags,
  ...walletSecurity,
  summary: 'Send a test event',
  description:
    'Sends an event of type `ping`. It is signed and logged like any other event, but not retried. Counts in the same rate limit as a recovered delivery.',
  params: WebhookParams,
  querystring: noQuery,
  response: {
    202: Delivery,
    ...walletErrors([400, 404, 409], inactive),
  },
}

export const resendSchema = {
  operationId: 'resendWebhookDelivery',
  tags,
  ...walletSecurity,
  summary: 'Send a delivery again',
  description:
    'Sends the delivery at once, whatever its status. It keeps its place in the retry schedule: one that succeeded or had all its attempts gets one more. Counts in the same rate limit as a recovered delivery.',
  params: Type.Object({
    id: WebhookId,
    deliveryId: Type.String({ description: 'Id of the delivery, from the delivery log.', examples: [ID] }),
  }),
  querystring: noQuery,
  response: {
    202: Delivery,
    ...walletErrors([400, 404, 409], inactive),
  },
}

export const recoverSchema = {
  operationId: 'recoverWebhook',
  tags,
  ...walletSecurity,
  summary: 'Send failed and cancelled deliveries again',
  description:
    'Covers events enqueued between two times, at most 14 days apart. One call sends the oldest deliveries: at most 10,000, and at most as many as the rate limit has left (600 per minute by default, per wallet and per client network). If it has none left, the response is 429 with `Retry-After`. Each delivery keeps its place in the retry schedule: one that had all its attempts gets one more.',
  params: WebhookParams,
  querystring: noQuery,
  body: Body({
    since: Type.String({
      format: 'date-time',
      description: 'Start of the time range.',
      examples: ['2026-11-20T00:00:00Z'],
    }),
    until: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'The current time by default.',
        examples: ['2026-11-21T00:00:00Z'],
      }),
    ),
  }),
  response: {
    202: named(
      'WebhookRecovery',
      Type.Object(
        {
          recovered: Type.Integer({
            description: 'Number of deliveries that are due again.',
            examples: [12],
          }),
          more: Type.Boolean({
            description: 'True if more deliveries match than this call sends. Call again.',
          }),
        },
        { description: 'The deliveries are due again.' },
      ),
    ),
    ...walletErrors([400, 404, 409, 413, 415], inactive),
  },
}
