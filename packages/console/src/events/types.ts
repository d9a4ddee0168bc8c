/** The event types with short titles, in groups. */
export const EVENT_GROUPS = [
  {
    title: 'Agents',
    types: {
      'agent.registered': 'Registered',
      'agent.updated': 'Updated',
      'agent.reputation_updated': 'Reputation changed',
      'agent.tier_updated': 'Tier changed',
      'agent.status_changed': 'Status changed',
      'agent.suspended': 'Suspended',
      'agent.reactivated': 'Reactivated',
      'agent.deactivated': 'Deactivated',
      'agent.closed': 'Closed',
    },
  },
  {
    title: 'Stakes',
    types: {
      'stake.deposited': 'Deposit',
      'stake.withdrawal_requested': 'Withdrawal requested',
      'stake.withdrawal_cancelled': 'Withdrawal cancelled',
      'stake.withdrawn': 'Withdrawal paid',
      'stake.closed': 'Stake closed',
    },
  },
] as const

const TITLES: Record<string, string> = Object.assign(
  { ping: 'Test event' },
  ...EVENT_GROUPS.map(({ types }) => types),
)

export const EVENT_TYPES: readonly string[] = EVENT_GROUPS.flatMap(({ types }) => Object.keys(types))
export const STAKE_EVENT_TYPES = EVENT_TYPES.filter((type) => type.startsWith('stake.'))

export function eventTitle(type: string): string {
  return TITLES[type] ?? type
}
