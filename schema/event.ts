import type { ObjectFieldBuilder } from '@pothos/core'
import type { GraphQLFieldExtensions } from 'graphql'
import { REPUTATION_RANGE } from '../src/agents/agent-filter.ts'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../src/domain/webhook-events.ts'
import type { LiveEvent } from '../src/live-events/live-event.ts'
import { isDomainError } from '../src/domain/errors.ts'
import { AgentRef } from './agent.ts'
import { builder, type Types } from './builder.ts'
import type { GraphQLContext } from './context.ts'
import { enumValues } from './enum-values.ts'
import { eventTypeName } from './event-names.ts'
import { LEDGER_READ_UNITS, LedgerTransactionRef } from './ledger-transaction.ts'
import { NodeRef } from './node.ts'
import { VALUES_PER_UNIT } from './limits.ts'
import { AgentActivity, AgentStatus, ServiceCategory, Tier } from './registry-enums.ts'
import { example } from './policy.ts'

/** When each event happens. */
export const WHEN: Readonly<Record<WebhookEventType, string>> = {
  'agent.registered': 'A new agent is registered.',
  'agent.updated': 'The metadata of an agent changes.',
  'agent.reputation_updated': 'A report changes the reputation of an agent.',
  'agent.tier_updated': 'A deposit or a withdrawal changes the tier of an agent.',
  'agent.status_changed':
    'An agent becomes active or stops being active. The specific event (suspended, reactivated or deactivated) follows.',
  'agent.suspended': 'An agent is suspended.',
  'agent.reactivated': 'A suspended agent is reactivated.',
  'agent.deactivated': 'An agent is deactivated. This is final.',
  'agent.closed': 'An agent account is closed.',
  'stake.deposited': 'USDC is deposited.',
  'stake.withdrawn': 'A withdrawal is completed.',
  'stake.withdrawal_requested': 'A withdrawal is requested. The tier falls at once.',
  'stake.withdrawal_cancelled': 'A pending withdrawal is cancelled.',
  'stake.closed': 'A stake account is closed.',
}

export const EventType = builder.enumType('WebhookEventType', {
  description: 'The type of an event, which webhooks can subscribe to.',
  extensions: { model: 'WebhookEventType' },
  values: enumValues(WEBHOOK_EVENT_TYPES, WHEN),
})

type Data = Readonly<Record<string, unknown>>
const dataOf = ({ data }: LiveEvent): Data => data as Data

const charged = new WeakMap<GraphQLContext, LiveEvent>()

/** Charges an event of a stream, however many of its objects are selected. */
function chargeOnce(event: LiveEvent, context: GraphQLContext): void {
  if (charged.get(context) === event) return
  context.chargeEvent()
  charged.set(context, event)
}

export const RegistryEventRef = builder.interfaceRef<LiveEvent>('RegistryEvent').implement({
  description:
    'An event of the registry, with the same content as a webhook delivery: there, `agentPda`, `owner` and the fields of its own are in `data`.',
  interfaces: [NodeRef],
  resolveType: ({ type }) => eventTypeName(type),
  fields: (t) => ({
    id: t.exposeID('id', {
      description:
        'The `id` of the webhook body. It is the same in every stream. Pass it as `after` to continue a stream.',
    }),
    type: t.expose('type', { type: EventType, description: 'Event type.' }),
    agentPda: t.expose('agentPda', { type: 'Pubkey', description: 'Account address of the agent, base-58' }),
    owner: t.field({
      type: 'Pubkey',
      description: 'Public key of the owner, base-58',
      resolve: (event) => dataOf(event)['owner'] as string,
    }),
    slot: t.expose('slot', { type: 'SafeInt', description: 'Slot of the transaction.' }),
    timestamp: t.expose('timestamp', { type: 'DateTime', description: 'Block time of the transaction.' }),
    signature: t.exposeString('signature', {
      nullable: true,
      description: 'Signature of the transaction, base-58. Null if the transaction is not known any more.',
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
      resolve: async (event, _args, context) => {
        chargeOnce(event, context)
        const { signature } = event
        if (signature === null) return null
        try {
          return await context.services.relay.onLedger(signature)
        } catch (error) {
          // Nodes forget old transactions.
          if (isDomainError(error, 'TRANSACTION_NOT_FOUND')) return null
          throw error
        }
      },
    }),
  }),
})

