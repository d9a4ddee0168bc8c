import type { AgentStatus, RegistryEvent, RegistryEvents } from '@agent-registry/program'
import type { WebhookEventType } from '../../domain/webhook-events.ts'
import { metadataChanges } from './history-entry.ts'
import { hex, isoFromSeconds, storable } from './values.ts'

export interface WebhookEvent {
  type: WebhookEventType
  /** The body's `data`. Amounts are bigint USDC base units. */
  data: Record<string, unknown>
}

/**
 * The webhook events of a ledger event (contract, "Delivery"): one, or two if the agent crosses
 * between active and not active.
 */
export function webhookEvents(event: RegistryEvent): WebhookEvent[] {
  switch (event.name) {
    case 'AgentRegistered':
      return [{ type: 'agent.registered', data: registered(event.data) }]
    case 'AgentUpdated': {
      const changes = metadataChanges(event.data.old, event.data.new).map(
        (change) => [change.field, { old: change.old, new: change.new }] as const,
      )
      return [
        { type: 'agent.updated', data: { ...subject(event.data), changes: Object.fromEntries(changes) } },
      ]
    }
    case 'ReputationUpdated': {
      const { oldScore, newScore, delta, reason } = event.data
      const data = { previousReputation: oldScore, newReputation: newScore, delta, reason }
      return [{ type: 'agent.reputation_updated', data: { ...subject(event.data), ...data } }]
    }
    case 'TierUpdated': {
      const { oldTier, newTier, stakeAmount } = event.data
      const data = { previousTier: oldTier, newTier, stakeAmount }
      return [{ type: 'agent.tier_updated', data: { ...subject(event.data), ...data } }]
    }
    case 'AgentSuspended':
      return statusEvents('agent.suspended', event.data, { byAdmin: event.data.byAdmin })
    case 'AgentReactivated':
      return statusEvents('agent.reactivated', event.data, { byAdmin: event.data.byAdmin })
    case 'AgentDeactivated':
      return statusEvents('agent.deactivated', event.data, { finalReputation: event.data.finalReputation })
    case 'AgentClosed':
      return [{ type: 'agent.closed', data: subject(event.data) }]
    default:
      return [{ type: STAKE_TYPES[event.name], data: stakeMovement(event.data) }]
  }
}

const STAKE_TYPES = {
  StakeDeposited: 'stake.deposited',
  WithdrawalRequested: 'stake.withdrawal_requested',
  WithdrawalCancelled: 'stake.withdrawal_cancelled',
  StakeWithdrawn: 'stake.withdrawn',
  StakeClosed: 'stake.closed',
} as const

const subject = (data: { agent: string; owner: string }): Record<string, unknown> => ({
  agentPda: data.agent,
  owner: data.owner,
})

const activity = (status: AgentStatus): 'active' | 'inactive' => (status === 'active' ? 'active' : 'inactive')

function statusEvents(
  type: WebhookEventType,
  data: { agent: string; owner: string; oldStatus: AgentStatus; newStatus: AgentStatus },
  details: Record<string, unknown>,
): WebhookEvent[] {
  const specific = { type, data: { ...subject(data), status: data.newStatus, ...details } }
  const previousStatus = activity(data.oldStatus)
  const newStatus = activity(data.newStatus)
  if (previousStatus === newStatus) return [specific]
  const change = { previousStatus, newStatus, status: data.newStatus }
  return [{ type: 'agent.status_changed', data: { ...subject(data), ...change } }, specific]
}

function registered(data: RegistryEvents['AgentRegistered']): Record<string, unknown> {
  return {
    ...subject(data),
    name: storable(data.name),
    tier: data.tier,
    status: data.status,
    serviceCategory: data.serviceCategory,
    reputationScore: data.reputationScore,
    capabilities: data.capabilities,
    version: storable(data.version),
    agentCardUrl: storable(data.agentCardUrl),
    agentCardHash: hex(data.agentCardHash),
    createdAt: isoFromSeconds(data.timestamp),
  }
}

function stakeMovement(data: RegistryEvents['StakeDeposited']): Record<string, unknown> {
  return {
    ...subject(data),
    stakePda: data.stake,
    amount: data.amount,
    depositedAmount: data.depositedAmount,
    lockedAmount: data.lockedAmount,
    pendingWithdrawal: data.pendingWithdrawal,
  }
}
