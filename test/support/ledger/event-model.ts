import { isDeepStrictEqual } from 'node:util'
import type { Pubkey } from '@agent-registry/solana'
import type { AgentMetadata, RegistryAccounts, RegistryEvent } from '@agent-registry/program'

/** What events say about one agent. Null: there is no such account. */
export interface AgentState {
  agent:
    | (AgentMetadata & Pick<RegistryAccounts['Agent'], 'tier' | 'status' | 'reputationScore' | 'rentPayer'>)
    | null
  stake: Pick<RegistryAccounts['Stake'], 'depositedAmount' | 'lockedAmount' | 'pendingWithdrawal'> | null
}

export function stateOf(
  agent: RegistryAccounts['Agent'] | null,
  stake: RegistryAccounts['Stake'] | null,
): AgentState {
  return { agent: agent && { ...metadataOf(agent), ...statusOf(agent) }, stake: stake && balancesOf(stake) }
}

const statusOf = (from: NonNullable<AgentState['agent']>) => ({
  tier: from.tier,
  status: from.status,
  reputationScore: from.reputationScore,
  rentPayer: from.rentPayer,
})
const metadataOf = (from: AgentMetadata): AgentMetadata => ({
  name: from.name,
  serviceCategory: from.serviceCategory,
  capabilities: from.capabilities,
  version: from.version,
  agentCardUrl: from.agentCardUrl,
  agentCardHash: from.agentCardHash,
})
const balancesOf = (from: NonNullable<AgentState['stake']>) => ({
  depositedAmount: from.depositedAmount,
  lockedAmount: from.lockedAmount,
  pendingWithdrawal: from.pendingWithdrawal,
})

/**
 * The states after these events. Throws if an event does not fit the state before it: then it is
 * invented, or an event before it is missing.
 */
export function applyEvents(
  before: ReadonlyMap<Pubkey, AgentState>,
  events: readonly RegistryEvent[],
): Map<Pubkey, AgentState> {
  const states = new Map(before)
  for (const event of events) {
    const state = states.get(event.data.agent)
    if (state === undefined) throw new Error(`${event.name} of an unknown agent ${event.data.agent}`)
    states.set(event.data.agent, after(state, event))
  }
  return states
}

function after({ agent, stake }: AgentState, event: RegistryEvent): AgentState {
  const fits = (condition: boolean): void => {
    if (!condition) throw new Error(`${event.name} does not fit the state before it`)
  }
  if (event.name === 'AgentRegistered') {
    fits(agent === null)
    return { agent: { ...metadataOf(event.data), ...statusOf(event.data) }, stake }
  }
  if (agent === null) throw new Error(`${event.name} of an agent that does not exist`)
  switch (event.name) {
    case 'AgentUpdated':
      fits(isDeepStrictEqual(metadataOf(agent), event.data.old))
      return { agent: { ...agent, ...event.data.new }, stake }
    case 'ReputationUpdated': {
      const { oldScore, newScore, delta } = event.data
      fits(agent.reputationScore === oldScore && newScore === oldScore + delta && delta !== 0)
      return { agent: { ...agent, reputationScore: newScore }, stake }
    }
    case 'TierUpdated': {
      const { oldTier, newTier, stakeAmount } = event.data
      fits(agent.tier === oldTier && newTier !== oldTier)
      fits(stakeAmount === (stake?.depositedAmount ?? 0n) - (stake?.pendingWithdrawal ?? 0n))
      return { agent: { ...agent, tier: newTier }, stake }
    }
    case 'AgentSuspended':
    case 'AgentReactivated':
    case 'AgentDeactivated': {
      const { oldStatus, newStatus } = event.data
      const isTakeover = event.name === 'AgentSuspended' && event.data.byAdmin
      fits(agent.status === oldStatus && (newStatus !== oldStatus || isTakeover))
      if (event.name === 'AgentDeactivated') fits(event.data.finalReputation === agent.reputationScore)
      return { agent: { ...agent, status: newStatus }, stake }
    }
    case 'AgentClosed':
      fits(agent.status === 'deactivated' && stake === null)
      return { agent: null, stake }
    case 'StakeClosed':
      fits(isDeepStrictEqual(stake, { depositedAmount: 0n, lockedAmount: 0n, pendingWithdrawal: 0n }))
      return { agent, stake: null }
    default: {
      const [deposits, pends] = MOVEMENTS[event.name]
      const { amount } = event.data
      const old = stake ?? { depositedAmount: 0n, lockedAmount: 0n, pendingWithdrawal: 0n }
      fits(amount > 0n && (stake !== null || event.name === 'StakeDeposited'))
      const expected = {
        depositedAmount: old.depositedAmount + deposits * amount,
        lockedAmount: old.lockedAmount,
        pendingWithdrawal: old.pendingWithdrawal + pends * amount,
      }
      fits(isDeepStrictEqual(balancesOf(event.data), expected))
      return { agent, stake: expected }
    }
  }
}

/** How an event changes the deposited and the pending amount. */
const MOVEMENTS = {
  StakeDeposited: [1n, 0n],
  WithdrawalRequested: [0n, 1n],
  WithdrawalCancelled: [0n, -1n],
  StakeWithdrawn: [-1n, -1n],
} as const
