import type { RegistryEvent } from '@agent-registry/program'
import { pubkey } from '@agent-registry/solana'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../src/domain/webhook-events.ts'
import { jsonText } from '../../src/ledger/decode/values.ts'
import { webhookEvents } from '../../src/ledger/decode/webhook-events.ts'
import { code, codeBlock, page, table } from './markdown.ts'

type Member = readonly [name: string, type: string, meaning: string]

const AGENT = pubkey('EvPATbXEeEPEHvXw63AAtZ4NqgdaVBhU6EmmygtUmwDM')
const OWNER = pubkey('DUDiTws3KgkRMwHsYPojWbYvJS3MeqGN9kR4SnThwXer')
const STAKE = pubkey('3iEWLjPKHS6uYuxfJonR2yirBPPrCRWYpQCupknAUg3y')
const TIME = 1_795_184_526n

const SUBJECT: readonly Member[] = [
  ['agentPda', 'string', 'Account address of the agent, base-58'],
  ['owner', 'string', 'Public key of the owner, base-58'],
]
const STATUS: Member = ['status', 'string', 'New status: `active`, `suspended` or `deactivated`']
const BY_ADMIN: Member = [
  'byAdmin',
  'boolean',
  'True if the admin of the registry did it, false if the owner did',
]
const movement = (amount: string): readonly Member[] => [
  ...SUBJECT,
  ['stakePda', 'string', 'Address of the stake account, base-58'],
  ['amount', 'integer', amount],
  ['depositedAmount', 'integer', 'Deposited USDC base units after the event'],
  ['lockedAmount', 'integer', 'Locked USDC base units after the event'],
  ['pendingWithdrawal', 'integer', 'USDC base units of the open withdrawal after the event, or 0'],
]

const EVENTS: Record<WebhookEventType, { when: string; data: readonly Member[] }> = {
  'agent.registered': {
    when: 'A new agent is registered.',
    data: [
      ...SUBJECT,
      ['name', 'string', 'Name of the agent'],
      ['tier', 'string', '`observer`, `basic`, `standard` or `premium`'],
      ['status', 'string', '`active`'],
      ['serviceCategory', 'string', 'Category, such as `research` or `dataAnalysis`'],
      ['reputationScore', 'integer', '0 to 1000'],
      ['capabilities', 'integer', 'Bit mask, up to 64 bits'],
      ['version', 'string', 'Version text; can be empty'],
      ['agentCardUrl', 'string', 'URL of the agent card'],
      ['agentCardHash', 'string', 'SHA-256 of the agent card, hex'],
      ['createdAt', 'string', 'Time of the registration, ISO 8601'],
    ],
  },
  'agent.updated': {
    when: 'The metadata of an agent changes.',
    data: [
      ...SUBJECT,
      [
        'changes',
        'object',
        'One member for each changed field, with `old` and `new`. Fields: `name`, `serviceCategory`, `capabilities`, `version`, `agentCardUrl`, `agentCardHash`',
      ],
    ],
  },
  'agent.reputation_updated': {
    when: 'A report changes the reputation of an agent.',
    data: [
      ...SUBJECT,
      ['previousReputation', 'integer', 'Score before the report, 0 to 1000'],
      ['newReputation', 'integer', 'Score after the report, 0 to 1000'],
      ['delta', 'integer', 'Change of the score; can be negative'],
      ['reason', 'integer', 'Reason code of the reporter, 0 to 255'],
    ],
  },
  'agent.tier_updated': {
    when: 'A deposit or a withdrawal changes the tier of an agent.',
    data: [
      ...SUBJECT,
      ['previousTier', 'string', '`observer`, `basic`, `standard` or `premium`'],
      ['newTier', 'string', '`observer`, `basic`, `standard` or `premium`'],
      ['stakeAmount', 'integer', 'USDC base units that count for the tier: deposited minus pending'],
    ],
  },
  'agent.status_changed': {
    when: 'An agent becomes active or stops being active. The specific event (suspended, reactivated or deactivated) follows.',
    data: [
      ...SUBJECT,
      ['previousStatus', 'string', '`active` or `inactive`'],
      ['newStatus', 'string', '`active` or `inactive`'],
      STATUS,
    ],
  },
  'agent.suspended': { when: 'An agent is suspended.', data: [...SUBJECT, STATUS, BY_ADMIN] },
  'agent.reactivated': { when: 'A suspended agent is reactivated.', data: [...SUBJECT, STATUS, BY_ADMIN] },
  'agent.deactivated': {
    when: 'An agent is deactivated. This is final.',
    data: [...SUBJECT, STATUS, ['finalReputation', 'integer', 'Score at the deactivation, 0 to 1000']],
  },
  'agent.closed': { when: 'An agent account is closed.', data: SUBJECT },
  'stake.deposited': { when: 'USDC is deposited.', data: movement('Deposited USDC base units') },
  'stake.withdrawn': {
    when: 'A withdrawal is completed.',
    data: movement('Withdrawn USDC base units'),
  },
  'stake.withdrawal_requested': {
    when: 'A withdrawal is requested. The tier falls at once.',
    data: movement('Requested USDC base units'),
  },
  'stake.withdrawal_cancelled': {
    when: 'A pending withdrawal is cancelled.',
    data: movement('USDC base units of the cancelled withdrawal'),
  },
  'stake.closed': {
    when: 'A stake account is closed.',
    data: movement('USDC base units that were left in the vault and went to the owner'),
  },
}

