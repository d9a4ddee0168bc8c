import { describe, expect, it } from 'vitest'
import { agentOf, eventOf, HASH, registered, REGISTRATION, given } from './support/actors.ts'
import { type Args } from './support/bench.ts'

const LONGEST = {
  name: 'n'.repeat(32),
  serviceCategory: 'other',
  capabilities: 63n,
  version: 'v'.repeat(16),
  agentCardUrl: `https://${'u'.repeat(192)}`,
  agentCardHash: new Uint8Array(32).fill(255),
}
const INITIAL = { ...REGISTRATION, capabilities: 0n, version: '' }

describe('update_agent', () => {
  it.each<[string, Args]>([
    ['name', { name: 'Benedict' }],
    ['category', { serviceCategory: 'financial' }],
    ['capabilities', { capabilities: 5n }],
    ['version', { version: '2.0' }],
    ['card', { agentCardUrl: 'ipfs://x', agentCardHash: new Uint8Array(32).fill(1) }],
    ['everything, at full length', LONGEST],
  ])('changes the %s', (_, changes) => {
    const [bench, actor] = given(registered)
    const before = agentOf(bench, actor)
    bench.vm.now += 60n
    const outcome = bench.must('update_agent', actor.accounts, changes)
    const updated = { ...INITIAL, ...changes }
    expect(agentOf(bench, actor)).toEqual({ ...before, ...changes, updatedAt: bench.vm.now })
    const { agent, owner } = actor
    expect(outcome.events).toEqual([
      { name: 'AgentUpdated', data: { agent, owner, old: INITIAL, new: updated, timestamp: bench.vm.now } },
    ])
  })

  it('shortens texts and fills the rest with zeros', () => {
    const [bench, actor] = given(registered)
    const image = bench.vm.account(actor.agent)
    bench.must('update_agent', actor.accounts, LONGEST)
    const event = eventOf(bench.must('update_agent', actor.accounts, INITIAL), 'AgentUpdated')
    expect(event.old).toEqual(LONGEST)
    expect(bench.vm.account(actor.agent)).toEqual(image)
  })

  it('requires a change, and URL and hash together', () => {
    const [bench, { accounts }] = given(registered)
    const update = (args: Args) => bench.error('update_agent', accounts, args)
    expect(update({})).toBe('NothingToUpdate')
    expect(update({ agentCardUrl: 'https://a' })).toBe('CardUrlAndHashTogether')
    expect(update({ agentCardHash: HASH })).toBe('CardUrlAndHashTogether')
  })

  it('requires the owner of an active agent and a registry that is not paused', () => {
    const [bench, { accounts, owner }] = given(registered)
    const update = (change = {}) => bench.error('update_agent', { ...accounts, ...change }, { name: 'B' })
    expect(update({ owner: registered(bench).owner })).toBe('NotOwner')
    expect(update({ owner: bench.admin })).toBe('NotOwner')
    bench.must('update_config', {}, { paused: true })
    expect(update()).toBe('Paused')
    bench.must('update_config', {}, { paused: false })
    bench.must('suspend_agent', { ...accounts, authority: owner })
    expect(update()).toBe('AgentNotActive')
    bench.must('deactivate_agent', accounts)
    expect(update()).toBe('AgentNotActive')
  })
})
