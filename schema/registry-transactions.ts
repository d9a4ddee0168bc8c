import type { ErrorCode } from '../src/domain/errors.ts'
import { AGENT_LIMITS, CARD_URL_SCHEMES } from '../src/domain/agent-limits.ts'
import { PREPARE_UNITS } from '../src/transactions/limits.ts'
import { builder } from './builder.ts'
import { bool, of, pubkey, text, u64 } from './columns.ts'
import { args, inputType, required, withDefault } from './inputs.ts'
import { ServiceCategory } from './registry-enums.ts'
import {
  BUILD_ERRORS,
  PreparedTransactionRef,
  PriorityLevel,
  SPONSOR_ERRORS,
  sponsoredRateLimit,
} from './relay.ts'

const OWNER = {
  ownerPubkey: required(pubkey('Wallet that owns the agent. It signs and pays.')),
  priorityLevel: withDefault('medium', of(PriorityLevel, 'Level of the priority fee.')),
}
const SPONSORED = {
  sponsored: bool('True to let the service pay the network fee, by the rules of sponsored preparations.'),
}

const agentName = text(`1 to ${AGENT_LIMITS.nameBytes} bytes of UTF-8.`, 'Weather Scout')
export const cardUrl = text(
  `URL of the agent card, 1 to ${AGENT_LIMITS.cardUrlBytes} bytes, with the scheme ${CARD_URL_SCHEMES}.`,
  'https://agents.example/weather-scout.json',
)
export const cardHash = text(
  `SHA-256 of the agent card, ${AGENT_LIMITS.cardHashDigits} hex digits.`,
  '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  { pattern: '^[0-9a-fA-F]{64}$' },
)

const OwnerInput = inputType('OwnerInput', 'The owner of an agent.', {
  ...OWNER,
  ...SPONSORED,
})

const StakeAmountInput = inputType('StakeAmountInput', 'The owner of an agent, and an amount.', {
  ...OWNER,
  amount: required(u64('USDC base units (6 decimals).', '250000000')),
  ...SPONSORED,
})

const RegisterAgentInput = inputType('RegisterAgentInput', 'A new agent.', {
  ...OWNER,
  name: required(agentName),
  serviceCategory: required(of(ServiceCategory, 'Service category.')),
  agentCardUrl: required(cardUrl),
  agentCardHash: required(cardHash),
  inviteCode: text(
    'With an invite code the service pays rent and fee. Then submit it as a sponsored registration.',
    '7KQ4M-X2D9H-0RTVW-P3ZBN',
  ),
})

const UpdateAgentInput = inputType(
  'UpdateAgentInput',
  'Changes of an agent. Absent fields stay unchanged. The URL and the hash of the card change together.',
  {
    ...OWNER,
    name: agentName,
    serviceCategory: of(ServiceCategory, 'Service category.'),
    capabilities: u64('Bit mask of capabilities.', '5'),
    version: text(`0 to ${AGENT_LIMITS.versionBytes} bytes of UTF-8.`, '1.4.0'),
    agentCardUrl: cardUrl,
    agentCardHash: cardHash,
    ...SPONSORED,
  },
)

const values = 'The values of the instruction.'

/** What all preparations have in common. `purpose` ends the sentence "a transaction that". */
function preparation(purpose: string, more: readonly ErrorCode[] = []) {
  const errors: readonly ErrorCode[] = [
    'INVALID_PUBKEY',
    ...more,
    ...BUILD_ERRORS,
    'AGENT_NOT_SPONSORED',
    ...SPONSOR_ERRORS,
  ]
  return {
    extensions: { rateLimit: 'prepare' as const, sponsoredRateLimit, units: () => PREPARE_UNITS, errors },
    type: PreparedTransactionRef,
    description: `Builds and simulates a transaction that ${purpose}. The owner signs it. Then submit it.`,
  }
}

