import { AGENT_STATUSES, SERVICE_CATEGORIES, TIERS } from '@agent-registry/program'
import { REPUTATION_RANGE } from '../../src/agents/agent-filter.ts'
import type { WebhookEventType } from '../../src/domain/webhook-events.ts'
import { choice, DateTime, integer, type Json, object, Pubkey, text, u64 } from '../contract/shapes.ts'

export interface EventSchema {
  readonly when: string
  /** The members of `data`. */
  readonly data: Json
}

const subject = {
  agentPda: { ...Pubkey, description: 'Account address of the agent, base-58' },
  owner: { ...Pubkey, description: 'Public key of the owner, base-58' },
}
const score = (description: string, example: number) =>
  integer(description, example, { minimum: REPUTATION_RANGE.min, maximum: REPUTATION_RANGE.max })
const status = choice(AGENT_STATUSES, 'New status: `active`, `suspended` or `deactivated`')
const activity = (description: string, example: 'active' | 'inactive') =>
  choice(['active', 'inactive'], description, example)
const byAdmin = {
  type: 'boolean',
  description: 'True if the admin of the registry did it, false if the owner did',
  examples: [false],
}
const tier = (description: string) => choice(TIERS, description, 'standard')

const metadata = {
  name: text('Name of the agent', 'Kestrel Auditor'),
  serviceCategory: choice(SERVICE_CATEGORIES, 'Category, such as `research` or `dataAnalysis`', 'financial'),
  capabilities: u64('Bit mask, up to 64 bits', 46),
  version: text('Version text; can be empty', '2.3.0'),
  agentCardUrl: text('URL of the agent card', 'https://agents.example.org/kestrel-auditor/agent-card.json'),
  agentCardHash: text(
    'SHA-256 of the agent card, hex',
    '0707070707070707070707070707070707070707070707070707070707070707',
  ),
}
const { name, serviceCategory, capabilities, version, agentCardUrl, agentCardHash } = metadata

const change = (value: Json): Json => object({ old: value, new: value })
const changes = object(
  {
    name: change(name),
    serviceCategory: change(serviceCategory),
    capabilities: change(capabilities),
    version: change(version),
    agentCardUrl: change(agentCardUrl),
    agentCardHash: change(agentCardHash),
  },
  {
    optional: Object.keys(metadata),
    description:
      'One member for each changed field, with `old` and `new`. Fields: `name`, `serviceCategory`, `capabilities`, `version`, `agentCardUrl`, `agentCardHash`',
    examples: [{ version: { old: '2.3.0', new: '2.4.0' } }],
  },
)

const event = (when: string, data: Readonly<Record<string, Json>> = {}): EventSchema => ({
  when,
  data: object({ ...subject, ...data }),
})
const movement = (when: string, amount: string): EventSchema =>
  event(when, {
    stakePda: { ...Pubkey, description: 'Address of the stake account, base-58' },
    amount: u64(amount, 600_000_000),
    depositedAmount: u64('Deposited USDC base units after the event', 600_000_000),
    lockedAmount: u64('Locked USDC base units after the event', 0),
    pendingWithdrawal: u64('USDC base units of the open withdrawal after the event, or 0', 0),
  })

/** What each event type means, and its `data`. Docs and the OpenAPI document are made from it. */
export const EVENT_SCHEMAS: Readonly<Record<WebhookEventType, EventSchema>> = {
  'agent.registered': event('A new agent is registered.', {
    name,
    tier: tier('`observer`, `basic`, `standard` or `premium`'),
    status: choice(AGENT_STATUSES, '`active`', 'active'),
    serviceCategory,
    reputationScore: score('0 to 1000', 250),
    capabilities,
    version,
    agentCardUrl,
    agentCardHash,
    createdAt: { ...DateTime, description: 'Time of the registration, ISO 8601' },
  }),
  'agent.updated': event('The metadata of an agent changes.', { changes }),
  'agent.reputation_updated': event('A report changes the reputation of an agent.', {
    previousReputation: score('Score before the report, 0 to 1000', 520),
    newReputation: score('Score after the report, 0 to 1000', 610),
    delta: integer('Change of the score; can be negative', 90),
    reason: integer('Reason code of the reporter, 0 to 255', 1, { minimum: 0, maximum: 255 }),
  }),
  'agent.tier_updated': event('A deposit or a withdrawal changes the tier of an agent.', {
    previousTier: choice(TIERS, '`observer`, `basic`, `standard` or `premium`', 'observer'),
    newTier: tier('`observer`, `basic`, `standard` or `premium`'),
    stakeAmount: u64('USDC base units that count for the tier: deposited minus pending', 600_000_000),
  }),
  'agent.status_changed': event(
    'An agent becomes active or stops being active. The specific event (suspended, reactivated or deactivated) follows.',
    {
      previousStatus: activity('`active` or `inactive`', 'active'),
      newStatus: activity('`active` or `inactive`', 'inactive'),
      status,
    },
  ),
  'agent.suspended': event('An agent is suspended.', { status, byAdmin }),
  'agent.reactivated': event('A suspended agent is reactivated.', { status, byAdmin }),
  'agent.deactivated': event('An agent is deactivated. This is final.', {
    status,
    finalReputation: score('Score at the deactivation, 0 to 1000', 610),
  }),
  'agent.closed': event('An agent account is closed.'),
  'stake.deposited': movement('USDC is deposited.', 'Deposited USDC base units'),
  'stake.withdrawn': movement('A withdrawal is completed.', 'Withdrawn USDC base units'),
  'stake.withdrawal_requested': movement(
    'A withdrawal is requested. The tier falls at once.',
    'Requested USDC base units',
  ),
  'stake.withdrawal_cancelled': movement(
    'A pending withdrawal is cancelled.',
    'USDC base units of the cancelled withdrawal',
  ),
  'stake.closed': movement(
    'A stake account is closed.',
    'USDC base units that were left in the vault and went to the owner',
  ),
}
