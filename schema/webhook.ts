import { WEBHOOK_EVENT_TYPES } from '../src/domain/webhook-events.ts'
import { MAX_PER_WALLET, type SubscriptionRow } from '../src/webhooks/subscriptions.ts'
import { type Creation, KEEP_HOURS } from '../src/webhooks/webhooks.ts'
import { type ConnectionInput, connectionOfAll } from '../src/domain/connection.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'
import { acceptsNull, args, expected, inputType, limited, required } from './inputs.ts'
import { bool, id, int, list, nullable, objectType, of, pubkey, text, time } from './columns.ts'
import { CONNECTION_ARGS, connectionType } from './connection.ts'
import { EventType } from './event.ts'
import { enumType } from './enum-values.ts'
import { nodeType } from './node.ts'
import { WALLET_POLICY } from './policy.ts'
import { UUID_EXAMPLE } from './relay.ts'

const URL_EXAMPLE = 'https://receiver.example.com/hooks/agents'
const secret = text(
  'Key of the HMAC signatures. For `X-Service-Signature`, use the text as it is, including `whsec_`. Libraries of Standard Webhooks take the same text. It is not shown again.',
  'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g',
)
const eventTypes = (description: string) => ({
  ...list(of(EventType, description)),
  extensions: {
    servicesCheck: true,
    jsonSchema: { examples: [['agent.registered', 'stake.deposited']], minItems: 1 },
  },
})

export const DisabledReason = enumType('WebhookDisabledReason', 'Why the service disabled a webhook.', {
  gone: 'The receiver responded with 410.',
  failing: 'All deliveries failed for 5 days.',
})

export const WebhookRef = nodeType<SubscriptionRow>(
  'Webhook',
  'A subscription of a wallet to events. The secret is returned only by `createWebhook` and `rotateWebhookSecret`.',
  {
    id: id('A UUID.', UUID_EXAMPLE),
    url: text('URL of the receiver.', URL_EXAMPLE),
    eventTypes: list(of(EventType, 'Subscribed event types.')),
    filterAgentPda: nullable(pubkey('Only events of this agent. Null for all agents.')),
    active: bool('Whether events are sent to the receiver.'),
    disabledReason: nullable(of(DisabledReason, 'Why the service disabled the webhook. Null otherwise.')),
    disabledAt: nullable(time('Time at which the service disabled the webhook. Null otherwise.')),
    createdAt: time('Creation time.'),
    updatedAt: time('Time of the owner’s last change.'),
    previousSecretUntil: nullable(
      time(
        'Until then, deliveries are signed with the replaced secret, too. Null or past: only with the current one.',
      ),
    ),
  },
)

const CreationRef = objectType<Creation>('WebhookCreation', 'A new webhook with its secret.', {
  id: text('A UUID.', UUID_EXAMPLE),
  secret,
  message: text('Note about the secret.', 'Store the secret now: it is not shown again.'),
})

const SecretRef = objectType<{ id: string; secret: string }>('WebhookSecret', 'A new secret of a webhook.', {
  secret,
})

// The webhook that a mutation changed, read again only if it is selected.
for (const ref of [CreationRef, SecretRef])
  builder.objectField(ref, 'webhook', (t) =>
    t.field({
      type: WebhookRef,
      description: 'The webhook.',
      resolve: async ({ id: webhookId }, _args, { services, authenticate }) =>
        services.webhooks.get(await authenticate(), webhookId),
    }),
  )

const DeletionRef = objectType<{ id: string; deleted: boolean }>(
  'WebhookDeletion',
  'The result of a deletion.',
  { deleted: bool('Always true. An unknown webhook is an error.') },
)

builder.objectField(DeletionRef, 'deletedId', (t) =>
  // Not `id`: caches would take the deletion for the webhook.
  t.exposeID('id', { description: 'Identifier of the webhook, which caches can remove.' }),
)

const CreateWebhookInput = inputType('CreateWebhookInput', 'A new subscription.', {
  url: expected(
    text(
      'An https URL of a public host, with port 443 or another port that the service allows, without user name and fragment. At most 2,048 characters.',
      URL_EXAMPLE,
    ),
  ),
  eventTypes: expected(eventTypes('At least one of `webhookEventTypes`, without duplicates.')),
  filterAgentPda: acceptsNull(pubkey('Only events of this agent. The agent need not exist yet.')),
})

const UpdateWebhookInput = inputType(
  'UpdateWebhookInput',
  'Changes of a subscription. Absent fields stay unchanged.',
  {
    url: text('An https URL of a public host. A new URL cancels all waiting deliveries.', URL_EXAMPLE),
    eventTypes: eventTypes('Replaces the event types.'),
    filterAgentPda: acceptsNull(pubkey('Only events of this agent. Null removes the filter.')),
    active: bool('False cancels all waiting deliveries. True resets the failure record.'),
  },
)

export const NEEDS_WEBHOOK = { ...WALLET_POLICY, errors: ['WEBHOOK_NOT_FOUND'] } as const

export const WEBHOOK_ARG = { id: required(text('Identifier of the webhook.', UUID_EXAMPLE)) }

