import { Type } from 'typebox'
import {
  ATTEMPT_OUTCOMES,
  DELIVERY_STATUSES,
  DELIVERY_TRIGGERS,
  DISABLED_REASONS,
} from '../../src/domain/webhook-delivery.ts'
import { WEBHOOK_EVENT_TYPES } from '../../src/domain/webhook-events.ts'
import { Choice, Timestamp } from '../contract/shapes.ts'

export const ID = '0f8fad5b-d9cb-469f-a165-70867728950e'
export const URL_EXAMPLE = 'https://receiver.example.com/hooks/agents'

export const WebhookId = Type.String({ description: 'Of POST /webhooks.', examples: [ID] })
export const WebhookParams = Type.Object({ id: WebhookId })
export const Secret = Type.String({
  description: 'Keys the signatures of deliveries, as it stands. Not shown again.',
  examples: ['whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'],
})
export const EventTypes = (description: string) =>
  Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...WEBHOOK_EVENT_TYPES] }), {
    description,
    examples: [['agent.registered', 'stake.deposited']],
  })
const ReceiverUrl = Type.String({
  description:
    'https, a public host, port 443 or what the service allows; no user name, no fragment; at most 2,048 characters.',
  examples: [URL_EXAMPLE],
})
export const orNull = (description: string, example: string, format?: string) =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    ...(format === undefined ? {} : { format }),
    description,
    examples: [example],
  })
const time = (description: string) => orNull(description, '2026-11-21T06:29:22.000Z', 'date-time')

export const Webhook = Type.Object({
  id: WebhookId,
  url: ReceiverUrl,
  event_types: EventTypes('What it is told of.'),
  eventTypes: EventTypes('The same under its other name.'),
  filter_agent_pda: orNull('Only events of this agent.', 'DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'),
  active: Type.Boolean(),
  disabled_reason: Type.Unsafe<(typeof DISABLED_REASONS)[number] | null>({
    type: ['string', 'null'],
    enum: [...DISABLED_REASONS, null],
    description:
      'Why the service switched it off: its receiver answered 410, or failed for days. Null otherwise.',
  }),
  disabled_at: time('When the service switched it off.'),
  created_at: Timestamp(),
  updated_at: Timestamp(),
})

const Attempt = Type.Object({
  number: Type.Integer({ minimum: 1, examples: [1] }),
  trigger: Choice(DELIVERY_TRIGGERS, { description: 'Why it was made.' }),
  outcome: Choice(ATTEMPT_OUTCOMES),
  started_at: Timestamp(),
  duration_ms: Type.Integer({ minimum: 0, examples: [42] }),
  response_status: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Null where no answer came.',
    examples: [200],
  }),
  error_code: orNull('Why no answer came.', 'timeout'),
  response_excerpt: orNull('The beginning of the answer as text.', 'ok'),
  next_attempt_at: time('When it was to be tried again.'),
})

export const Delivery = Type.Object({
  id: Type.String({ examples: ['3f2504e0-4f89-41d3-9a0c-0305e82c3301'] }),
  event_id: Type.String({ description: 'The `id` of the body.', examples: ['evt_7YbmGZ1qkWGDW5o4mhHQnS'] }),
  event_type: Type.String({
    description: 'One of the event types, or `ping`.',
    examples: ['agent.registered'],
  }),
  status: Choice(DELIVERY_STATUSES),
  attempt_count: Type.Integer({ minimum: 0, examples: [1] }),
  next_attempt_at: time('When it is tried next; null where it is not.'),
  created_at: Timestamp(),
  completed_at: time('When it succeeded, failed for good or was cancelled.'),
  attempts: Type.Array(Attempt, { description: 'Newest first, the last 20.' }),
})
