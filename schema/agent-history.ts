import type { AgentStatus as AgentStatusName, Tier as TierName } from '@agent-registry/program'
import type { ObjectFieldBuilder } from '@pothos/core'
import type { HistoryRow } from '../src/registry/agents/agent-history.ts'
import { pageSize } from '../src/domain/connection.ts'
import { offsetUnits } from '../src/domain/page.ts'
import { AgentRef, PDA_ARG } from './agent.ts'
import { builder, type Types } from './builder.ts'
import { args, inputType } from './inputs.ts'
import { bool, list, nullable, of, pubkey, text, time } from './columns.ts'
import { CONNECTION_ARGS, connectionType } from './connection.ts'
import { nodeType } from './node.ts'
import { PAGE_ARGS, pageType } from './page.ts'
import { AgentStatus, HistoryEventType, Tier } from './registry-enums.ts'
import { fieldsBelow } from './selection-size.ts'

/** The digits of the slot at the start of a position. */
const SLOT_DIGITS = 20

type Fields = ObjectFieldBuilder<Types, HistoryRow>

/** A number of a change of reputation, for charts. */
const reputation = (t: Fields, description: string, textOf: (row: HistoryRow) => string) =>
  t.int({
    nullable: true,
    description: `${description} Null unless the reputation changed.`,
    resolve: (row) => (row.eventType === 'reputation_updated' ? Number(textOf(row)) : null),
  })

const tier = (t: Fields, description: string, textOf: (row: HistoryRow) => string) =>
  t.field({
    type: Tier,
    nullable: true,
    description: `${description} Null unless the tier changed.`,
    resolve: (row) => (row.eventType === 'tier_updated' ? (textOf(row) as TierName) : null),
  })

const status = (t: Fields, description: string, textOf: (row: HistoryRow) => string) =>
  t.field({
    type: AgentStatus,
    nullable: true,
    description: `${description} Null unless the status changed.`,
    resolve: (row) => (row.eventType === 'status_changed' ? (textOf(row) as AgentStatusName) : null),
  })

const HistoryEntryRef = nodeType<HistoryRow>(
  'AgentHistoryEntry',
  'A change of an agent, from an event of the registry program.',
  {
    eventType: of(HistoryEventType, 'The kind of change.', 'reputation_updated'),
    agentPda: pubkey('Address of the agent’s account.'),
    oldValue: text(
      'The value before the change, always as text. For a change of metadata, a JSON object with only the changed fields.',
      '250',
    ),
    newValue: text('The value after the change, in the same form as `oldValue`.', '262'),
    delta: nullable(
      text('Signed difference such as `+12` or `-5`. Null unless the reputation changed.', '+12'),
    ),
    timestamp: time('Block time of the change.'),
  },
)

builder.objectFields(HistoryEntryRef, (t) => ({
  id: t.exposeID('eventId', { description: 'Identifier of the entry.' }),
  slot: t.field({
    type: 'SafeInt',
    description: 'Slot of the transaction.',
    resolve: ({ position }) => Number(position.slice(0, SLOT_DIGITS)),
  }),
  signature: t.string({
    nullable: true,
    description: 'Signature of the transaction, base-58. Null if the transaction is not known any more.',
    resolve: ({ eventId }, _args, { loaders }) => loaders.signatureByEvent.load(eventId),
  }),
  oldReputation: reputation(t, 'The score before the change.', ({ oldValue }) => oldValue),
  newReputation: reputation(t, 'The score after the change.', ({ newValue }) => newValue),
  oldTier: tier(t, 'The tier before the change.', ({ oldValue }) => oldValue),
  newTier: tier(t, 'The tier after the change.', ({ newValue }) => newValue),
  oldStatus: status(t, 'The status before the change.', ({ oldValue }) => oldValue),
  newStatus: status(t, 'The status after the change.', ({ newValue }) => newValue),
  reputationDelta: reputation(t, 'The signed difference.', ({ delta }) => delta ?? ''),
}))

const HistoryPageRef = pageType('AgentHistoryPage', 'A page of an agent’s history, newest first.', {
  history: list(of(HistoryEntryRef, 'The entries of this page.')),
})

const HistoryConnectionRef = connectionType('AgentHistory', HistoryEntryRef)

const HistoryFilter = inputType('AgentHistoryFilter', 'Entries must match all conditions.', {
  eventType: of(HistoryEventType, 'Only changes of this kind. Default: all.'),
  orphaned: bool(
    'True lists only the entries that a fork of the ledger removed. They may have been listed and sent to webhooks before.',
  ),
})

const LIST_ARGS = { filter: of(HistoryFilter, 'Default: all entries.') }

builder.objectField(AgentRef, 'history', (t) =>
  t.field({
    // A statement for all agents, but one for each different page.
    extensions: { units: () => 1, errors: ['INVALID_CURSOR'] },
    type: HistoryConnectionRef,
    description: 'The changes of this agent, newest first.',
    args: args({ ...LIST_ARGS, ...CONNECTION_ARGS }),
    resolve: ({ pda }, { filter, ...page }, { loaders, spend }, info) => {
      spend(pageSize(page) * fieldsBelow(info))
      return loaders.historyByAgent({ ...filter, ...page }).load(pda)
    },
  }),
)

builder.queryFields((t) => ({
  agentHistory: t.field({
    type: HistoryConnectionRef,
    nullable: true,
    extensions: { errors: ['AGENT_NOT_FOUND', 'INVALID_CURSOR'] },
    description: 'The changes of an agent, newest first. They stay readable after the agent is closed.',
    args: args({ ...PDA_ARG, ...LIST_ARGS, ...CONNECTION_ARGS }),
    resolve: (_, { pda, filter, ...page }, { services }) =>
      services.agents.historyConnection(pda, { ...filter, ...page }),
  }),
  agentHistoryPage: t.field({
    extensions: {
      units: ({ offset }) => 1 + offsetUnits(offset),
      readsTables: true,
      errors: ['AGENT_NOT_FOUND'],
    },
    type: HistoryPageRef,
    nullable: true,
    description: 'The entries of `agentHistory`, by offset.',
    args: args({ ...PDA_ARG, ...LIST_ARGS, ...PAGE_ARGS }),
    resolve: (_, { pda, filter, ...page }, { services }) =>
      services.agents.history(pda, { ...filter, ...page }),
  }),
}))
