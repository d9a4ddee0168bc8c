import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../src/domain/webhook-events.ts'
import { keyOf } from './factories.ts'

const movement = {
  stakePda: keyOf('stake'),
  amount: 18_446_744_073_709_551_615n,
  depositedAmount: 600_000_000,
  lockedAmount: 0,
  pendingWithdrawal: 9_007_199_254_740_993n,
}

/** The members of `data` of each type of event, without `agentPda` and `owner`. */
const DATA: Readonly<Record<WebhookEventType, object>> = {
  'agent.registered': {
    name: 'Ada',
    tier: 'observer',
    status: 'active',
    serviceCategory: 'dataAnalysis',
    reputationScore: 250,
    capabilities: 18_446_744_073_709_551_615n,
    version: '',
    agentCardUrl: 'https://agents.example/ada.json',
    agentCardHash: '09'.repeat(32),
    createdAt: '2026-11-20T10:00:00.000Z',
  },
  'agent.updated': {
    changes: {
      version: { old: '', new: '2.0' },
      serviceCategory: { old: 'research', new: 'contentCreation' },
      capabilities: { old: 5, new: 9_007_199_254_740_993n },
    },
  },
  'agent.reputation_updated': { previousReputation: 250, newReputation: 245, delta: -5, reason: 1 },
  'agent.tier_updated': { previousTier: 'observer', newTier: 'standard', stakeAmount: 600_000_000 },
  'agent.status_changed': { previousStatus: 'active', newStatus: 'inactive', status: 'suspended' },
  'agent.suspended': { status: 'suspended', byAdmin: true },
  'agent.reactivated': { status: 'active', byAdmin: false },
  'agent.deactivated': { status: 'deactivated', finalReputation: 245 },
  'agent.closed': {},
  'stake.deposited': movement,
  'stake.withdrawn': movement,
  'stake.withdrawal_requested': movement,
  'stake.withdrawal_cancelled': movement,
  'stake.closed': movement,
}

/** A row of `outbox_events` of each type, as the indexer writes them. `label` names the agent. */
export function rowsOfEveryEvent(label: string) {
  const pda = keyOf(`agent ${label}`)
  const timestamp = '2026-11-20T10:00:00.000Z'
  return WEBHOOK_EVENT_TYPES.map((type, i) => {
    const id = `evt_${label}_${i}`
    const data = { agentPda: pda, owner: keyOf(`owner ${label}`), ...DATA[type] }
    const body = JSON.stringify({ id, type, pda, slot: 100 + i, timestamp, data }, (_, value: unknown) =>
      typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value,
    )
    return { id, event_id: id, type, agent_pda: pda, slot: 100 + i, body, occurred_at: timestamp }
  })
}
