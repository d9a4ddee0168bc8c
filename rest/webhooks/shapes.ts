import { Type } from 'typebox'
import {
  ATTEMPT_OUTCOMES,
  DELIVERY_STATUSES,
  DELIVERY_TRIGGERS,
  DISABLED_REASONS,
} from '../../src/domain/webhook-delivery.ts'
import { WEBHOOK_EVENT_TYPES } from '../../src/domain/webhook-events.ts'
import { Choice, named, orNull, Timestamp } from '../contract/shapes.ts'

export const ID = '0f8fad5b-d9cb-469f-a165-70867728950e'
export const URL_EXAMPLE = 'https://receiver.example.com/hooks/agents'

export const WebhookId = Type.String({
  description: 'Id of the subscription, from POST /webhooks.',
  examples: [ID],
})
export const WebhookParams = Type.Object({ id: WebhookId })
export const Secret = Type.String({
  description:
    'Key of the HMAC signatures. For `X-Service-Signature`, use the text as it is, including `whsec_`. Libraries of Standard Webhooks take the same text. It is not shown again.',
  examples: ['whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g'],
})
const EventType = named(
  'WebhookEventType',
  Choice<string>(WEBHOOK_EVENT_TYPES, { description: 'A type of event.' }),
)
const EVENT_TYPES_EXAMPLE = ['agent.registered', 'stake.deposited']
export const EventTypes = (description: string) =>
  Type.Array(EventType, { description, examples: [EVENT_TYPES_EXAMPLE] })
/** The event types in a request. The service checks the names, so here they are any text. */
export const EventTypeNames = (description: string) =>
  Type.Array(Type.Unsafe<string>({ type: 'string', allOf: [EventType] }), {
    description,
    minItems: 1,
    examples: [EVENT_TYPES_EXAMPLE],
  })
const ReceiverUrl = Type.String({
  description:
    'An https URL of a public host, with port 443 or another port that the service allows, without user name and fragment. At most 2,048 characters.',
  examples: [URL_EXAMPLE],
})
const time = (description: string) => orNull(description, '2026-11-21T06:29:22.000Z', 'date-time')

export const Webhook = named(
  'Webhook',
  Type.Object(
    {
      id: WebhookId,
      url: ReceiverUrl,
      event_types: EventTypes('The event types of this subscription.'),
      eventTypes: EventTypes('The same list under its second name.'),
      filter_agent_pda: orNull(
        'Only events of this agent. Null for all agents.',
        'DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs',
      ),
      active: Type.Boolean(),
      disabled_reason: Type.Unsafe<(typeof DISABLED_REASONS)[number] | null>({
        type: ['string', 'null'],
        enum: [...DISABLED_REASONS, null],
        description:
          'Why the service disabled it. `gone`: the receiver responded with 410. `failing`: only failures for 5 days. Null otherwise.',
      }),
      disabled_at: time('When the service disabled it. Null otherwise.'),
      created_at: Timestamp(),
      updated_at: Timestamp(),
    },
    { description: 'A subscription to events.' },
  ),
)

const Attempt = named(
  'DeliveryAttempt',
  Type.Object(
    {
      number: Type.Integer({ minimum: 1, examples: [1] }),
      trigger: Choice(DELIVERY_TRIGGERS, { description: 'The reason for this attempt.' }),
      outcome: Choice(ATTEMPT_OUTCOMES, {
        description:
          '`gone`: the receiver responded with 410. `stale`: another worker had taken over the delivery, or a new `url` cancelled it. `lost`: the worker stopped several times.',
      }),
      started_at: Timestamp(),
      duration_ms: Type.Integer({ minimum: 0, examples: [42] }),
      response_status: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'Null if there was no response.',
        examples: [200],
      }),
      error_code: orNull(
        'Null if there was a response. `timeout`: no response in time. `dns_error`, `connect_error`, `tls_error`: no connection. `reset`: the connection ended early. `ssrf_blocked`: the address is not allowed. `header_overflow`, `too_large`, `protocol_error`: invalid response. `worker_lost`: the worker stopped several times during the attempt.',
        'timeout',
      ),
      response_excerpt: orNull(
        'The start of the response body, if it is text. Shorter after three days.',
        'ok',
      ),
      next_attempt_at: time('When the next attempt was due. Null if there was none.'),
    },
    { description: 'An attempt to deliver an event.' },
  ),
)

export const Delivery = named(
  'Delivery',
  Type.Object(
    {
      id: Type.String({ examples: ['3f2504e0-4f89-41d3-9a0c-0305e82c3301'] }),
      event_id: Type.String({
        description: 'The `id` in the body.',
        examples: ['evt_7YbmGZ1qkWGDW5o4mhHQnS'],
      }),
      event_type: Type.String({
        description: 'One of the event types, or `ping`.',
        examples: ['agent.registered'],
      }),
      status: Choice(DELIVERY_STATUSES, {
        description:
          '`pending`: waits for its first attempt. `in_flight`: an attempt is running. `retrying`: waits for the next attempt. `failed`: all attempts failed. `cancelled`: the webhook was disabled or deleted, or a fork removed the event.',
      }),
      attempt_count: Type.Integer({ minimum: 0, examples: [1] }),
      next_attempt_at: time('When the next attempt is due. Null if there is none.'),
      created_at: Timestamp(),
      completed_at: time('When it succeeded, finally failed or was cancelled. Null before.'),
      attempts: Type.Array(Attempt, { description: 'The last 20 attempts, newest first.' }),
    },
    { description: 'A delivery of one event.' },
  ),
)
