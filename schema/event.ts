import { REPUTATION_RANGE } from '../src/registry/agents/agent-filter.ts'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../src/domain/webhook-events.ts'
import { WEBHOOK_EVENTS } from '../src/ledger/decode/webhook-events.ts'
import type { LiveEvent } from '../src/webhooks/live/live-event.ts'
import { nullFor } from '../src/domain/errors.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'
import {
  bool,
  type Column,
  type Columns,
  fieldsOf,
  id,
  int,
  nullable,
  objectType,
  of,
  pubkey,
  safeInt,
  text,
  time,
  u64,
} from './columns.ts'
import type { GraphQLContext } from './context.ts'
import { enumType, eventTypeName } from './enum-values.ts'
import { LEDGER_READ_UNITS, LedgerTransactionRef } from './ledger.ts'
import { NodeRef } from './node.ts'
import { VALUES_PER_UNIT } from './limits.ts'
import { AgentActivity, AgentStatus, ServiceCategory, Tier } from './registry-enums.ts'

export const WHEN = Object.fromEntries(
  WEBHOOK_EVENT_TYPES.map((type) => [type, WEBHOOK_EVENTS[type].when]),
) as Readonly<Record<WebhookEventType, string>>

export const EventType = enumType(
  'WebhookEventType',
  'The type of an event, which webhooks can subscribe to.',
  WHEN,
  'WebhookEventType',
)

type Data = Readonly<Record<string, unknown>>
const dataOf = ({ data }: LiveEvent): Data => data as Data

const charged = new WeakMap<GraphQLContext, LiveEvent>()

/** Charges an event of a stream, however many of its objects are selected. */
function chargeOnce(event: LiveEvent, context: GraphQLContext): void {
  if (charged.get(context) === event) return
  context.chargeEvent()
  charged.set(context, event)
}

const COMMON: Columns<LiveEvent> = {
  id: id(
    'The `id` of the webhook body. It is the same in every stream. Pass it as `after` to continue a stream.',
  ),
  type: of(EventType, 'Event type.'),
  agentPda: pubkey('Account address of the agent, base-58'),
  agentName: nullable(
    text(
      'Name of the agent as it is now, and in a stream as it was when the service read the event. Null if it is closed. It costs no units, also in a stream.',
    ),
  ),
  slot: safeInt('Slot of the transaction.'),
  timestamp: time('Block time of the transaction.'),
  signature: nullable(
    text('Signature of the transaction, base-58. Null if the transaction is not known any more.'),
  ),
}

export const RegistryEventRef = builder.interfaceRef<LiveEvent>('RegistryEvent').implement({
  description:
    'An event of the registry, with the same content as a webhook delivery: there, `agentPda`, `owner` and the fields of its own are in `data`.',
  interfaces: [NodeRef],
  resolveType: ({ type }) => eventTypeName(type),
  fields: (t) => ({
    ...fieldsOf(t, COMMON),
    owner: t.field({
      type: 'Pubkey',
      description: 'Public key of the owner, base-58',
      resolve: (event) => dataOf(event)['owner'] as string,
    }),
    agent: t.field({
      type: AgentRef,
      nullable: true,
      description:
        'The agent as it is now. Null if it is closed. In a stream, each event with an agent or a transaction costs the units of the operation, and they are null with RATE_LIMITED if none are left.',
      resolve: (event, _args, context) => {
        chargeOnce(event, context)
        return context.services.agents.lookUp(event.agentPda)
      },
    }),
    transaction: t.field({
      type: LedgerTransactionRef,
      nullable: true,
      extensions: { weight: LEDGER_READ_UNITS * VALUES_PER_UNIT, errors: ['LEDGER_UNAVAILABLE'] },
      description: `The transaction on the ledger. Null if it is not known any more. Costs ${LEDGER_READ_UNITS} units for each event.`,
      resolve: (event, _args, context) => {
        chargeOnce(event, context)
        const { signature } = event
        const { transactions } = context.services
        // Nodes forget old transactions.
        return signature === null ? null : nullFor('TRANSACTION_NOT_FOUND', transactions.onLedger(signature))
      },
    }),
  }),
})

type Members = Readonly<Record<string, Column<never>>>

const NAME = ['Name of the agent', 'Kestrel Auditor'] as const
const CATEGORY = ['Service category', 'financial'] as const
const CAPABILITIES = ['Bit mask, up to 64 bits', 46] as const
const VERSION = ['Version text; can be empty', '2.3.0'] as const
const CARD_URL = [
  'URL of the agent card',
  'https://agents.example.org/kestrel-auditor/agent-card.json',
] as const
const CARD_HASH = ['SHA-256 of the agent card, hex', '07'.repeat(32)] as const

interface Change<Value> {
  readonly old: Value
  readonly new: Value
}

const BEFORE = 'The value before.'
const AFTER = 'The value after.'
const TextChangeRef = objectType<Change<string>>('TextChange', 'A change of a text.', {
  old: text(BEFORE),
  new: text(AFTER),
})
const CategoryChangeRef = objectType<Change<typeof ServiceCategory.$inferType>>(
  'ServiceCategoryChange',
  'A change of a service category.',
  { old: of(ServiceCategory, BEFORE), new: of(ServiceCategory, AFTER) },
)
const U64ChangeRef = builder.objectRef<Change<unknown>>('U64Change').implement({
  description: 'A change of an integer.',
  fields: (t) => ({
    old: t.field({ type: 'U64', description: BEFORE, resolve: (each) => String(each.old) }),
    new: t.field({ type: 'U64', description: AFTER, resolve: (each) => String(each.new) }),
  }),
})

