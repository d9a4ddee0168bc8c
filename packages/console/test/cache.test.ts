import { expect, test } from 'vitest'
import { canChange } from '../src/api/cache.ts'

const of = (type: string) => ({ type, agentPda: 'agent A', owner: 'owner A' })
const [deposit, registered] = [of('STAKE_DEPOSITED'), of('AGENT_REGISTERED')]

test('an event changes what is about its agent or its owner', () => {
  for (const event of [deposit, registered]) {
    expect(canChange(event, 'agent', { pda: 'agent A' })).toBe(true)
    expect(canChange(event, 'agentByOwner', { owner: 'owner A' })).toBe(true)
    expect(canChange(event, 'stakes', { filter: { owner: 'owner A' } })).toBe(true)
    expect(canChange(event, 'agent', { pda: 'agent B' })).toBe(false)
    expect(canChange(event, 'agentHistory', { pda: 'agent B' })).toBe(false)
    expect(canChange(event, 'registryEvents', { filter: { agentPda: 'agent B' } })).toBe(false)
    expect(canChange(event, 'webhooks', null)).toBe(false)
    expect(canChange(event, 'registryConfig', null)).toBe(false)
  }
})

test('events of agents change lists and counts of agents, events of stakes those of stakes', () => {
  expect(canChange(registered, 'agents', { first: 10 })).toBe(true)
  expect(canChange(registered, 'registryGrowth', { times: [] })).toBe(true)
  expect(canChange(registered, 'registryStake', { times: [] })).toBe(false)
  expect(canChange(deposit, 'agents', { first: 10 })).toBe(false)
  expect(canChange(deposit, 'registryStake', { times: [] })).toBe(true)
  for (const event of [deposit, registered]) {
    expect(canChange(event, 'registryStats', null)).toBe(true)
    expect(canChange(event, 'registryEventCounts', { hours: 1 })).toBe(true)
    expect(canChange(event, 'registryEvents', null)).toBe(true)
  }
})

test('an event changes only lists of events that have its type', () => {
  const list = (types: string[]) => ({ filter: { agentPda: 'agent A', types } })
  expect(canChange(deposit, 'registryEvents', list(['STAKE_DEPOSITED']))).toBe(true)
  expect(canChange(deposit, 'registryEvents', list(['AGENT_CLOSED']))).toBe(false)
})
