import type { HistoryRow } from '../src/agents/agent-history.ts'
import { type Page, pageBounds } from '../src/domain/page.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'
import { connectionArgs, connectionType } from './connection.ts'
import { fieldsBelow } from './selection-size.ts'
import { pageArgs, pageFields } from './page.ts'
import { HistoryEventType } from './registry-enums.ts'

const HistoryEntryRef = builder.objectRef<HistoryRow>('AgentHistoryEntry')
const HistoryPageRef = builder.objectRef<Page<HistoryRow>>('AgentHistoryPage')

const ORPHANED =
  'True lists the entries that a fork of the ledger took back, in place of those that count. They had been shown, and perhaps sent, before.'

HistoryEntryRef.implement({
  description: 'One change of an agent, from an event that the registry program logged.',
  fields: (t) => ({
    eventType: t.expose('eventType', { description: 'What changed.', type: HistoryEventType }),
    agentPda: t.expose('agentPda', { description: 'The agent that changed.', type: 'Pubkey' }),
    oldValue: t.exposeString('oldValue', {
      description: 'Text even for numbers; for metadata_updated a JSON object of just the changed fields.',
    }),
    newValue: t.exposeString('newValue', { description: 'In the form of oldValue.' }),
    delta: t.exposeString('delta', {
      nullable: true,
      description: 'Signed like `+12` or `-5`; only of reputation_updated.',
    }),
    timestamp: t.expose('timestamp', { description: 'Block time of the change.', type: 'DateTime' }),
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
    type: HistoryPageRef,
    description: 'What changed about this agent, newest first.',
    args: {
      eventType: t.arg({ description: 'Only these; all by default.', type: HistoryEventType }),
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
    type: HistoryPageRef,
    description:
      'What changed about an agent, newest first; readable after the agent is closed. Error AGENT_NOT_FOUND where neither agent nor history exists.',
    args: {
      pda: t.arg({ description: 'Address of the agent’s account.', type: 'Pubkey', required: true }),
      eventType: t.arg({ description: 'Only these; all by default.', type: HistoryEventType }),
      orphaned: t.arg.boolean({ description: ORPHANED }),
      ...pageArgs(),
    },
    resolve: (_, { pda, ...rest }, { services }) => services.agents.history(pda, rest),
  }),
)

builder.queryField('agentHistoryConnection', (t) =>
  t.field({
    type: HistoryConnectionRef,
    description:
      'The entries of `agentHistory`, walked by cursors. Error AGENT_NOT_FOUND where neither agent nor history exists.',
    args: {
      pda: t.arg({ type: 'Pubkey', required: true, description: 'Address of the agent’s account.' }),
      eventType: t.arg({ type: HistoryEventType, description: 'Only these; all by default.' }),
      orphaned: t.arg.boolean({ description: ORPHANED }),
      ...connectionArgs(),
    },
    resolve: (_, { pda, ...rest }, { services }) => services.agents.historyConnection(pda, rest),
  }),
)
