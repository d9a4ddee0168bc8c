import { expect, test } from 'vitest'
import { describeEvent } from '../src/events/describe.ts'
import type { EventFieldsFragment } from '../src/events/events.generated.ts'

const describe = (members: object): string => describeEvent(members as EventFieldsFragment)

test('an event is a sentence with the labels of values and exact amounts', () => {
  const amounts = { amount: '9007199254740993', depositedAmount: '18446744073709551615' }
  expect(describe({ __typename: 'StakeDepositedEvent', ...amounts })).toBe(
    '9,007,199,254.740993 USDC deposited. The stake is now 18,446,744,073,709.551615 USDC.',
  )
  expect(describe({ __typename: 'AgentRegisteredEvent', serviceCategory: 'DATA_ANALYSIS' })).toBe(
    'Registered in the category Data analysis.',
  )
})

test('a change of metadata names each changed field', () => {
  const none = { name: null, capabilities: null, agentCardUrl: null }
  const changes = {
    ...none,
    serviceCategory: { old: 'OTHER', new: 'CONTENT_CREATION' },
    version: { old: '1', new: '2' },
    agentCardHash: { old: '00', new: '01' },
  }
  expect(describe({ __typename: 'AgentUpdatedEvent', changes })).toBe(
    'The category is now Content creation, version is now “2”, hash of the card changed.',
  )
  const unchanged = { ...none, serviceCategory: null, version: null, agentCardHash: null }
  expect(describe({ __typename: 'AgentUpdatedEvent', changes: unchanged })).toBe(
    'The metadata was written without a change.',
  )
})
