import { describe, expect, it } from 'vitest'
import type { Pubkey } from '@agent-registry/solana'
import {
  agentOf,
  AFTER_RECORD,
  deactivated,
  eventOf,
  HASH,
  register,
  REGISTRATION,
  registered,
  given,
} from './support/actors.ts'
import { Bench, DAY } from './support/bench.ts'

const AGENT_SIZE = 421

describe('register_agent', () => {
  it('writes the agent and logs the event', () => {
    const [bench, actor] = given((each) => each.actor())
    const outcome = register(bench, actor)
    const { owner, payer, agent } = actor
    const shared = { name: 'Ann', serviceCategory: 'research', capabilities: 0n, version: '' } as const
    const card = { agentCardUrl: REGISTRATION.agentCardUrl, agentCardHash: HASH }
    const fresh = {
      owner,
      tier: 'observer',
      status: 'active',
      reputationScore: 250,
      rentPayer: payer,
    } as const
    const { now } = bench.vm
    expect(outcome.events).toEqual([
      { name: 'AgentRegistered', data: { agent, ...shared, ...card, ...fresh, timestamp: now } },
    ])
    expect(agentOf(bench, actor)).toEqual({
      ...shared,
      ...card,
      ...fresh,
      createdAt: now,
      updatedAt: now,
      reputationUpdatedAt: now,
      tierEffectiveAt: now,
      reputationChangeToday: 0,
      reputationDayStart: now - (now % DAY),
      suspendedByAdmin: false,
      bump: expect.any(Number),
    })
  })

  it('charges the payer, not the owner, the rent of the full size', () => {
    const [bench, actor] = given((each) => each.actor())
    const before = [bench.vm.lamportsOf(actor.payer), bench.vm.lamportsOf(actor.owner)]
    register(bench, actor)
    const rent = bench.vm.rent(AGENT_SIZE)
    expect(bench.vm.account(actor.agent)?.data.length).toBe(AGENT_SIZE)
    expect(bench.vm.lamportsOf(actor.agent)).toBe(rent)
    expect(before[0]! - bench.vm.lamportsOf(actor.payer)).toBe(rent)
    expect(bench.vm.lamportsOf(actor.owner)).toBe(before[1])
  })

  it.each([1n, 890_880n, 50_000_000n])('works if the address already has %d lamports', (present) => {
    const [bench, actor] = given((each) => each.actor())
    bench.vm.prefund(actor.agent, present)
    const before = bench.vm.lamportsOf(actor.payer)
    register(bench, actor)
    const rent = bench.vm.rent(AGENT_SIZE)
    expect(before - bench.vm.lamportsOf(actor.payer)).toBe(present < rent ? rent - present : 0n)
    expect(agentOf(bench, actor).owner).toBe(actor.owner)
  })

  it('is possible once per owner', () => {
    const [bench, actor] = given(registered)
    expect(bench.error('register_agent', actor.accounts, REGISTRATION)).toBe('AlreadyInitialized')
    bench.must('deactivate_agent', actor.accounts)
    expect(bench.error('register_agent', actor.accounts, REGISTRATION)).toBe('AlreadyInitialized')
  })

  it('fails while paused, and without lamports to pay', () => {
    const bench = Bench.initialized()
    const poor = { ...bench.actor().accounts, payer: bench.wallet() }
    expect(bench.error('register_agent', poor, REGISTRATION)).toBe('custom 1')
    bench.must('update_config', {}, { paused: true })
    expect(bench.error('register_agent', bench.actor().accounts, REGISTRATION)).toBe('Paused')
  })

  it('takes over the reputation of the deactivation record', () => {
    const [bench, actor] = given(deactivated)
    rewriteFinalReputation(bench, actor.deactivationRecord, 17)
    bench.must('close_agent', actor.accounts)
    const event = eventOf(register(bench, actor), 'AgentRegistered')
    expect(event.reputationScore).toBe(17)
    expect(agentOf(bench, actor).reputationScore).toBe(17)
  })

  it('starts with the default reputation after the record is closed', () => {
    const [bench, actor] = given(deactivated)
    rewriteFinalReputation(bench, actor.deactivationRecord, 17)
    bench.must('close_agent', actor.accounts)
    bench.vm.now += AFTER_RECORD
    bench.must('close_deactivation_record', actor.accounts)
    register(bench, actor)
    expect(agentOf(bench, actor).reputationScore).toBe(250)
  })

  it('does not accept an empty account or the record of another owner as the record', () => {
    const [bench, actor] = given(deactivated)
    const other = deactivated(bench)
    bench.must('close_agent', actor.accounts)
    for (const deactivationRecord of [bench.wallet(), other.deactivationRecord]) {
      const accounts = { ...actor.accounts, deactivationRecord }
      expect(bench.error('register_agent', accounts, REGISTRATION)).toBe('InvalidPda')
    }
  })
})

function rewriteFinalReputation(bench: Bench, record: Pubkey, score: number): void {
  bench.vm.edit(record, (data) => void data.writeUInt16LE(score, 48))
}
