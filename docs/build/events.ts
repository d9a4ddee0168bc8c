import type { RegistryEvent } from '@agent-registry/program'
import { pubkey } from '@agent-registry/solana'
import Schema from 'typebox/schema'
import { EVENT_SCHEMAS } from '../../rest/webhooks/event-schemas.ts'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../src/domain/webhook-events.ts'
import { jsonText } from '../../src/ledger/decode/values.ts'
import { webhookEvents } from '../../src/ledger/decode/webhook-events.ts'
import { code, codeBlock, page, table } from './markdown.ts'

type Member = readonly [name: string, type: string, meaning: string]

const AGENT = pubkey('EvPATbXEeEPEHvXw63AAtZ4NqgdaVBhU6EmmygtUmwDM')
const OWNER = pubkey('DUDiTws3KgkRMwHsYPojWbYvJS3MeqGN9kR4SnThwXer')
const STAKE = pubkey('3iEWLjPKHS6uYuxfJonR2yirBPPrCRWYpQCupknAUg3y')
const TIME = 1_795_184_526n

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

/** Fails if the payload of the decoder does not fit the schema. */
function section(type: WebhookEventType): string[] {
  const { when, data } = EVENT_SCHEMAS[type]
  const sample = PAYLOADS.find((each) => each.type === type)?.data
  if (sample === undefined) throw new Error(`No event in SAMPLES causes ${type}`)
  const payload = JSON.parse(jsonText(sample)) as Record<string, unknown>
  const members = Object.keys(data.properties)
  if (Object.keys(payload).join() !== members.join() || !Schema.Compile(data).Check(payload))
    throw new Error(`${type} is ${JSON.stringify(payload)}, documented are ${members.join()}`)
  return [
    `## ${type}`,
    when,
    table(
      ['Member', 'Type', 'Meaning'],
      Object.entries(data.properties).map(([name, member]) => {
        const { type: kind, description } = member as { type: string; description: string }
        return [code(name), kind, description]
      }),
    ),
    codeBlock('json', JSON.stringify(payload, null, 2)),
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