const keepPreviousHours = limited(
  int(
    `How long the replaced secret stays valid, in hours: ${KEEP_HOURS.min} to ${KEEP_HOURS.max}. Default: ${KEEP_HOURS.default}. Only the last replaced secret is kept.`,
    24,
  ),
  { minimum: KEEP_HOURS.min, maximum: KEEP_HOURS.max },
)

const WebhookPageRef = builder.objectRef<readonly SubscriptionRow[]>('WebhookPage').implement({
  description: 'All webhooks of a wallet.',
  fields: (t) => ({
    webhooks: t.field({
      type: [WebhookRef],
      description: 'The webhooks, oldest first.',
      resolve: (rows) => [...rows],
    }),
  }),
})

export const WebhookConnectionRef = connectionType('Webhook', WebhookRef, { countUnits: () => 0 })
export const webhookPage = (rows: readonly SubscriptionRow[], page: ConnectionInput) =>
  connectionOfAll('webhooks', rows, page, ({ id }) => id)

builder.objectField(WebhookRef, 'agent', (t) =>
  t.field({
    type: AgentRef,
    nullable: true,
    description: 'The agent of `filterAgentPda`. Null without a filter, or if the agent does not exist.',
    resolve: ({ filterAgentPda }, _args, { loaders }) =>
      filterAgentPda === null ? null : loaders.agentByPda.load(filterAgentPda),
  }),
)

builder.queryFields((t) => ({
  webhookEventTypes: t.field({
    type: [EventType],
    description: 'The event types that a webhook can subscribe to.',
    resolve: () => [...WEBHOOK_EVENT_TYPES],
  }),
  webhook: t.field({
    extensions: NEEDS_WEBHOOK,
    type: WebhookRef,
    nullable: true,
    description: 'Returns one webhook of the signing wallet.',
    args: args(WEBHOOK_ARG),
    resolve: async (_, { id }, { services, authenticate }) => services.webhooks.get(await authenticate(), id),
  }),
  webhooks: t.field({
    extensions: { ...WALLET_POLICY, listSize: MAX_PER_WALLET, errors: ['INVALID_CURSOR'] },
    type: WebhookConnectionRef,
    description: 'Lists the webhooks of the signing wallet, oldest first. At most 20.',
    args: args(CONNECTION_ARGS),
    resolve: async (_, page, { services, authenticate }) =>
      webhookPage(await services.webhooks.list(await authenticate()), page),
  }),
  webhooksPage: t.field({
    extensions: WALLET_POLICY,
    type: WebhookPageRef,
    description: 'The webhooks of `webhooks`, all at once.',
    resolve: async (_, _args, { services, authenticate }) => services.webhooks.list(await authenticate()),
  }),
}))

builder.mutationFields((t) => ({
  createWebhook: t.field({
    extensions: {
      ...WALLET_POLICY,
      errors: [
        'EVENT_TYPES_REQUIRED',
        'URL_REQUIRED',
        'RECEIVER_REFUSED',
        'EVENT_TYPES_EMPTY',
        'EVENT_TYPE_REPEATED',
        'TOO_MANY_WEBHOOKS',
        'WEBHOOK_CLIENT_LIMIT',
      ],
    },
    type: CreationRef,
    description: 'Creates a webhook of the signing wallet.',
    args: args({ input: required(of(CreateWebhookInput, 'The new subscription.')) }),
    resolve: async (_, { input }, { services, authenticate, clientIp }) =>
      services.webhooks.create(await authenticate(), clientIp, input),
  }),
  updateWebhook: t.field({
    extensions: {
      ...WALLET_POLICY,
      errors: ['RECEIVER_REFUSED', 'EVENT_TYPES_EMPTY', 'EVENT_TYPE_REPEATED', 'WEBHOOK_NOT_FOUND'],
    },
    type: WebhookRef,
    description: 'Changes a webhook.',
    args: args({ ...WEBHOOK_ARG, input: required(of(UpdateWebhookInput, 'The changes.')) }),
    resolve: async (_, { id, input }, { services, authenticate }) =>
      services.webhooks.update(await authenticate(), id, input),
  }),
  deleteWebhook: t.field({
    extensions: NEEDS_WEBHOOK,
    type: DeletionRef,
    description: 'Deletes a webhook. One of another wallet is not found.',
    args: args(WEBHOOK_ARG),
    resolve: async (_, { id }, { services, authenticate }) => ({
      id,
      ...(await services.webhooks.delete(await authenticate(), id)),
    }),
  }),
  rotateWebhookSecret: t.field({
    extensions: NEEDS_WEBHOOK,
    type: SecretRef,
    description:
      'Replaces the secret at once. All later attempts, including retries, are signed with the new secret. With `keepPreviousHours`, the replaced secret stays valid for that time: `webhook-signature` has the signatures of both, and `X-Service-Signature` that of the replaced one. A receiver that accepts both secrets refuses no delivery.',
    args: args({ ...WEBHOOK_ARG, keepPreviousHours }),
    resolve: async (_, { id, keepPreviousHours: hours }, { services, authenticate }) => ({
      id,
      ...(await services.webhooks.rotateSecret(await authenticate(), id, hours)),
    }),
  }),
}))
