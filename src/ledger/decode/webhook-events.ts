import type { AgentStatus, RegistryEvent, RegistryEvents } from '@agent-registry/program'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../domain/webhook-events.ts'
import { metadataChanges } from './history-entry.ts'
import { pubkey } from '@agent-registry/solana'
import { hex, isoFromSeconds, databaseText, jsonText } from './values.ts'

type Name = RegistryEvent['name']

export interface WebhookEvent {
  type: WebhookEventType
  /** The body's `data`. Amounts are bigint USDC base units. */
  data: Record<string, unknown>
}

interface Definition {
  /** When it happens. */
  readonly when: string
  /** An event of the ledger that causes it. */
  readonly sample: RegistryEvent
  /** The events of the ledger that cause it, if `data` is not null. */
  readonly causes: readonly Name[]
  /** Its `data`, without the address of the agent and the owner. */
  readonly data: (event: never) => Record<string, unknown> | null
}

const COMMON = {
  agent: pubkey('EvPATbXEeEPEHvXw63AAtZ4NqgdaVBhU6EmmygtUmwDM'),
  owner: pubkey('DUDiTws3KgkRMwHsYPojWbYvJS3MeqGN9kR4SnThwXer'),
  timestamp: 1_795_184_526n,
}
const STAKE = pubkey('3iEWLjPKHS6uYuxfJonR2yirBPPrCRWYpQCupknAUg3y')
const M = 600_000_000n
const METADATA = {
  name: 'Kestrel Auditor',
  serviceCategory: 'financial',
  capabilities: 46n,
  version: '2.3.0',
  agentCardUrl: 'https://agents.example.org/kestrel-auditor/agent-card.json',
  agentCardHash: new Uint8Array(32).fill(7),
} as const

/** An event that one event of the ledger causes. `sample` has its data. */
const event = <Cause extends Name>(
  cause: Cause,
  when: string,
  sample: Omit<RegistryEvents[Cause], keyof typeof COMMON>,
  data: (event: RegistryEvents[Cause]) => Record<string, unknown>,
): Definition => ({
  when,
  sample: { name: cause, data: { ...COMMON, ...sample } } as unknown as RegistryEvent,
  causes: [cause],
  data,
})

const stakeEvent = (
  cause: 'StakeDeposited' | 'StakeWithdrawn' | 'WithdrawalRequested' | 'WithdrawalCancelled' | 'StakeClosed',
  when: string,
  [amount, depositedAmount, pendingWithdrawal]: readonly [bigint, bigint, bigint],
): Definition =>
  event(
    cause,
    when,
    { stake: STAKE, amount, depositedAmount, lockedAmount: 0n, pendingWithdrawal },
    (data) => ({
      stakePda: data.stake,
      amount: data.amount,
      depositedAmount: data.depositedAmount,
      lockedAmount: data.lockedAmount,
      pendingWithdrawal: data.pendingWithdrawal,
    }),
  )

const activity = (status: AgentStatus): 'active' | 'inactive' => (status === 'active' ? 'active' : 'inactive')

