import type { ObjectFieldBuilder } from '@pothos/core'
import type { HistoryRow } from '../src/agents/agent-history.ts'
import { type Page, pageBounds, offsetUnits } from '../src/domain/page.ts'
import { AgentRef } from './agent.ts'
import { example } from './policy.ts'
import { builder, type Types } from './builder.ts'
import { connectionArgs, connectionType } from './connection.ts'
import { fieldsBelow } from './selection-size.ts'
import { pageArgs, pageFields } from './page.ts'
import { HistoryEventType } from './registry-enums.ts'

const HistoryEntryRef = builder.objectRef<HistoryRow>('AgentHistoryEntry')
const HistoryPageRef = builder.objectRef<Page<HistoryRow>>('AgentHistoryPage')

const ORPHANED =
  'True lists only the entries that a fork of the ledger removed. They may have been listed and sent to webhooks before.'

/** The digits of the slot at the start of a position. */
const SLOT_DIGITS = 20

type Fields = ObjectFieldBuilder<Types, HistoryRow>

/** A number of a change of reputation, for charts. */
const reputation = (t: Fields, description: string, textOf: (row: HistoryRow) => string) =>
  t.int({
    nullable: true,
    description: `${description} Null unless \`eventType\` is reputation_updated.`,
    resolve: (row) => (row.eventType === 'reputation_updated' ? Number(textOf(row)) : null),
  })

HistoryEntryRef.implement({
  description: 'A change of an agent, from an event of the registry program.',
  fields: (t) => ({
    eventType: t.expose('eventType', {
      ...example('reputation_updated'),
      description: 'The kind of change.',
      type: HistoryEventType,
    }),
    agentPda: t.expose('agentPda', { description: 'Address of the agent’s account.', type: 'Pubkey' }),
    oldValue: t.exposeString('oldValue', {
      ...example('250'),
      description:
        'The value before the change, always as text. For metadata_updated, a JSON object with only the changed fields.',
    }),
    newValue: t.exposeString('newValue', {
      ...example('262'),
      description: 'The value after the change, in the same form as `oldValue`.',
    }),
    delta: t.exposeString('delta', {
      ...example('+12'),
      nullable: true,
      description: 'Signed difference such as `+12` or `-5`. Null unless `eventType` is reputation_updated.',
    }),
    timestamp: t.expose('timestamp', { description: 'Block time of the change.', type: 'DateTime' }),
    id: t.exposeString('eventId', { description: 'Identifier of the entry.' }),
    slot: t.field({
      type: 'SafeInt',
      description: 'Slot of the transaction.',
      resolve: ({ position }) => Number(position.slice(0, SLOT_DIGITS)),
    }),
    signature: t.string({
      extensions: { tables: 'uncached' },
      nullable: true,
      description: 'Signature of the transaction, base-58. Null if the transaction is not known any more.',
      resolve: ({ eventId }, _args, { loaders }) => loaders.signatureByEvent.load(eventId),
    }),
    oldReputation: reputation(t, 'The score before the change.', ({ oldValue }) => oldValue),
    newReputation: reputation(t, 'The score after the change.', ({ newValue }) => newValue),
    reputationDelta: reputation(t, 'The signed difference.', ({ delta }) => delta ?? ''),
  }),
})

HistoryPageRef.implement({
  description: 'A page of an agent’s history, newest first.',
  fields: (t) => ({
    ...pageFields(t),
    history: t.expose('rows', { description: 'The entries of this page.', type: [HistoryEntryRef] }),
  }),
})

const HistoryConnectionRef = connectionType('AgentHistory', HistoryEntryRef)

builder.objectField(AgentRef, 'history', (t) =>
  t.field({
    extensions: { units: ({ offset }) => offsetUnits(offset), tables: ['history'] },
    type: HistoryPageRef,
    description: 'The changes of this agent, newest first.',
    args: {
      eventType: t.arg({ description: 'Only changes of this kind. Default: all.', type: HistoryEventType }),
      orphaned: t.arg.boolean({ description: ORPHANED }),
      ...pageArgs(),
    },
    resolve: ({ pda }, args, { loaders, spend }, info) => {
      const bounds = pageBounds(args)
      spend(bounds.limit * fieldsBelow(info))
      return loaders.historyByAgent({ ...args, ...bounds }).load(pda)
    },
  }),
)

builder.queryField('agentHistory', (t) =>
  t.field({
    extensions: {
      units: ({ offset }) => 1 + offsetUnits(offset),
      tables: ['agents', 'history'],
      errors: ['AGENT_NOT_FOUND'],
    },
    type: HistoryPageRef,
    nullable: true,
    description: 'The changes of an agent, newest first. They stay readable after the agent is closed.',
    args: {
      pda: t.arg({ description: 'Address of the agent’s account.', type: 'Pubkey', required: true }),
      eventType: t.arg({ description: 'Only changes of this kind. Default: all.', type: HistoryEventType }),
      orphaned: t.arg.boolean({ description: ORPHANED }),
      ...pageArgs(),
    },
    resolve: (_, { pda, ...rest }, { services }) => services.agents.history(pda, rest),
  }),
)

builder.queryField('agentHistoryConnection', (t) =>
  t.field({
    type: HistoryConnectionRef,
    nullable: true,
    extensions: { errors: ['AGENT_NOT_FOUND'] },
    description: 'The entries of `agentHistory` with cursor pagination.',
    args: {
      pda: t.arg({ type: 'Pubkey', required: true, description: 'Address of the agent’s account.' }),
      eventType: t.arg({ type: HistoryEventType, description: 'Only changes of this kind. Default: all.' }),
      orphaned: t.arg.boolean({ description: ORPHANED }),
      ...connectionArgs(),
    },
    resolve: (_, { pda, ...rest }, { services }) => services.agents.historyConnection(pda, rest),
  }),
)