type MetadataChanges = {
  readonly [Field in 'name' | 'version' | 'agentCardUrl' | 'agentCardHash']?: Change<string>
} & {
  readonly serviceCategory?: Change<typeof ServiceCategory.$inferType>
  readonly capabilities?: Change<unknown>
}

const MetadataChangesRef = objectType<MetadataChanges>(
  'AgentMetadataChanges',
  'What changed of the metadata of an agent. Null: unchanged.',
  {
    name: nullable(of(TextChangeRef, ...NAME)),
    serviceCategory: nullable(of(CategoryChangeRef, ...CATEGORY)),
    capabilities: nullable(of(U64ChangeRef, ...CAPABILITIES)),
    version: nullable(of(TextChangeRef, ...VERSION)),
    agentCardUrl: nullable(of(TextChangeRef, ...CARD_URL)),
    agentCardHash: nullable(of(TextChangeRef, ...CARD_HASH)),
  },
)

const scoreRange = { minimum: REPUTATION_RANGE.min, maximum: REPUTATION_RANGE.max }
const score = (description: string, shown: number) => int(description, shown, scoreRange)
const status = of(AgentStatus, 'New status', 'active')
const byAdmin = bool('True if the admin of the registry did it, false if the owner did', false)

const movement = (amount: string): Members => ({
  stakePda: pubkey('Address of the stake account, base-58'),
  amount: u64(amount, 600_000_000),
  depositedAmount: u64('Deposited USDC base units after the event', 600_000_000),
  lockedAmount: u64('Locked USDC base units after the event', 0),
  pendingWithdrawal: u64('USDC base units of the open withdrawal after the event, or 0', 0),
})

/** The members of `data` of each type of event, in addition to those of every event. */
const MEMBERS: Readonly<Record<WebhookEventType, Members>> = {
  'agent.registered': {
    name: text(...NAME),
    tier: of(Tier, 'Tier', 'standard'),
    status: of(AgentStatus, 'Status', 'active'),
    serviceCategory: of(ServiceCategory, ...CATEGORY),
    reputationScore: score('0 to 1000', 250),
    capabilities: u64(...CAPABILITIES),
    version: text(...VERSION),
    agentCardUrl: text(...CARD_URL),
    agentCardHash: text(...CARD_HASH),
    createdAt: time('Time of the registration, ISO 8601'),
  },
  'agent.updated': {
    changes: of(
      MetadataChangesRef,
      'One member for each changed field, with `old` and `new`. Fields: `name`, `serviceCategory`, `capabilities`, `version`, `agentCardUrl`, `agentCardHash`',
      { version: { old: '2.3.0', new: '2.4.0' } },
    ),
  },
  'agent.reputation_updated': {
    previousReputation: score('Score before the report, 0 to 1000', 520),
    newReputation: score('Score after the report, 0 to 1000', 610),
    delta: int('Change of the score; can be negative', 90),
    reason: int('Reason code of the reporter, 0 to 255', 1, { minimum: 0, maximum: 255 }),
  },
  'agent.tier_updated': {
    previousTier: of(Tier, 'Tier before', 'observer'),
    newTier: of(Tier, 'Tier after', 'standard'),
    stakeAmount: u64('USDC base units that count for the tier: deposited minus pending', 600_000_000),
  },
  'agent.status_changed': {
    previousStatus: of(AgentActivity, 'Whether it was active', 'active'),
    newStatus: of(AgentActivity, 'Whether it is active', 'inactive'),
    status,
  },
  'agent.suspended': { status, byAdmin },
  'agent.reactivated': { status, byAdmin },
  'agent.deactivated': { status, finalReputation: score('Score at the deactivation, 0 to 1000', 610) },
  'agent.closed': {},
  'stake.deposited': movement('Deposited USDC base units'),
  'stake.withdrawn': movement('Withdrawn USDC base units'),
  'stake.withdrawal_requested': movement('Requested USDC base units'),
  'stake.withdrawal_cancelled': movement('USDC base units of the cancelled withdrawal'),
  'stake.closed': movement('USDC base units that were left in the vault and went to the owner'),
}

/** Shows a member of `data`, where integers of 64 bits are numbers. */
const valueOf = (event: LiveEvent, member: string, { type }: Column<never>): unknown => {
  const { [member]: value } = dataOf(event)
  return type === 'U64' ? String(value) : value
}

for (const type of WEBHOOK_EVENT_TYPES)
  builder.objectType(builder.objectRef<LiveEvent>(eventTypeName(type)), {
    description: WHEN[type],
    interfaces: [NodeRef, RegistryEventRef],
    fields: (t) =>
      Object.fromEntries(
        Object.entries(MEMBERS[type]).map(([member, column]) => [
          member,
          t.field({ ...column, resolve: (event: LiveEvent) => valueOf(event, member, column) } as never),
        ]),
      ),
  })
