import type { LiveEvent } from '../src/live-events/live-event.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'
import { connectionArgs, connectionType } from './connection.ts'
import { TransactionRef } from './relay.ts'

/** Writing it takes as long as writing some scalars. */
export const EVENT_DATA_WEIGHT = 5

const RegistryEventRef = builder.objectRef<LiveEvent>('RegistryEvent').implement({
  description: 'An event of the registry, with the same content as a webhook delivery.',
  fields: (t) => ({
    id: t.exposeString('id', {
      description:
        'The `id` of the webhook body. It is the same in every stream. Pass it as `after` to continue a stream.',
    }),
    type: t.expose('type', { type: 'WebhookEventType', description: 'Event type.' }),
    agentPda: t.expose('agentPda', { type: 'Pubkey', description: 'Address of the agent’s account.' }),
    slot: t.expose('slot', { type: 'SafeInt', description: 'Slot of the transaction.' }),
    timestamp: t.expose('timestamp', { type: 'DateTime', description: 'Block time of the transaction.' }),
    signature: t.exposeString('signature', {
      nullable: true,
      description: 'Signature of the transaction, base-58. Null if the transaction is not known any more.',
    }),
    data: t.expose('data', {
      type: 'JSON',
      extensions: { weight: EVENT_DATA_WEIGHT },
      description: 'The `data` of the webhook body. Its members depend on the type.',
    }),
    agent: t.field({
      type: AgentRef,
      nullable: true,
      description:
        'The agent as it is now. Null if it is closed. In a stream, each event with an agent costs the units of the operation, and the agent is null with RATE_LIMITED if none are left.',
      resolve: ({ agentPda }, _args, { services, chargeEvent }) => {
        chargeEvent()
        return services.agents.lookUp(agentPda)
      },
    }),
  }),
})

const RegistryEventConnectionRef = connectionType('RegistryEvent', RegistryEventRef, { isCounted: false })

const filterArgs = () =>
  builder.args((t) => ({
    types: t.field({ type: ['WebhookEventType'], description: 'Only events of these types. Default: all.' }),
    agentPda: t.field({ type: 'Pubkey', description: 'Only events of this agent.' }),
  }))

builder.queryField('registryEventsConnection', (t) =>
  t.field({
    type: RegistryEventConnectionRef,
    description:
      'The events so far, newest first, without those that a fork removed. To continue live, pass the `id` of the first one as `after` to the subscription `registryEvents`. Errors: INVALID_ENUM, INVALID_PUBKEY.',
    args: { ...filterArgs(), ...connectionArgs() },
    resolve: (_, args, { services }) => services.recentEvents.list(args),
  }),
)

builder.subscriptionFields((t) => ({
  registryEvents: t.field({
    type: RegistryEventRef,
    description:
      'Streams events in the order in which the service reads them from the ledger, at its commitment. The stream does not end. After a disconnect, pass the `id` of the last event as `after`: the new stream continues without gaps or duplicates, on any replica. If a fork removes an event, later streams omit it; events already sent are not withdrawn. If the event lands again, it is sent again with the same `id`. Errors: INVALID_ENUM, INVALID_PUBKEY, EVENT_UNKNOWN, TOO_MANY_STREAMS, STREAMS_FULL.',
    args: {
      ...filterArgs(),
      after: t.arg.string({
        description:
          'Continues after the event with this `id`. Default: only new events. Five earlier events cost the units of the operation. If none are left, the stream waits and then continues.',
      }),
    },
    subscribe: (_, args, context) => context.services.liveEvents.registryEvents(args, context),
    resolve: (event, _args, { startEvent }) => {
      startEvent()
      return event
    },
  }),
  transactionStatus: t.field({
    type: TransactionRef,
    description:
      'Streams a prepared transaction: its current state, then each change. Completes when the transaction is finalized, has finally failed or has expired. Errors: TRANSACTION_NOT_FOUND, TOO_MANY_STREAMS, STREAMS_FULL.',
    args: { id: t.arg.string({ required: true, description: 'The `id` from `prepareTransaction`.' }) },
    subscribe: (_, { id }, context) => context.services.liveEvents.transactionStatus(id, context),
    resolve: (transaction) => transaction,
  }),
}))
