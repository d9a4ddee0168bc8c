import { DISABLED_REASONS } from '../src/domain/webhook-delivery.ts'
import { WEBHOOK_EVENT_TYPES } from '../src/domain/webhook-events.ts'
import { MAX_PER_WALLET } from '../src/webhooks/subscriptions/check-new.ts'
import type { Creation } from '../src/webhooks/subscriptions/create.ts'
import type { SubscriptionRow } from '../src/webhooks/subscriptions/subscription-row.ts'
import { type ConnectionInput, connectionOfAll } from '../src/domain/connection.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'
import { connectionArgs, connectionType } from './connection.ts'
import type { GraphQLContext } from './context.ts'
import { EventType } from './event.ts'
import { NodeRef } from './node.ts'
import { enumValues } from './enum-values.ts'
import { example, requiredExample, WALLET_POLICY } from './policy.ts'
import { UUID_EXAMPLE } from './relay.ts'

const URL_EXAMPLE = 'https://receiver.example.com/hooks/agents'
const SECRET_EXAMPLE = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g'
const secret = {
  ...example(SECRET_EXAMPLE),
  description:
    'Key of the HMAC signatures. For `X-Service-Signature`, use the text as it is, including `whsec_`. Libraries of Standard Webhooks take the same text. It is not shown again.',
}
const EVENT_TYPES = {
  servicesCheck: true,
  jsonSchema: { examples: [['agent.registered', 'stake.deposited']], minItems: 1 },
}

const DisabledReason = builder.enumType('WebhookDisabledReason', {
  description: 'Why the service disabled a webhook.',
  values: enumValues(DISABLED_REASONS, {
    gone: 'The receiver responded with 410.',
    failing: 'All deliveries failed for 5 days.',
  }),
})

export const WebhookRef = builder.objectRef<SubscriptionRow>('Webhook').implement({
  description:
    'A subscription of a wallet to events. The secret is returned only by `createWebhook` and `rotateWebhookSecret`.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { ...example(UUID_EXAMPLE), description: 'A UUID.' }),
    url: t.exposeString('url', { ...example(URL_EXAMPLE), description: 'URL of the receiver.' }),
    eventTypes: t.field({
      type: [EventType],
      description: 'Subscribed event types.',
      resolve: ({ eventTypes: types }) => [...types],
    }),
    filterAgentPda: t.expose('filterAgentPda', {
      type: 'Pubkey',
      nullable: true,
      description: 'Only events of this agent. Null for all agents.',
    }),
    active: t.exposeBoolean('active', { description: 'Whether events are sent to the receiver.' }),
    disabledReason: t.expose('disabledReason', {
      type: DisabledReason,
      nullable: true,
      description: 'Why the service disabled the webhook. Null otherwise.',
    }),
    disabledAt: t.expose('disabledAt', {
      description: 'Time at which the service disabled the webhook. Null otherwise.',
      type: 'DateTime',
      nullable: true,
    }),
    createdAt: t.expose('createdAt', { description: 'Creation time.', type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { description: 'Time of the owner’s last change.', type: 'DateTime' }),
  }),
})

/** The webhook that a mutation changed, read again only if it is selected. */
const changedWebhook = {
  type: WebhookRef,
  description: 'The webhook.',
  resolve: async (
    { id }: { readonly id: string },
    _args: object,
    { services, authenticate }: GraphQLContext,
  ) => services.webhooks.get(await authenticate(), id),
} as const

const CreationRef = builder.objectRef<Creation>('WebhookCreation').implement({
  description: 'A new webhook with its secret.',
  fields: (t) => ({
    webhook: t.field(changedWebhook),
    id: t.exposeString('id', { ...example(UUID_EXAMPLE), description: 'A UUID.' }),
    secret: t.exposeString('secret', secret),
    message: t.exposeString('message', {
      ...example('Store the secret now: it is not shown again.'),
      description: 'Note about the secret.',
    }),
  }),
})

