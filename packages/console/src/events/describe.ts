import { formatUnits } from '../ui/amount.tsx'
import { words } from '../ui/badge.tsx'

type Data = Record<string, unknown>

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
const usdc = (value: unknown): string =>
  typeof value === 'number' && Number.isFinite(value)
    ? `${formatUnits(BigInt(Math.trunc(value)), 6)} USDC`
    : 'an unknown amount'

const FIELDS: Record<string, string> = {
  name: 'name',
  serviceCategory: 'category',
  capabilities: 'capabilities',
  version: 'version',
  agentCardUrl: 'URL of the card',
  agentCardHash: 'hash of the card',
}

const SENTENCES: Record<string, (data: Data) => string> = {
  'agent.registered': ({ serviceCategory }) => `Registered in the category ${words(text(serviceCategory))}.`,
  'agent.updated': ({ changes }) => changed(changes),
  'agent.reputation_updated': ({ previousReputation: from, newReputation: to, delta }) => {
    const change = Number(delta)
    if (change === 0) return `The reputation stayed ${text(to)}.`
    return `The reputation ${change > 0 ? 'rose' : 'fell'} from ${text(from)} to ${text(to)}.`
  },
  'agent.tier_updated': ({ previousTier, newTier, stakeAmount }) =>
    `The tier changed from ${words(text(previousTier))} to ${words(text(newTier))}, with a stake of ${usdc(stakeAmount)}.`,
  'agent.status_changed': ({ status }) => `The status is now ${words(text(status)).toLowerCase()}.`,
  'agent.suspended': ({ byAdmin }) =>
    `Suspended by ${byAdmin === true ? 'the admin of the registry' : 'its owner'}.`,
  'agent.reactivated': ({ byAdmin }) =>
    `Active again. ${byAdmin === true ? 'The admin of the registry' : 'The owner'} ended the suspension.`,
  'agent.deactivated': ({ finalReputation }) =>
    `Deactivated for good, with a reputation of ${text(finalReputation)}.`,
  'agent.closed': () => 'The account of the agent was closed.',
  'stake.deposited': ({ amount, depositedAmount }) =>
    `${usdc(amount)} deposited. The stake is now ${usdc(depositedAmount)}.`,
  'stake.withdrawal_requested': ({ amount }) => `The owner asked to withdraw ${usdc(amount)}.`,
  'stake.withdrawal_cancelled': ({ amount }) => `The withdrawal of ${usdc(amount)} was cancelled.`,
  'stake.withdrawn': ({ amount, depositedAmount }) =>
    `${usdc(amount)} paid out to the owner. The stake is now ${usdc(depositedAmount)}.`,
  'stake.closed': ({ amount }) =>
    Number(amount) === 0
      ? 'The empty stake was closed.'
      : `The stake was closed. ${usdc(amount)} went to the owner.`,
}

/** What happened, in a sentence. Names and values in it are anybody's text. */
export function describeEvent(type: string, data: unknown): string {
  const sentence = SENTENCES[type]
  return sentence === undefined || typeof data !== 'object' || data === null ? type : sentence(data as Data)
}

function changed(changes: unknown): string {
  const entries = Object.entries((changes ?? {}) as Record<string, { old?: unknown; new?: unknown }>)
  const parts = entries.map(([field, { new: value }]) => {
    const name = FIELDS[field] ?? field
    if (field === 'serviceCategory') return `${name} is now ${words(text(value))}`
    return field === 'name' || field === 'version' ? `${name} is now “${text(value)}”` : `${name} changed`
  })
  const sentence = parts.join(', ')
  return sentence === '' ? 'The metadata was written without a change.' : `The ${sentence}.`
}
