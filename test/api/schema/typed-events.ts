import type { Json } from '../../support/identity/issuer.ts'

const MOVEMENTS = ['Deposited', 'Withdrawn', 'WithdrawalRequested', 'WithdrawalCancelled', 'Closed'].map(
  (name) => `... on Stake${name}Event { stakePda amount depositedAmount lockedAmount pendingWithdrawal }`,
)

/** A fragment with what the body of a webhook has, of all types of events. */
export const TYPED = `fragment Typed on RegistryEvent {
  __typename id type agentPda owner slot timestamp
  ... on AgentRegisteredEvent {
    name tier status serviceCategory reputationScore capabilities version agentCardUrl agentCardHash createdAt
  }
  ... on AgentUpdatedEvent { changes {
    name { old new } serviceCategory { old new } capabilities { old new }
    version { old new } agentCardUrl { old new } agentCardHash { old new }
  } }
  ... on AgentReputationUpdatedEvent { previousReputation newReputation delta reason }
  ... on AgentTierUpdatedEvent { previousTier newTier stakeAmount }
  ... on AgentStatusChangedEvent { previousStatus newStatus status }
  ... on AgentSuspendedEvent { status byAdmin }
  ... on AgentReactivatedEvent { status byAdmin }
  ... on AgentDeactivatedEvent { status finalReputation }
  ${MOVEMENTS.join(' ')}
}`

const WITH_NAMES = /^(tier|status|serviceCategory|previousTier|newTier|previousStatus|newStatus)$/
const INTEGERS = /^(capabilities|stakeAmount|amount|depositedAmount|lockedAmount|pendingWithdrawal)$/
const METADATA = ['name', 'serviceCategory', 'capabilities', 'version', 'agentCardUrl', 'agentCardHash']

/** What GraphQL returns for the fragment, from the body of the webhook. */
export function typedEvent(body: string): Json {
  // Integers above 2^53 lose digits in a number.
  const exact = body.replaceAll(/(?<=":)\d{16,}/g, '"$&"')
  const { id, type, pda, slot, timestamp, data }: Json = JSON.parse(exact)
  const { changes, ...members } = data
  const words = (type as string).split(/[._]/)
  return {
    __typename: `${words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')}Event`,
    id,
    type: nameOf(type),
    agentPda: pda,
    slot,
    timestamp,
    ...Object.fromEntries(Object.entries(members).map(([name, value]) => [name, valueOf(name, value)])),
    ...(changes !== undefined && {
      changes: Object.fromEntries(METADATA.map((name) => [name, changeOf(name, changes[name])])),
    }),
  }
}

function changeOf(name: string, change: { old: unknown; new: unknown } | undefined) {
  return change === undefined ? null : { old: valueOf(name, change.old), new: valueOf(name, change.new) }
}

function valueOf(name: string, value: unknown): unknown {
  if (WITH_NAMES.test(name)) return nameOf(value as string)
  return INTEGERS.test(name) ? String(value) : value
}

/** `DATA_ANALYSIS` for `dataAnalysis`, and `AGENT_CLOSED` for `agent.closed`. */
function nameOf(text: string): string {
  return text
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replace('.', '_')
    .toUpperCase()
}