type Fields = ObjectFieldBuilder<Types, LiveEvent>
type EnumRef = PothosSchemaTypes.EnumRef<Types, string>
interface Member {
  readonly description: string
  readonly extensions?: GraphQLFieldExtensions<unknown, unknown>
}

/** A member of `data`. */
const text = (t: Fields, name: string, member: Member) =>
  t.string({ ...member, resolve: (event) => dataOf(event)[name] as string })
const integer = (t: Fields, name: string, member: Member) =>
  t.int({ ...member, resolve: (event) => dataOf(event)[name] as number })
const u64 = (t: Fields, name: string, member: Member) =>
  t.field({ ...member, type: 'U64', resolve: (event) => String(dataOf(event)[name]) })
const choice = (t: Fields, type: EnumRef, name: string, member: Member) =>
  t.field({ ...member, type, resolve: (event) => dataOf(event)[name] as never })

const scoreRange = { minimum: REPUTATION_RANGE.min, maximum: REPUTATION_RANGE.max }
const score = (t: Fields, name: string, description: string, shown: number) =>
  integer(t, name, { ...example(shown, scoreRange), description })
const status = (t: Fields) =>
  choice(t, AgentStatus, 'status', { ...example('active'), description: 'New status' })
const byAdmin = (t: Fields) =>
  t.boolean({
    ...example(false),
    description: 'True if the admin of the registry did it, false if the owner did',
    resolve: (event) => dataOf(event)['byAdmin'] as boolean,
  })

const NAME = { ...example('Kestrel Auditor'), description: 'Name of the agent' }
const CATEGORY = { ...example('financial'), description: 'Service category' }
const CAPABILITIES = { ...example(46), description: 'Bit mask, up to 64 bits' }
const VERSION = { ...example('2.3.0'), description: 'Version text; can be empty' }
const CARD_URL = {
  ...example('https://agents.example.org/kestrel-auditor/agent-card.json'),
  description: 'URL of the agent card',
}
const CARD_HASH = { ...example('07'.repeat(32)), description: 'SHA-256 of the agent card, hex' }

interface Change<Value> {
  readonly old: Value
  readonly new: Value
}

const change = { old: { description: 'The value before.' }, new: { description: 'The value after.' } }
const TextChangeRef = builder.objectRef<Change<string>>('TextChange').implement({
  description: 'A change of a text.',
  fields: (t) => ({ old: t.exposeString('old', change.old), new: t.exposeString('new', change.new) }),
})
const U64ChangeRef = builder.objectRef<Change<unknown>>('U64Change').implement({
  description: 'A change of an integer.',
  fields: (t) => ({
    old: t.field({ ...change.old, type: 'U64', resolve: (each) => String(each.old) }),
    new: t.field({ ...change.new, type: 'U64', resolve: (each) => String(each.new) }),
  }),
})
const CategoryChangeRef = builder
  .objectRef<Change<typeof ServiceCategory.$inferType>>('ServiceCategoryChange')
  .implement({
    description: 'A change of a service category.',
    fields: (t) => ({
      old: t.expose('old', { ...change.old, type: ServiceCategory }),
      new: t.expose('new', { ...change.new, type: ServiceCategory }),
    }),
  })

/** The changed members with their old and new values. */
interface MetadataChanges {
  readonly name?: Change<string>
  readonly serviceCategory?: Change<typeof ServiceCategory.$inferType>
  readonly capabilities?: Change<unknown>
  readonly version?: Change<string>
  readonly agentCardUrl?: Change<string>
  readonly agentCardHash?: Change<string>
}

const MetadataChangesRef = builder.objectRef<MetadataChanges>('AgentMetadataChanges').implement({
  description: 'What changed of the metadata of an agent. Null: unchanged.',
  fields: (t) => ({
    name: t.expose('name', { ...NAME, type: TextChangeRef, nullable: true }),
    serviceCategory: t.expose('serviceCategory', { ...CATEGORY, type: CategoryChangeRef, nullable: true }),
    capabilities: t.expose('capabilities', { ...CAPABILITIES, type: U64ChangeRef, nullable: true }),
    version: t.expose('version', { ...VERSION, type: TextChangeRef, nullable: true }),
    agentCardUrl: t.expose('agentCardUrl', { ...CARD_URL, type: TextChangeRef, nullable: true }),
    agentCardHash: t.expose('agentCardHash', { ...CARD_HASH, type: TextChangeRef, nullable: true }),
  }),
})

