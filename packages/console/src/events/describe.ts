import { capabilityNames } from '../api/enums.ts'
import { usdc } from '../ui/amount.tsx'
import { words } from '../ui/badge.tsx'
import type { EventFieldsFragment } from './events.generated.ts'

type Name = EventFieldsFragment['__typename']
type Event<Type extends Name> = Extract<EventFieldsFragment, { __typename: Type }>

const SENTENCES: { readonly [Type in Name]: (event: Event<Type>) => string } = {
  AgentRegisteredEvent: ({ serviceCategory }) => `Registered in the category ${words(serviceCategory)}.`,
  AgentUpdatedEvent: ({ changes }) => changed(changes),
  AgentReputationUpdatedEvent: ({ previousReputation: from, newReputation: to, delta }) =>
    delta === 0
      ? `The reputation stayed ${to}.`
      : `The reputation ${delta > 0 ? 'rose' : 'fell'} from ${from} to ${to}.`,
  AgentTierUpdatedEvent: ({ previousTier, newTier, stakeAmount }) =>
    `The tier changed from ${words(previousTier)} to ${words(newTier)}, with a stake of ${usdc(stakeAmount)} USDC.`,
  AgentStatusChangedEvent: ({ status }) => `The status is now ${words(status).toLowerCase()}.`,
  AgentSuspendedEvent: ({ byAdmin }) =>
    `Suspended by ${byAdmin ? 'the admin of the registry' : 'its owner'}.`,
  AgentReactivatedEvent: ({ byAdmin }) =>
    `Active again. ${byAdmin ? 'The admin of the registry' : 'The owner'} ended the suspension.`,
  AgentDeactivatedEvent: ({ finalReputation }) =>
    `Deactivated for good, with a reputation of ${finalReputation}.`,
  AgentClosedEvent: () => 'The account of the agent was closed.',
  StakeDepositedEvent: ({ amount, depositedAmount }) =>
    `${usdc(amount)} USDC deposited. The stake is now ${usdc(depositedAmount)} USDC.`,
  StakeWithdrawalRequestedEvent: ({ amount }) => `The owner asked to withdraw ${usdc(amount)} USDC.`,
  StakeWithdrawalCancelledEvent: ({ amount }) => `The withdrawal of ${usdc(amount)} USDC was cancelled.`,
  StakeWithdrawnEvent: ({ amount, depositedAmount }) =>
    `${usdc(amount)} USDC paid out to the owner. The stake is now ${usdc(depositedAmount)} USDC.`,
  StakeClosedEvent: ({ amount }) =>
    amount === '0'
      ? 'The empty stake was closed.'
      : `The stake was closed. ${usdc(amount)} USDC went to the owner.`,
}

/** What happened, in a sentence. Names and values in it are anybody's text. */
export function describeEvent(event: EventFieldsFragment): string {
  const sentence = SENTENCES[event.__typename] as ((event: EventFieldsFragment) => string) | undefined
  return sentence?.(event) ?? event.type
}

function changed(changes: Event<'AgentUpdatedEvent'>['changes']): string {
  const { name, serviceCategory, capabilities, version, agentCardUrl, agentCardHash } = changes
  const parts = [
    name && `name is now “${name.new}”`,
    serviceCategory && `category is now ${words(serviceCategory.new)}`,
    capabilities && `capabilities are now ${capabilityNames(capabilities.new).join(', ') || 'none'}`,
    version && `version is now “${version.new}”`,
    agentCardUrl && 'URL of the card changed',
    agentCardHash && 'hash of the card changed',
  ].filter((part) => part !== null)
  return parts.length === 0 ? 'The metadata was written without a change.' : `The ${parts.join(', ')}.`
}
