import { describe, expect, test } from 'vitest'
import { pubkey } from '@agent-registry/solana'
import type { AgentMetadata, RegistryEvent } from '@agent-registry/program'
import { WEBHOOK_EVENT_TYPES } from '../../../src/domain/webhook-events.ts'
import { historyEntry } from '../../../src/ledger/decode/history-entry.ts'
import { isoFromSeconds, jsonbValue, jsonText } from '../../../src/ledger/decode/values.ts'
import { webhookEvents } from '../../../src/ledger/decode/webhook-events.ts'
const agent = pubkey('Stake11111111111111111111111111111111111111')
const owner = pubkey('Vote111111111111111111111111111111111111111')
const stake = pubkey('Config1111111111111111111111111111111111111')
const common = { agent, owner, timestamp: 1_764_000_000n }
const subject = { agentPda: agent, owner }
const before: AgentMetadata = {
  name: 'Ada',
  serviceCategory: 'research',
  capabilities: 1n,
  version: '1.0',
  agentCardUrl: 'https://a.example/card.json',
  agentCardHash: new Uint8Array(32).fill(1),
}
const after: AgentMetadata = {
  ...before,
  capabilities: 18_446_744_073_709_551_615n,
  agentCardUrl: 'https://b.example/card.json',
  agentCardHash: new Uint8Array(32).fill(0xab),
}
const amounts = { amount: 5n, depositedAmount: 9n, lockedAmount: 0n, pendingWithdrawal: 4n }
const movement = { ...common, stake, ...amounts }
const hash1 = '01'.repeat(32)
const hashAb = 'ab'.repeat(32)

type Row = [
  RegistryEvent,
  history: [string, string, string, string | null] | null,
  webhooks: [string, object][],
]

const hook = (type: string, data: object = {}): [string, object] => [type, { ...subject, ...data }]
const registered = { tier: 'observer', status: 'active', reputationScore: 250 } as const
const { agentCardHash: _, ...metadata } = before

function reputationOf(newScore: number, delta: number, reason: number): Row {
  const sign = delta > 0 ? '+' : ''
  const data = { ...common, oldScore: 250, newScore, delta, reporter: owner, reason }
  const sent = { previousReputation: 250, newReputation: newScore, delta, reason }
  return [
    { name: 'ReputationUpdated', data },
    ['reputation_updated', '250', String(newScore), `${sign}${delta}`],
    [hook('agent.reputation_updated', sent)],
  ]
}

const rows: Row[] = [
  [
    { name: 'AgentRegistered', data: { ...common, ...before, ...registered, rentPayer: owner } },
    null,
    [
      hook('agent.registered', {
        ...metadata,
        ...registered,
        agentCardHash: hash1,
        createdAt: '2025-11-24T16:00:00.000Z',
      }),
    ],
  ],
  [
    { name: 'AgentUpdated', data: { ...common, old: before, new: after } },
    [
      'metadata_updated',
      `{"capabilities":1,"agent_card_url":"https://a.example/card.json","agent_card_hash":"${hash1}"}`,
      `{"capabilities":18446744073709551615,"agent_card_url":"https://b.example/card.json","agent_card_hash":"${hashAb}"}`,
      null,
    ],
    [
      hook('agent.updated', {
        changes: {
          capabilities: { old: 1n, new: 18_446_744_073_709_551_615n },
          agentCardUrl: { old: 'https://a.example/card.json', new: 'https://b.example/card.json' },
          agentCardHash: { old: hash1, new: hashAb },
        },
      }),
    ],
  ],
  reputationOf(262, 12, 3),
  reputationOf(245, -5, 1),
  [
    {
      name: 'TierUpdated',
      data: { ...common, oldTier: 'observer', newTier: 'standard', stakeAmount: 600_000_000n },
    },
    ['tier_updated', 'observer', 'standard', null],
    [
      hook('agent.tier_updated', {
        previousTier: 'observer',
        newTier: 'standard',
        stakeAmount: 600_000_000n,
      }),
    ],
  ],
  [
    {
      name: 'AgentSuspended',
      data: { ...common, oldStatus: 'active', newStatus: 'suspended', byAdmin: true },
    },
    ['status_changed', 'active', 'suspended', null],
    [
      hook('agent.status_changed', { previousStatus: 'active', newStatus: 'inactive', status: 'suspended' }),
      hook('agent.suspended', { status: 'suspended', byAdmin: true }),
    ],
  ],
  [
    {
      name: 'AgentReactivated',
      data: { ...common, oldStatus: 'suspended', newStatus: 'active', byAdmin: false },
    },
    ['status_changed', 'suspended', 'active', null],
    [
      hook('agent.status_changed', { previousStatus: 'inactive', newStatus: 'active', status: 'active' }),
      hook('agent.reactivated', { status: 'active', byAdmin: false }),
    ],
  ],
  [
    {
      name: 'AgentDeactivated',
      data: { ...common, oldStatus: 'active', newStatus: 'deactivated', finalReputation: 262 },
    },
    ['status_changed', 'active', 'deactivated', null],
    [
      hook('agent.status_changed', {
        previousStatus: 'active',
        newStatus: 'inactive',
        status: 'deactivated',
      }),
      hook('agent.deactivated', { status: 'deactivated', finalReputation: 262 }),
    ],
  ],
  [
    {
      name: 'AgentDeactivated',
      data: { ...common, oldStatus: 'suspended', newStatus: 'deactivated', finalReputation: 0 },
    },
    ['status_changed', 'suspended', 'deactivated', null],
    [hook('agent.deactivated', { status: 'deactivated', finalReputation: 0 })],
  ],
  [{ name: 'AgentClosed', data: common }, null, [hook('agent.closed')]],
  ...(
    [
      ['StakeDeposited', 'stake.deposited'],
      ['WithdrawalRequested', 'stake.withdrawal_requested'],
      ['WithdrawalCancelled', 'stake.withdrawal_cancelled'],
      ['StakeWithdrawn', 'stake.withdrawn'],
      ['StakeClosed', 'stake.closed'],
    ] as const
  ).map(([name, type]): Row => [
    { name, data: movement },
    null,
    [hook(type, { stakePda: stake, ...amounts })],
  ]),
]

describe.each(rows)('$name', (event, history, webhooks) => {
  test('becomes the right history entry', () => {
    const entry = historyEntry(event)
    expect(entry === null ? null : [entry.event_type, entry.old_value, entry.new_value, entry.delta]).toEqual(
      history,
    )
  })
  test('becomes the right webhook events', () => {
    expect(webhookEvents(event).map((each) => [each.type, each.data])).toEqual(webhooks)
  })
})

test('every webhook event type occurs', () => {
  const reached = new Set(rows.flatMap(([event]) => webhookEvents(event).map((each) => each.type)))
  expect([...reached].sort()).toEqual([...WEBHOOK_EVENT_TYPES].sort())
})

test('amounts above 2^53 are exact integers in bodies and exact text in jsonb', () => {
  expect(jsonText({ amount: 18_446_744_073_709_551_615n })).toBe('{"amount":18446744073709551615}')
  expect(jsonbValue({ amount: 18_446_744_073_709_551_615n, hash: new Uint8Array([1, 255]) })).toEqual({
    amount: '18446744073709551615',
    hash: '01ff',
  })
  expect(jsonText({ name: null, amounts: [null, 2n] })).toBe('{"name":null,"amounts":[null,2]}')
})

test.each([9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, 253_402_300_800n])(
  'a time of %d s is rejected',
  (seconds) => {
    expect(() => isoFromSeconds(seconds)).toThrow(RangeError)
  },
)