const common = { agent: AGENT, owner: OWNER, timestamp: TIME }
const metadata = {
  name: 'Kestrel Auditor',
  serviceCategory: 'financial',
  capabilities: 46n,
  version: '2.3.0',
  agentCardUrl: 'https://agents.example.org/kestrel-auditor/agent-card.json',
  agentCardHash: new Uint8Array(32).fill(7),
} as const
const stake = (amount: bigint, depositedAmount: bigint, pendingWithdrawal: bigint) => ({
  ...common,
  stake: STAKE,
  amount,
  depositedAmount,
  lockedAmount: 0n,
  pendingWithdrawal,
})
const suspended = { ...common, oldStatus: 'active', newStatus: 'suspended', byAdmin: false } as const
const reactivated = { ...common, oldStatus: 'suspended', newStatus: 'active', byAdmin: false } as const
const M = 600_000_000n

/** Events of the ledger. The decoder makes the examples from them. */
const SAMPLES: readonly RegistryEvent[] = [
  {
    name: 'AgentRegistered',
    data: {
      ...common,
      ...metadata,
      tier: 'observer',
      status: 'active',
      reputationScore: 250,
      rentPayer: OWNER,
    },
  },
  { name: 'AgentUpdated', data: { ...common, old: metadata, new: { ...metadata, version: '2.4.0' } } },
  {
    name: 'ReputationUpdated',
    data: { ...common, oldScore: 520, newScore: 610, delta: 90, reporter: OWNER, reason: 1 },
  },
  {
    name: 'TierUpdated',
    data: { ...common, oldTier: 'observer', newTier: 'standard', stakeAmount: M },
  },
  { name: 'AgentSuspended', data: suspended },
  { name: 'AgentReactivated', data: reactivated },
  {
    name: 'AgentDeactivated',
    data: { ...common, oldStatus: 'suspended', newStatus: 'deactivated', finalReputation: 610 },
  },
  { name: 'AgentClosed', data: common },
  { name: 'StakeDeposited', data: stake(M, M, 0n) },
  { name: 'WithdrawalRequested', data: stake(M, M, M) },
  { name: 'WithdrawalCancelled', data: stake(M, M, 0n) },
  { name: 'StakeWithdrawn', data: stake(M, 0n, 0n) },
  { name: 'StakeClosed', data: stake(0n, 0n, 0n) },
]
const PAYLOADS = SAMPLES.flatMap(webhookEvents)

/** Fails if the table and the payload of the decoder have different members. */
function section(type: WebhookEventType): string[] {
  const { when, data } = EVENTS[type]
  const payload = PAYLOADS.find((each) => each.type === type)?.data
  if (payload === undefined) throw new Error(`No event in SAMPLES causes ${type}`)
  const documented = data.map(([name]) => name)
  if (Object.keys(payload).join() !== documented.join())
    throw new Error(`${type} has ${Object.keys(payload).join()}, documented are ${documented.join()}`)
  const example = JSON.stringify(JSON.parse(jsonText(payload)), null, 2)
  return [
    `## ${type}`,
    when,
    table(
      ['Member', 'Type', 'Meaning'],
      data.map(([name, type, meaning]) => [code(name), type, meaning]),
    ),
    codeBlock('json', example),
  ]
}

const BODY: readonly Member[] = [
  ['id', 'string', 'Id of the event. It is the same in every delivery, and after a rebuild of the tables'],
  ['type', 'string', 'One of the 14 types below, or `ping`'],
  ['pda', 'string', 'Account address of the agent. For `ping`: the agent filter of the webhook, or null'],
  ['slot', 'integer', 'Slot of the transaction. For `ping`: the newest slot that the gateway has read'],
  ['timestamp', 'string', 'Time of the event on the ledger, ISO 8601. For `ping`: the current time'],
  ['data', 'object', 'The members below'],
]

export function eventsPage(): string {
  return page(
    '# Events',
    'Webhooks send these events ([receive webhooks](../guides/receive-webhooks.md)), and the GraphQL subscription `registryEvents` streams them ([GraphQL](../guides/graphql.md)). All 14 types reflect changes on the ledger.',
    'The body of a webhook request:',
    table(
      ['Member', 'Type', 'Meaning'],
      BODY.map(([name, type, meaning]) => [code(name), type, meaning]),
    ),
    'Amounts are in USDC base units: 1 USDC is 1000000. Integers can exceed 2^53; use a JSON parser that keeps them exact if you need such values.',
    ...WEBHOOK_EVENT_TYPES.flatMap(section),
    '## ping',
    'A test event, sent by `POST /webhooks/:id/ping`. A webhook cannot subscribe to it.',
    table(['Member', 'Type', 'Meaning'], [['`webhookId`', 'string', 'Id of the webhook']]),
    codeBlock('json', JSON.stringify({ webhookId: '9c210f67-c36c-4f60-a414-c37f27b64288' }, null, 2)),
  )
}
