import { WEBHOOK_EVENT_TYPES } from '../../src/domain/webhook-events.ts'
import { eventName } from '../../schema/event-names.ts'
import { UUID_EXAMPLE as ID } from '../../schema/relay.ts'
import { DateTime, integer, type Json, named, object, Pubkey, text } from '../contract/shapes.ts'
import { EVENT_SCHEMAS } from './event-schemas.ts'

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const HEADERS = [
  header(
    'X-Service-Signature',
    'HMAC-SHA256 of `<timestamp>.<raw body>` with the secret of the subscription, as lower-case hex.',
    '5d41402abc4b2a76b9719d911017c592ae3f1c1ea7d9d2f3a0a1c0c2c7d2f1b0',
  ),
  header('X-Service-Timestamp', 'Unix time of this attempt, in seconds.', '1795184526'),
  header('webhook-id', 'Id of the event, as in Standard Webhooks.', 'evt_7YbmGZ1qkWGDW5o4mhHQnS'),
  header('webhook-timestamp', 'The same time as in X-Service-Timestamp.', '1795184526'),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `<id>.<timestamp>.<raw body>`, as in Standard Webhooks.',
    'v1,XUEEKrxLKnatd52b2ZVfkuA8HH6tnS86ChwNLH0vGw0=',
  ),
  header('X-Service-Event', 'The event type. It is not signed: use `type` of the body.', 'agent.registered'),
  header('X-Service-Delivery', 'Id of the delivery. It is the same in every attempt.', ID),
  header('X-Service-Attempt', 'Number of the attempt, from 1.', '1'),
]

const RESPONSES = {
  '2XX': { description: 'Received. Every status from 200 to 299 counts.' },
  '410': { description: 'The receiver is gone. The service disables the subscription.' },
}

function webhook(type: string, when: string, pda: Json, data: Json) {
  const name = eventName(type)
  const payload = object(
    {
      id: text('Id of the event. It is the same in every delivery.', 'evt_7YbmGZ1qkWGDW5o4mhHQnS'),
      type: { type: 'string', const: type, description: 'The event type.' },
      pda,
      slot: integer('Slot of the transaction.', 312_004_551),
      timestamp: { ...DateTime, description: 'Time of the event on the ledger.' },
      data,
    },
    { description: when },
  )
  return {
    post: {
      operationId: `on${name}`,
      tags: ['Events'],
      summary: name.replaceAll(/(?<!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
      description: when,
      security: [],
      parameters: HEADERS,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: named(`${name}Event`, payload) } },
      },
      responses: RESPONSES,
    },
  }
}

const agentPda = { ...Pubkey, description: 'Account address of the agent.' }
const filterPda = {
  ...Pubkey,
  description: 'The agent filter of the subscription, or null.',
  type: ['string', 'null'],
  examples: [null],
}

/**
 * The requests that the service sends to receivers: one for each event type, and the test event.
 */
export function webhooksSection() {
  const events = WEBHOOK_EVENT_TYPES.map((type) => {
    const { when, data } = EVENT_SCHEMAS[type]
    return [type, webhook(type, when, agentPda, data)] as const
  })
  const ping = webhook(
    'ping',
    'A test event, sent by POST /webhooks/{id}/ping. A subscription cannot name it.',
    filterPda,
    object({ webhookId: text('Id of the subscription.', ID) }),
  )
  return Object.fromEntries([...events, ['ping', ping]])
}