builder.mutationFields((t) => ({
  prepareRegisterAgent: t.field({
    ...preparation('registers an agent', [
      'INVITE_CODE_INVALID',
      'AGENT_EXISTS',
      'WALLET_SPONSORED',
      'SPONSOR_CLIENT_LIMIT',
    ]),
    args: args({ input: required(of(RegisterAgentInput, values)) }),
    resolve: (_, { input }, { services, clientIp }) =>
      services.registryTransactions.registerAgent(input, clientIp),
  }),
  prepareUpdateAgent: t.field({
    ...preparation('changes the metadata of an agent'),
    args: args({ input: required(of(UpdateAgentInput, values)) }),
    resolve: (_, { input }, { services, clientIp }) =>
      services.registryTransactions.updateAgent(input, clientIp),
  }),
  prepareSuspendAgent: t.field({
    ...preparation('suspends an agent'),
    args: args({ input: required(of(OwnerInput, values)) }),
    resolve: (_, { input }, { services, clientIp }) =>
      services.registryTransactions.suspendAgent(input, clientIp),
  }),
  prepareReactivateAgent: t.field({
    ...preparation('ends a suspension by the owner'),
    args: args({ input: required(of(OwnerInput, values)) }),
    resolve: (_, { input }, { services, clientIp }) =>
      services.registryTransactions.reactivateAgent(input, clientIp),
  }),
  prepareDeactivateAgent: t.field({
    ...preparation('deactivates the owner’s agent permanently: it can never become active again'),
    args: args({ input: required(of(OwnerInput, values)) }),
    resolve: (_, { input }, { services, clientIp }) =>
      services.registryTransactions.deactivateAgent(input, clientIp),
  }),
  prepareCloseAgent: t.field({
    ...preparation('closes a deactivated agent without a stake', ['AGENT_NOT_FOUND']),
    args: args({ input: required(of(OwnerInput, values)) }),
    resolve: (_, { input }, { services, clientIp }) =>
      services.registryTransactions.closeAgent(input, clientIp),
  }),
  prepareCloseDeactivationRecord: t.field({
    ...preparation('closes the record of a deactivation, 30 days after it'),
    args: args({ input: required(of(OwnerInput, values)) }),
    resolve: (_, { input }, { services, clientIp }) =>
      services.registryTransactions.closeDeactivationRecord(input, clientIp),
  }),
}))

builder.mutationFields((t) => ({
  prepareDeposit: t.field({
    ...preparation('moves USDC from the owner’s associated token account to the stake of the agent', [
      'NOT_READY',
    ]),
    args: args({ input: required(of(StakeAmountInput, values)) }),
    resolve: (_, { input }, { services, clientIp }) => services.registryTransactions.deposit(input, clientIp),
  }),
  prepareRequestWithdrawal: t.field({
    ...preparation('requests a withdrawal of stake. It can be completed after the cooldown'),
    args: args({ input: required(of(StakeAmountInput, values)) }),
    resolve: (_, { input }, { services, clientIp }) =>
      services.registryTransactions.requestWithdrawal(input, clientIp),
  }),
  prepareCancelWithdrawal: t.field({
    ...preparation('cancels the requested withdrawal'),
    args: args({ input: required(of(OwnerInput, values)) }),
    resolve: (_, { input }, { services, clientIp }) =>
      services.registryTransactions.cancelWithdrawal(input, clientIp),
  }),
  prepareCompleteWithdrawal: t.field({
    ...preparation(
      'pays out the requested withdrawal to the owner’s associated token account, after the cooldown',
      ['NOT_READY'],
    ),
    args: args({ input: required(of(OwnerInput, values)) }),
    resolve: (_, { input }, { services, clientIp }) =>
      services.registryTransactions.completeWithdrawal(input, clientIp),
  }),
  prepareCloseStake: t.field({
    ...preparation('closes the empty stake of a deactivated agent', ['STAKE_NOT_FOUND', 'NOT_READY']),
    args: args({ input: required(of(OwnerInput, values)) }),
    resolve: (_, { input }, { services, clientIp }) =>
      services.registryTransactions.closeStake(input, clientIp),
  }),
}))