const DeletionRef = builder.objectRef<{ id: string; deleted: boolean }>('WebhookDeletion').implement({
  description: 'The result of a deletion.',
  fields: (t) => ({
    // Not `id`: caches would take the deletion for the webhook.
    deletedId: t.exposeID('id', { description: 'Identifier of the webhook, which caches can remove.' }),
    deleted: t.exposeBoolean('deleted', { description: 'Always true. An unknown webhook is an error.' }),
  }),
})

const SecretRef = builder.objectRef<{ id: string; secret: string }>('WebhookSecret').implement({
  description: 'A new secret of a webhook.',
  fields: (t) => ({
    webhook: t.field(changedWebhook),
    secret: t.exposeString('secret', secret),
  }),
})

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'A new subscription.',
  fields: (t) => ({
    url: t.string({
      ...requiredExample(URL_EXAMPLE),
      description:
        'An https URL of a public host, with port 443 or another port that the service allows, without user name and fragment. At most 2,048 characters.',
    }),
    eventTypes: t.field({
      required: true,
      extensions: { ...EVENT_TYPES, required: true },
      type: [EventType],
      description: 'At least one of `webhookEventTypes`, without duplicates.',
    }),
    filterAgentPda: t.field({
      extensions: { acceptsNull: true },
      type: 'Pubkey',
      description: 'Only events of this agent. The agent need not exist yet.',
    }),
  }),
})

const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'Changes of a subscription. Absent fields stay unchanged.',
  fields: (t) => ({
    url: t.string({
      ...example(URL_EXAMPLE),
      description: 'An https URL of a public host. A new URL cancels all waiting deliveries.',
    }),
    eventTypes: t.field({
      extensions: EVENT_TYPES,
      type: [EventType],
      description: 'Replaces the event types.',
    }),
    filterAgentPda: t.field({
      extensions: { acceptsNull: true },
      type: 'Pubkey',
      description: 'Only events of this agent. Null removes the filter.',
    }),
    active: t.boolean({
      description: 'False cancels all waiting deliveries. True resets the failure record.',
    }),
  }),
})

/** The policy of a field that names a webhook. */
export const NEEDS_WEBHOOK = { ...WALLET_POLICY, errors: ['WEBHOOK_NOT_FOUND'] } as const

const idArg = () =>
  builder.args((t) => ({
    id: t.string({ ...example(UUID_EXAMPLE), required: true, description: 'Identifier of the webhook.' }),
  }))

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
    args: idArg(),
    resolve: async (_, { id }, { services, authenticate }) => services.webhooks.get(await authenticate(), id),
  }),
  webhooks: t.field({
    extensions: { ...WALLET_POLICY, listSize: MAX_PER_WALLET, errors: ['INVALID_CURSOR'] },
    type: WebhookConnectionRef,
    description: 'Lists the webhooks of the signing wallet, oldest first. At most 20.',
    args: connectionArgs(),
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
    args: {
      input: t.arg({ description: 'The new subscription.', type: CreateWebhookInput, required: true }),
    },
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
    args: {
      ...idArg(),
      input: t.arg({ description: 'The changes.', type: UpdateWebhookInput, required: true }),
    },
    resolve: async (_, { id, input }, { services, authenticate }) =>
      services.webhooks.update(await authenticate(), id, input),
  }),
  deleteWebhook: t.field({
    extensions: NEEDS_WEBHOOK,
    type: DeletionRef,
    description: 'Deletes a webhook. One of another wallet is not found.',
    args: idArg(),
    resolve: async (_, { id }, { services, authenticate }) => ({
      id,
      ...(await services.webhooks.delete(await authenticate(), id)),
    }),
  }),
  rotateWebhookSecret: t.field({
    extensions: NEEDS_WEBHOOK,
    type: SecretRef,
    description:
      'Replaces the secret at once. All later attempts, including retries, are signed with the new secret.',
    args: idArg(),
    resolve: async (_, { id }, { services, authenticate }) => ({
      id,
      ...(await services.webhooks.rotateSecret(await authenticate(), id)),
    }),
  }),
}))
