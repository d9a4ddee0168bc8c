import { describe, expect, it } from 'vitest'
import { agentOf, eventOf, registered, given } from './support/actors.ts'
import type { Actor, Bench } from './support/bench.ts'

const suspend = (bench: Bench, actor: Actor, authority = actor.owner) =>
  bench.call('suspend_agent', { agent: actor.agent, authority })
const reactivate = (bench: Bench, actor: Actor, authority = actor.owner) =>
  bench.call('reactivate_agent', { agent: actor.agent, authority })

describe('suspend_agent and reactivate_agent', () => {
  it.each(['owner', 'admin'] as const)('work for the %s', (who) => {
    const [bench, actor] = given(registered)
    const authority = who === 'admin' ? bench.admin : actor.owner
    const byAdmin = who === 'admin'
    const before = agentOf(bench, actor)
    bench.vm.now += 5n
    const { agent, owner } = actor
    const shared = { agent, owner, byAdmin }
    const suspended = suspend(bench, actor, authority)
    const change = { oldStatus: 'active', newStatus: 'suspended', timestamp: bench.vm.now }
    expect(suspended.events).toEqual([{ name: 'AgentSuspended', data: { ...shared, ...change } }])
    expect(agentOf(bench, actor)).toEqual({
      ...before,
      status: 'suspended',
      suspendedByAdmin: byAdmin,
      updatedAt: bench.vm.now,
    })
    bench.vm.now += 5n
    const event = eventOf(reactivate(bench, actor, authority), 'AgentReactivated')
    expect(event).toEqual({ ...shared, oldStatus: 'suspended', newStatus: 'active', timestamp: bench.vm.now })
    expect(agentOf(bench, actor)).toEqual({ ...before, updatedAt: bench.vm.now })
  })

  it("only the admin can end the admin's suspension", () => {
    const [bench, actor] = given(registered)
    suspend(bench, actor, bench.admin)
    expect(reactivate(bench, actor).error).toBe('SuspendedByAdmin')
    // A new agent does not avoid the suspension either.
    expect(bench.error('deactivate_agent', actor.accounts)).toBe('SuspendedByAdmin')
    expect(reactivate(bench, actor, bench.admin).error).toBeNull()
  })

  it('the admin can suspend an agent that its owner suspended, so that no owner can prevent it', () => {
    const [bench, actor] = given(registered)
    suspend(bench, actor)
    bench.vm.now += 5n
    const { agent, owner } = actor
    const change = { oldStatus: 'suspended', newStatus: 'suspended', timestamp: bench.vm.now }
    expect(eventOf(suspend(bench, actor, bench.admin), 'AgentSuspended')).toEqual({
      agent,
      owner,
      byAdmin: true,
      ...change,
    })
    expect(agentOf(bench, actor)).toMatchObject({ suspendedByAdmin: true, updatedAt: bench.vm.now })
    expect(reactivate(bench, actor).error).toBe('SuspendedByAdmin')
    expect(bench.error('deactivate_agent', actor.accounts)).toBe('SuspendedByAdmin')
  })

  it("the admin can end the owner's suspension", () => {
    const [bench, actor] = given(registered)
    suspend(bench, actor)
    expect(eventOf(reactivate(bench, actor, bench.admin), 'AgentReactivated').byAdmin).toBe(true)
  })

  it('treats an admin who owns the agent as the admin', () => {
    const [bench, actor] = given(registered)
    bench.must('update_config', {}, { admin: actor.owner })
    expect(eventOf(suspend(bench, actor), 'AgentSuspended').byAdmin).toBe(true)
    bench.must('update_config', { admin: actor.owner }, { admin: bench.admin })
    expect(reactivate(bench, actor).error).toBe('SuspendedByAdmin')
  })

  it('require the owner or the admin', () => {
    const [bench, actor] = given(registered)
    const stranger = registered(bench).owner
    expect(suspend(bench, actor, stranger).error).toBe('NotAuthorized')
    suspend(bench, actor)
    expect(reactivate(bench, actor, stranger).error).toBe('NotAuthorized')
  })

  it('require the right status', () => {
    const [bench, actor] = given(registered)
    expect(reactivate(bench, actor).error).toBe('AgentNotSuspended')
    suspend(bench, actor)
    expect(suspend(bench, actor).error).toBe('AgentNotActive')
    expect(suspend(bench, actor, bench.admin).error).toBeNull()
    expect(suspend(bench, actor).error).toBe('AgentNotActive')
    expect(suspend(bench, actor, bench.admin).error).toBe('AgentNotActive')
    expect(reactivate(bench, actor, bench.admin).error).toBeNull()
    bench.must('deactivate_agent', actor.accounts)
    expect(suspend(bench, actor).error).toBe('AgentNotActive')
    expect(suspend(bench, actor, bench.admin).error).toBe('AgentNotActive')
    expect(reactivate(bench, actor).error).toBe('AgentDeactivated')
    expect(reactivate(bench, actor, bench.admin).error).toBe('AgentDeactivated')
  })

  it('work for the admin while paused, but not for the owner', () => {
    const [bench, actor] = given(registered)
    bench.must('update_config', {}, { paused: true })
    expect(suspend(bench, actor).error).toBe('Paused')
    expect(suspend(bench, actor, bench.admin).error).toBeNull()
    expect(reactivate(bench, actor).error).toBe('Paused')
    expect(reactivate(bench, actor, bench.admin).error).toBeNull()
  })
})
