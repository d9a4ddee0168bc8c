import { DISABLED_REASONS } from '../src/domain/webhook-delivery.ts'
import { WEBHOOK_EVENT_TYPES } from '../src/domain/webhook-events.ts'
import type { Creation } from '../src/webhooks/subscriptions/create.ts'
import type { SubscriptionRow } from '../src/webhooks/subscriptions/subscription-row.ts'
import { builder } from './builder.ts'
import { enumValues } from './enum-values.ts'
import { WALLET_POLICY } from './policy.ts'

const DisabledReason = builder.enumType('WebhookDisabledReason', {
  description: 'gone: the receiver answered 410. failing: nothing but failures for days.',
  values: enumValues(DISABLED_REASONS, {
    gone: 'The receiver answered 410.',
    failing: 'Nothing but failures for days.',
  }),
})

const WebhookRef = builder.objectRef<SubscriptionRow>('Webhook').implement({
  description:
    'A wallet’s subscription to events. Its secret is shown when it is made or rotated, and never here.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'A UUID.' }),
    url: t.exposeString('url', { description: 'Where events are posted to.' }),
    eventTypes: t.exposeStringList('eventTypes', { description: 'Some of `webhookEventTypes`.' }),
    filterAgentPda: t.expose('filterAgentPda', {
      type: 'Pubkey',
      nullable: true,
      description: 'Only events of this agent; null for all.',
    }),
    active: t.exposeBoolean('active', { description: 'Whether events are sent to it.' }),
    disabledReason: t.expose('disabledReason', {
      type: DisabledReason,
      nullable: true,
      description: 'Why the service switched it off; null where it did not.',
    }),
    disabledAt: t.expose('disabledAt', {
      description: 'When the service switched it off; null where it did not.',
      type: 'DateTime',
      nullable: true,
    }),
    createdAt: t.expose('createdAt', { description: 'When it was made.', type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { description: 'When its owner last changed it.', type: 'DateTime' }),
  }),
})

const CreationRef = builder.objectRef<Creation>('WebhookCreation').implement({
  description: 'A webhook that was made, with its secret.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'A UUID.' }),
    secret: t.exposeString('secret', { description: 'Keys the signatures of deliveries; shown now only.' }),
    message: t.exposeString('message', { description: 'What to do with the secret, for people.' }),
  }),
})

const DeletionRef = builder.objectRef<{ deleted: boolean }>('WebhookDeletion').implement({
  description: 'Whether a webhook was deleted.',
  fields: (t) => ({
    deleted: t.exposeBoolean('deleted', { description: 'Always true; what is not there is an error.' }),
  }),
})

const SecretRef = builder.objectRef<{ secret: string }>('WebhookSecret').implement({
  description: 'A new secret of a webhook.',
  fields: (t) => ({ secret: t.exposeString('secret', { description: 'Shown now only.' }) }),
})

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'What to be told, and where.',
  fields: (t) => ({
    url: t.string({ description: 'Required: an https URL of a public host.' }),
    eventTypes: t.stringList({ description: 'Required: at least one of `webhookEventTypes`.' }),
    filterAgentPda: t.field({ type: 'Pubkey', description: 'An agent, which need not exist yet.' }),
  }),
})

const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'What is left out stays as it is.',
  fields: (t) => ({
    url: t.string({ description: 'An https URL of a public host.' }),
    eventTypes: t.stringList({ description: 'Replaces the set.' }),
    filterAgentPda: t.field({ type: 'Pubkey', description: 'Null takes the filter away.' }),
    active: t.boolean({
      description: 'False cancels what waits; true starts with a clean record of failures.',
    }),
  }),
})

const idArg = () =>
  builder.args((t) => ({ id: t.string({ required: true, description: 'Of the webhook.' }) }))

builder.queryFields((t) => ({
  webhookEventTypes: t.stringList({
    description: 'The event types that a webhook can subscribe to.',
    resolve: () => [...WEBHOOK_EVENT_TYPES],
  }),
  webhooks: t.field({
    extensions: WALLET_POLICY,
    type: [WebhookRef],
    description: 'The webhooks of the wallet that signed the request, oldest first; at most 20.',
    resolve: async (_, _args, { services, authenticate }) => services.webhooks.list(await authenticate()),
  }),
}))

builder.mutationFields((t) => ({
  createWebhook: t.field({
    extensions: WALLET_POLICY,
    type: CreationRef,
    description: 'Subscribes the wallet that signed the request. Errors as of POST /webhooks.',
    args: {
      input: t.arg({ description: 'What to be told, and where.', type: CreateWebhookInput, required: true }),
    },
    resolve: async (_, { input }, { services, authenticate }) =>
      services.webhooks.create(await authenticate(), input),
  }),
  updateWebhook: t.field({
    extensions: WALLET_POLICY,
    type: WebhookRef,
    description: 'Errors as of PATCH /webhooks/:id.',
    args: {
      ...idArg(),
      input: t.arg({ description: 'What to change.', type: UpdateWebhookInput, required: true }),
    },
    resolve: async (_, { id, input }, { services, authenticate }) =>
      services.webhooks.update(await authenticate(), id, input),
  }),
  deleteWebhook: t.field({
    extensions: WALLET_POLICY,
    type: DeletionRef,
    description: 'Error WEBHOOK_NOT_FOUND, also where it is somebody else’s.',
    args: idArg(),
    resolve: async (_, { id }, { services, authenticate }) =>
      services.webhooks.delete(await authenticate(), id),
  }),
  rotateWebhookSecret: t.field({
    extensions: WALLET_POLICY,
    type: SecretRef,
    description: 'A new secret at once: every attempt from now on is signed with it, retries too.',
    args: idArg(),
    resolve: async (_, { id }, { services, authenticate }) =>
      services.webhooks.rotateSecret(await authenticate(), id),
  }),
}))