/** Each type of event (contract, "Delivery"). Its members are described in schema/event.ts. */
export const WEBHOOK_EVENTS: Readonly<Record<WebhookEventType, Definition>> = {
  'agent.registered': event(
    'AgentRegistered',
    'A new agent is registered.',
    { ...METADATA, tier: 'observer', status: 'active', reputationScore: 250, rentPayer: COMMON.owner },
    (data) => ({
      name: databaseText(data.name),
      tier: data.tier,
      status: data.status,
      serviceCategory: data.serviceCategory,
      reputationScore: data.reputationScore,
      capabilities: data.capabilities,
      version: databaseText(data.version),
      agentCardUrl: databaseText(data.agentCardUrl),
      agentCardHash: hex(data.agentCardHash),
      createdAt: isoFromSeconds(data.timestamp),
    }),
  ),
  'agent.updated': event(
    'AgentUpdated',
    'The metadata of an agent changes.',
    { old: METADATA, new: { ...METADATA, version: '2.4.0' } },
    (data) => ({
      changes: Object.fromEntries(
        metadataChanges(data.old, data.new).map((each) => [each.field, { old: each.old, new: each.new }]),
      ),
    }),
  ),
  'agent.reputation_updated': event(
    'ReputationUpdated',
    'A report changes the reputation of an agent.',
    { oldScore: 520, newScore: 610, delta: 90, reporter: COMMON.owner, reason: 1 },
    ({ oldScore, newScore, delta, reason }) => ({
      previousReputation: oldScore,
      newReputation: newScore,
      delta,
      reason,
    }),
  ),
  'agent.tier_updated': event(
    'TierUpdated',
    'A deposit or a withdrawal changes the tier of an agent.',
    { oldTier: 'observer', newTier: 'standard', stakeAmount: M },
    ({ oldTier, newTier, stakeAmount }) => ({ previousTier: oldTier, newTier, stakeAmount }),
  ),
  'agent.status_changed': {
    when: 'An agent becomes active or stops being active. The specific event (suspended, reactivated or deactivated) follows.',
    sample: {
      name: 'AgentSuspended',
      data: { ...COMMON, oldStatus: 'active', newStatus: 'suspended', byAdmin: false },
    },
    causes: ['AgentSuspended', 'AgentReactivated', 'AgentDeactivated'],
    data: ({ oldStatus, newStatus: status }: RegistryEvents['AgentSuspended' | 'AgentDeactivated']) => {
      const [previousStatus, newStatus] = [activity(oldStatus), activity(status)]
      return previousStatus === newStatus ? null : { previousStatus, newStatus, status }
    },
  },
  'agent.suspended': event(
    'AgentSuspended',
    'An agent is suspended.',
    { oldStatus: 'active', newStatus: 'suspended', byAdmin: false },
    ({ newStatus: status, byAdmin }) => ({ status, byAdmin }),
  ),
  'agent.reactivated': event(
    'AgentReactivated',
    'A suspended agent is reactivated.',
    { oldStatus: 'suspended', newStatus: 'active', byAdmin: false },
    ({ newStatus: status, byAdmin }) => ({ status, byAdmin }),
  ),
  'agent.deactivated': event(
    'AgentDeactivated',
    'An agent is deactivated. This is final.',
    { oldStatus: 'suspended', newStatus: 'deactivated', finalReputation: 610 },
    ({ newStatus: status, finalReputation }) => ({ status, finalReputation }),
  ),
  'agent.closed': event('AgentClosed', 'An agent account is closed.', {}, () => ({})),
  'stake.deposited': stakeEvent('StakeDeposited', 'USDC is deposited.', [M, M, 0n]),
  'stake.withdrawn': stakeEvent('StakeWithdrawn', 'A withdrawal is completed.', [M, 0n, 0n]),
  'stake.withdrawal_requested': stakeEvent(
    'WithdrawalRequested',
    'A withdrawal is requested. The tier falls at once.',
    [M, M, M],
  ),
  'stake.withdrawal_cancelled': stakeEvent('WithdrawalCancelled', 'A pending withdrawal is cancelled.', [
    M,
    M,
    0n,
  ]),
  'stake.closed': stakeEvent('StakeClosed', 'A stake account is closed.', [0n, 0n, 0n]),
}

const BY_CAUSE = new Map<Name, WebhookEventType[]>()
for (const type of WEBHOOK_EVENT_TYPES)
  for (const cause of WEBHOOK_EVENTS[type].causes) BY_CAUSE.set(cause, [...(BY_CAUSE.get(cause) ?? []), type])

/**
 * The webhook events of a ledger event: one, or two if the agent crosses between active and not
 * active.
 */
export function webhookEvents({ name, data }: RegistryEvent): WebhookEvent[] {
  return (BY_CAUSE.get(name) ?? []).flatMap((type) => {
    const members = WEBHOOK_EVENTS[type].data(data as never)
    return members === null ? [] : [{ type, data: { agentPda: data.agent, owner: data.owner, ...members } }]
  })
}

/** An event with made-up values, in the form of its JSON. */
export function exampleEvent(type: WebhookEventType): {
  readonly type: WebhookEventType
  readonly agentPda: string
  readonly data: Record<string, unknown>
} {
  const { sample } = WEBHOOK_EVENTS[type]
  const caused = webhookEvents(sample).find((each) => each.type === type)
  if (caused === undefined) throw new Error(`The sample of ${type} does not cause it`)
  const data = JSON.parse(jsonText(caused.data)) as Record<string, unknown>
  return { type, agentPda: sample.data.agent, data }
}
