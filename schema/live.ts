import type { LiveEvent } from '../src/live-events/live-event.ts'
import { builder } from './builder.ts'
import { TransactionRef } from './relay.ts'

const RegistryEventRef = builder.objectRef<LiveEvent>('RegistryEvent').implement({
  description: 'An event of the registry, with the content that webhooks are sent.',
  fields: (t) => ({
    id: t.exposeString('id', {
      description: 'The `id` of the webhook body: the same in every stream. To be given as `after`.',
    }),
    type: t.expose('type', { type: 'WebhookEventType', description: 'What happened.' }),
    agentPda: t.expose('agentPda', { type: 'Pubkey', description: 'The agent that it happened to.' }),
    slot: t.expose('slot', { type: 'Float', description: 'The slot of its transaction.' }),
    timestamp: t.expose('timestamp', { type: 'DateTime', description: 'Block time of its transaction.' }),
    data: t.expose('data', {
      type: 'JSON',
      description: 'The `data` of the webhook body, which differs by type.',
    }),
  }),
})

builder.subscriptionFields((t) => ({
  registryEvents: t.field({
    type: RegistryEventRef,
    description:
      'Events in the order in which the service read them from the ledger, at its commitment, without end. After a cut, give the `id` of the last event as `after`: nothing is missed, and nothing comes twice, on any replica. An event that a fork took back is left out from then on, and not withdrawn where it was sent; where the ledger brings it again it comes again, with the same `id`. Errors INVALID_ENUM, INVALID_PUBKEY, EVENT_UNKNOWN, TOO_MANY_STREAMS.',
    args: {
      types: t.arg({ type: ['WebhookEventType'], description: 'Only these; all by default.' }),
      agentPda: t.arg({ type: 'Pubkey', description: 'Only events of this agent.' }),
      after: t.arg.string({
        description: 'Begins after the event of this `id`; with the next one by default.',
      }),
    },
    subscribe: (_, args, { services, clientIp }) => services.liveEvents.registryEvents(args, clientIp),
    resolve: (event) => event,
  }),
  transactionStatus: t.field({
    type: TransactionRef,
    description:
      'A prepared transaction as it is now and at each change. Completes when nothing can change any more: it is finalized, failed for good or expired. Errors TRANSACTION_NOT_FOUND, TOO_MANY_STREAMS.',
    args: { id: t.arg.string({ required: true, description: 'Of prepareTransaction.' }) },
    subscribe: (_, { id }, { services, clientIp }) => services.liveEvents.transactionStatus(id, clientIp),
    resolve: (transaction) => transaction,
  }),
}))
