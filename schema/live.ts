import { pageSize } from '../src/domain/connection.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'
import { args, inputType, limited, required } from './inputs.ts'
import { int, list, objectType, of, pubkey, text, time } from './columns.ts'
import { CONNECTION_ARGS, connectionType } from './connection.ts'
import { EventType, RegistryEventRef } from './event.ts'
import { VALUES_PER_UNIT } from './limits.ts'
import { fieldsBelow } from './selection-size.ts'
import { TransactionRef } from './relay.ts'
import {
  COUNT_HOURS,
  type EventCount,
  MAX_SINGLE_HOURS,
  MINUTES,
} from '../src/webhooks/live/recent-events.ts'

const RegistryEventConnectionRef = connectionType('RegistryEvent', RegistryEventRef, { isCounted: false })

const types = list(of(EventType, 'Only events of these types. Default: all.'))

const EventFilter = inputType('RegistryEventFilter', 'Events must match all conditions.', {
  types,
  agentPda: pubkey('Only events of this agent.'),
})

builder.queryField('registryEvents', (t) =>
  t.field({
    extensions: { errors: ['INVALID_PUBKEY', 'INVALID_CURSOR'] },
    type: RegistryEventConnectionRef,
    description:
      'The events so far, newest first, without those that a fork removed. To continue live, pass the `id` of the first one as `after` to the subscription `registryEvents`.',
    args: args({ ...CONNECTION_ARGS, filter: of(EventFilter, 'Default: all events.') }),
    resolve: (_, { filter, ...page }, { services }) => services.recentEvents.list({ ...filter, ...page }),
  }),
)

builder.queryField('registryEventsPerMinute', (t) =>
  t.field({
    extensions: { listSize: MINUTES },
    type: ['Int'],
    description:
      'The events of each of the last 60 minutes, the oldest minute first, at most five seconds old. With more than 10,000 events, the oldest minutes show too few. For charts.',
    resolve: (_, _args, { services }) => services.recentEvents.perMinute(),
  }),
)

const EventCountRef = objectType<EventCount>('EventCount', 'How many events happened in a period.', {
  from: time('Start of the period. It ends at the start of the next one.'),
  events: int('Number of events.'),
})

builder.queryField('registryEventCounts', (t) =>
  t.field({
    extensions: { listSize: MAX_SINGLE_HOURS },
    type: [EventCountRef],
    description: `The events of the last hours, without those that a fork removed, the oldest period first. With 1 hour, the periods are its minutes, as in \`registryEventsPerMinute\`. With more, they are full hours of UTC, up to the present one, and from ${MAX_SINGLE_HOURS + 1} hours on two hours each. For charts.`,
    args: args({
      hours: limited(int(`${COUNT_HOURS.min} to ${COUNT_HOURS.max}. Default: ${COUNT_HOURS.default}.`, 24), {
        minimum: COUNT_HOURS.min,
        maximum: COUNT_HOURS.max,
      }),
    }),
    resolve: (_, { hours }, { services }) => services.recentEvents.counts(hours),
  }),
)

builder.objectField(AgentRef, 'events', (t) =>
  t.field({
    // Each agent of a list has a statement of its own.
    extensions: { weight: VALUES_PER_UNIT, errors: ['INVALID_CURSOR'] },
    type: RegistryEventConnectionRef,
    description: 'The events of this agent, newest first. Costs a unit for each agent.',
    args: args({ ...CONNECTION_ARGS, types }),
    resolve: ({ pda }, args, { services, spend }, info) => {
      spend(pageSize(args) * fieldsBelow(info))
      return services.recentEvents.list({ ...args, agentPda: pda })
    },
  }),
)

builder.subscriptionFields((t) => ({
  registryEvents: t.field({
    extensions: {
      errors: ['INVALID_PUBKEY', 'EVENT_UNKNOWN', 'TOO_MANY_STREAMS', 'STREAMS_FULL'],
    },
    type: RegistryEventRef,
    description:
      'Streams events in the order in which the service reads them from the ledger, at its commitment. The stream does not end. After a disconnect, pass the `id` of the last event as `after`: the new stream continues without gaps or duplicates, on any replica. If a fork removes an event, later streams omit it; events already sent are not withdrawn. If the event lands again, it is sent again with the same `id`.',
    args: args({
      filter: of(EventFilter, 'Default: all events.'),
      after: text(
        'Continues after the event with this `id`. Default: only new events. Five earlier events cost the units of the operation. If none are left, the stream waits and then continues.',
      ),
    }),
    subscribe: (_, { filter, after }, context) =>
      context.services.liveEvents.registryEvents({ ...filter, after }, context),
    resolve: (event, _args, { startEvent }) => {
      startEvent()
      return event
    },
  }),
  transactionStatus: t.field({
    extensions: { errors: ['TRANSACTION_NOT_FOUND', 'TOO_MANY_STREAMS', 'STREAMS_FULL'] },
    type: TransactionRef,
    description:
      'Streams a prepared transaction: its current state, then each change. Completes when the transaction is finalized, has finally failed or has expired.',
    args: args({ id: required(text('The `id` from `prepareTransaction`.')) }),
    subscribe: (_, { id }, context) => {
      const { liveEvents, transactions } = context.services
      return liveEvents.stream(() => transactions.watch(id), context)
    },
    resolve: (transaction) => transaction,
  }),
}))
