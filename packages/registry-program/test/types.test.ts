import { expect, test } from 'vitest'
import { type Pubkey, pubkeyFromBytes } from '@agent-registry/solana'
import {
  decodeAccount,
  decodeEvent,
  encodeAccount,
  encodeEvent,
  type RegistryAccount,
  type RegistryEvent,
} from '../src/codec.ts'
import {
  AGENT_STATUSES,
  type AgentMetadata,
  type RegistryAccounts,
  type RegistryEvents,
  SERVICE_CATEGORIES,
  TIERS,
} from '../src/generated/types.ts'
import { camelCase, registryIdl } from '../src/idl.ts'

const key = (byte: number): Pubkey => pubkeyFromBytes(new Uint8Array(32).fill(byte))
const agentEvent = { agent: key(1), owner: key(2), timestamp: 3n }
const statusChange = { ...agentEvent, oldStatus: 'active', newStatus: 'suspended' } as const
const stakeEvent = {
  ...agentEvent,
  stake: key(4),
  amount: 5n,
  depositedAmount: 6n,
  lockedAmount: 7n,
  pendingWithdrawal: 8n,
}
const metadata: AgentMetadata = {
  name: 'Ann',
  serviceCategory: 'research',
  capabilities: 9n,
  version: '1.0.0',
  agentCardUrl: 'https://ann.example',
  agentCardHash: new Uint8Array(32).fill(10),
}

// The compiler checks that each sample has exactly the members of the type.
const ACCOUNTS: RegistryAccounts = {
  RegistryConfig: {
    admin: key(1),
    usdcMint: key(2),
    treasury: key(3),
    tierThresholds: [0n, 1n, 2n, 3n],
    cooldownSeconds: -4n,
    paused: true,
    bump: 5,
  },
  Agent: {
    ...metadata,
    owner: key(1),
    tier: 'premium',
    status: 'deactivated',
    reputationScore: 2,
    createdAt: 3n,
    updatedAt: 4n,
    reputationUpdatedAt: 5n,
    bump: 6,
    reputationChangeToday: -7,
    reputationDayStart: 8n,
    tierEffectiveAt: 9n,
    suspendedByAdmin: false,
    rentPayer: key(10),
  },
  Stake: {
    agent: key(1),
    owner: key(2),
    depositedAmount: 3n,
    lockedAmount: 4n,
    pendingWithdrawal: 5n,
    bump: 6,
    rentPayer: key(7),
  },
  WithdrawalRequest: { stake: key(1), amount: 2n, requestedAt: 3n, bump: 4 },
  ReputationReporter: {
    authority: key(1),
    registeredBy: key(2),
    label: 'Market',
    weight: 5,
    totalReports: 3n,
    active: true,
    bump: 4,
  },
  DeactivationRecord: { owner: key(1), deactivatedAt: 2n, finalReputation: 3, bump: 4 },
}
const EVENTS: RegistryEvents = {
  AgentRegistered: {
    ...agentEvent,
    ...metadata,
    tier: 'observer',
    status: 'active',
    reputationScore: 250,
    rentPayer: key(4),
  },
  AgentUpdated: { ...agentEvent, old: metadata, new: { ...metadata, name: 'Bob' } },
  ReputationUpdated: {
    ...agentEvent,
    oldScore: 250,
    newScore: 240,
    delta: -10,
    reporter: key(4),
    reason: 5,
  },
  TierUpdated: { ...agentEvent, oldTier: 'basic', newTier: 'standard', stakeAmount: 4n },
  AgentSuspended: { ...statusChange, byAdmin: true },
  AgentReactivated: { ...statusChange, byAdmin: false },
  AgentDeactivated: { ...statusChange, finalReputation: 4 },
  AgentClosed: agentEvent,
  StakeDeposited: stakeEvent,
  WithdrawalRequested: stakeEvent,
  WithdrawalCancelled: stakeEvent,
  StakeWithdrawn: stakeEvent,
  StakeClosed: stakeEvent,
}

test('there is a type for every account and every event of the IDL', () => {
  const names = (entries: readonly { name: string }[]): string[] => entries.map((each) => each.name)
  expect(Object.keys(ACCOUNTS).toSorted()).toEqual(names(registryIdl.accounts).toSorted())
  expect(Object.keys(EVENTS).toSorted()).toEqual(names(registryIdl.events).toSorted())
})

test.each(Object.entries(ACCOUNTS))('the account %s has the fields of the IDL', (name, data) => {
  expect(Object.keys(data).toSorted()).toEqual(fieldsOf(name))
  const account = { name, data } as RegistryAccount
  expect(decodeAccount(encodeAccount(account))).toEqual(account)
})

test.each(Object.entries(EVENTS))('the event %s has the fields of the IDL', (name, data) => {
  expect(Object.keys(data).toSorted()).toEqual(fieldsOf(name))
  const event = { name, data } as RegistryEvent
  expect(decodeEvent(encodeEvent(event))).toEqual(event)
})

test.each([
  ['Tier', TIERS],
  ['AgentStatus', AGENT_STATUSES],
  ['ServiceCategory', SERVICE_CATEGORIES],
])('the enum %s has the variants of the IDL', (name, values) => {
  const type = registryIdl.types.find((each) => each.name === name)?.type
  expect(type?.kind === 'enum' && type.variants.map((each) => camelCase(each.name))).toEqual(values)
})

function fieldsOf(name: string): string[] {
  const type = registryIdl.types.find((each) => each.name === name)?.type
  return type?.kind === 'struct' ? type.fields.map((each) => camelCase(each.name)).toSorted() : []
}