const movement = (amount: string) => (t: Fields) => ({
  stakePda: t.field({
    type: 'Pubkey',
    description: 'Address of the stake account, base-58',
    resolve: (event) => dataOf(event)['stakePda'] as string,
  }),
  amount: u64(t, 'amount', { ...example(600_000_000), description: amount }),
  depositedAmount: u64(t, 'depositedAmount', {
    ...example(600_000_000),
    description: 'Deposited USDC base units after the event',
  }),
  lockedAmount: u64(t, 'lockedAmount', {
    ...example(0),
    description: 'Locked USDC base units after the event',
  }),
  pendingWithdrawal: u64(t, 'pendingWithdrawal', {
    ...example(0),
    description: 'USDC base units of the open withdrawal after the event, or 0',
  }),
})

/** The fields of each type of event, in addition to those of every event. */
const FIELDS: Readonly<Record<WebhookEventType, (t: Fields) => object>> = {
  'agent.registered': (t) => ({
    name: text(t, 'name', NAME),
    tier: choice(t, Tier, 'tier', { ...example('standard'), description: 'Tier' }),
    status: choice(t, AgentStatus, 'status', { ...example('active'), description: 'Status' }),
    serviceCategory: choice(t, ServiceCategory, 'serviceCategory', CATEGORY),
    reputationScore: score(t, 'reputationScore', '0 to 1000', 250),
    capabilities: u64(t, 'capabilities', CAPABILITIES),
    version: text(t, 'version', VERSION),
    agentCardUrl: text(t, 'agentCardUrl', CARD_URL),
    agentCardHash: text(t, 'agentCardHash', CARD_HASH),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time of the registration, ISO 8601',
      resolve: (event) => dataOf(event)['createdAt'] as string,
    }),
  }),
  'agent.updated': (t) => ({
    changes: t.field({
      type: MetadataChangesRef,
      description:
        'One member for each changed field, with `old` and `new`. Fields: `name`, `serviceCategory`, `capabilities`, `version`, `agentCardUrl`, `agentCardHash`',
      ...example({ version: { old: '2.3.0', new: '2.4.0' } }),
      resolve: (event) => dataOf(event)['changes'] as MetadataChanges,
    }),
  }),
  'agent.reputation_updated': (t) => ({
    previousReputation: score(t, 'previousReputation', 'Score before the report, 0 to 1000', 520),
    newReputation: score(t, 'newReputation', 'Score after the report, 0 to 1000', 610),
    delta: integer(t, 'delta', { ...example(90), description: 'Change of the score; can be negative' }),
    reason: integer(t, 'reason', {
      ...example(1, { minimum: 0, maximum: 255 }),
      description: 'Reason code of the reporter, 0 to 255',
    }),
  }),
  'agent.tier_updated': (t) => ({
    previousTier: choice(t, Tier, 'previousTier', { ...example('observer'), description: 'Tier before' }),
    newTier: choice(t, Tier, 'newTier', { ...example('standard'), description: 'Tier after' }),
    stakeAmount: u64(t, 'stakeAmount', {
      ...example(600_000_000),
      description: 'USDC base units that count for the tier: deposited minus pending',
    }),
  }),
  'agent.status_changed': (t) => ({
    previousStatus: choice(t, AgentActivity, 'previousStatus', {
      ...example('active'),
      description: 'Whether it was active',
    }),
    newStatus: choice(t, AgentActivity, 'newStatus', {
      ...example('inactive'),
      description: 'Whether it is active',
    }),
    status: status(t),
  }),
  'agent.suspended': (t) => ({ status: status(t), byAdmin: byAdmin(t) }),
  'agent.reactivated': (t) => ({ status: status(t), byAdmin: byAdmin(t) }),
  'agent.deactivated': (t) => ({
    status: status(t),
    finalReputation: score(t, 'finalReputation', 'Score at the deactivation, 0 to 1000', 610),
  }),
  'agent.closed': () => ({}),
  'stake.deposited': movement('Deposited USDC base units'),
  'stake.withdrawn': movement('Withdrawn USDC base units'),
  'stake.withdrawal_requested': movement('Requested USDC base units'),
  'stake.withdrawal_cancelled': movement('USDC base units of the cancelled withdrawal'),
  'stake.closed': movement('USDC base units that were left in the vault and went to the owner'),
}

for (const type of WEBHOOK_EVENT_TYPES)
  builder.objectType(builder.objectRef<LiveEvent>(eventTypeName(type)), {
    description: WHEN[type],
    interfaces: [NodeRef, RegistryEventRef],
    fields: FIELDS[type] as never,
  })
