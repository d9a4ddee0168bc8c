import { describe, expect, it } from 'vitest'
import {
  AFTER_RECORD,
  agentOf,
  deactivated,
  emptied,
  register,
  registered,
  reporter,
  staked,
  given,
} from './support/actors.ts'
import { DAY } from './support/bench.ts'

const AGENT_SIZE = 421
const RECORD_SIZE = 51

describe('deactivate_agent', () => {
  it.each(['active', 'suspended'] as const)('deactivates an %s agent and writes the record', (oldStatus) => {
    const [bench, actor] = given(registered)
    if (oldStatus === 'suspended') bench.must('suspend_agent', { ...actor.accounts, authority: actor.owner })
    const before = agentOf(bench, actor)
    const lamports = bench.vm.lamportsOf(actor.owner)
    bench.vm.now += 9n
    const { agent, owner } = actor
    const { now } = bench.vm
    const outcome = bench.must('deactivate_agent', actor.accounts)
    const data = { agent, owner, oldStatus, newStatus: 'deactivated', finalReputation: 250, timestamp: now }
    expect(outcome.events).toEqual([{ name: 'AgentDeactivated', data }])
    expect(agentOf(bench, actor)).toEqual({ ...before, status: 'deactivated', updatedAt: now })
    expect(bench.read('DeactivationRecord', actor.deactivationRecord)).toEqual({
      owner,
      deactivatedAt: now,
      finalReputation: 250,
      bump: expect.any(Number),
    })
    expect(lamports - bench.vm.lamportsOf(owner)).toBe(bench.vm.rent(RECORD_SIZE))
  })

  it('overwrites the record of an earlier agent without a second rent', () => {
    const [bench, actor] = given(deactivated)
    const first = bench.read('DeactivationRecord', actor.deactivationRecord)
    bench.must('close_agent', actor.accounts)
    register(bench, actor)
    bench.vm.now += 5n * DAY
    const lamports = bench.vm.lamportsOf(actor.owner)
    bench.must('deactivate_agent', actor.accounts)
    const record = bench.read('DeactivationRecord', actor.deactivationRecord)
    expect(record).toEqual({ ...first, deactivatedAt: bench.vm.now })
    expect(bench.vm.lamportsOf(actor.owner)).toBe(lamports)
  })

  it("works if the record's address already has lamports", () => {
    const [bench, actor] = given(registered)
    bench.vm.prefund(actor.deactivationRecord, 1_000_000n)
    bench.must('deactivate_agent', actor.accounts)
    expect(bench.vm.lamportsOf(actor.deactivationRecord)).toBe(bench.vm.rent(RECORD_SIZE))
  })

  it('is final, and requires the owner and an active registry', () => {
    const [bench, { accounts }] = given(registered)
    const deactivate = (change = {}) => bench.error('deactivate_agent', { ...accounts, ...change })
    const stranger = registered(bench)
    expect(deactivate({ owner: stranger.owner, deactivationRecord: stranger.deactivationRecord })).toBe(
      'NotOwner',
    )
    bench.must('update_config', {}, { paused: true })
    expect(deactivate()).toBe('Paused')
    bench.must('update_config', {}, { paused: false })
    expect(deactivate()).toBeNull()
    expect(deactivate()).toBe('AgentDeactivated')
  })
})

describe('close_agent', () => {
  it('returns the rent to the rent payer and leaves no account', () => {
    const [bench, actor] = given(deactivated)
    const [payer, owner] = [bench.vm.lamportsOf(actor.payer), bench.vm.lamportsOf(actor.owner)]
    const outcome = bench.must('close_agent', actor.accounts)
    const data = { agent: actor.agent, owner: actor.owner, timestamp: bench.vm.now }
    expect(outcome.events).toEqual([{ name: 'AgentClosed', data }])
    expect(bench.vm.account(actor.agent)).toBeNull()
    expect(bench.vm.lamportsOf(actor.payer) - payer).toBe(bench.vm.rent(AGENT_SIZE))
    expect(bench.vm.lamportsOf(actor.owner)).toBe(owner)
  })

  it('returns the rent to nobody else', () => {
    const [bench, { accounts, owner }] = given(deactivated)
    for (const rentPayer of [owner, bench.wallet()])
      expect(bench.error('close_agent', { ...accounts, rentPayer })).toBe('InvalidRentPayer')
  })

  it('accepts the same account as owner and rent payer', () => {
    const [bench, actor] = given((each) => each.actor())
    const accounts = { ...actor.accounts, payer: actor.owner, rentPayer: actor.owner }
    register(bench, { ...actor, accounts })
    bench.must('deactivate_agent', accounts)
    const lamports = bench.vm.lamportsOf(actor.owner)
    bench.must('close_agent', accounts)
    expect(bench.vm.lamportsOf(actor.owner) - lamports).toBe(bench.vm.rent(AGENT_SIZE))
  })

  it('requires a deactivated agent and a closed stake', () => {
    const [bench, actor] = given(staked)
    expect(bench.error('close_agent', actor.accounts)).toBe('AgentNotDeactivated')
    bench.must('deactivate_agent', actor.accounts)
    expect(bench.error('close_agent', actor.accounts)).toBe('StakeExists')
    const empty = emptied(bench)
    expect(bench.error('close_agent', empty.accounts)).toBe('StakeExists')
    bench.must('close_stake', empty.accounts)
    bench.must('close_agent', empty.accounts)
  })

  it('is refused until midnight UTC after a change of reputation, so that the daily cap holds', () => {
    const [bench, actor] = given(registered)
    const report = { ...reporter(bench), agent: actor.agent }
    bench.must('report_behavior', report, { delta: 50, reason: 0 })
    bench.must('deactivate_agent', actor.accounts)
    const close = () => bench.error('close_agent', actor.accounts)
    expect(close()).toBe('ReputationChangedToday')
    bench.vm.now += DAY - (bench.vm.now % DAY) - 1n
    expect(close()).toBe('ReputationChangedToday')
    bench.vm.now += 1n
    expect(close()).toBeNull()
    register(bench, actor)
    expect(agentOf(bench, actor).reputationScore).toBe(300)
  })

  it("is allowed if the day's changes add up to zero", () => {
    const [bench, actor] = given(registered)
    const report = { ...reporter(bench), agent: actor.agent }
    for (const delta of [50, -50]) bench.must('report_behavior', report, { delta, reason: 0 })
    bench.must('deactivate_agent', actor.accounts)
    expect(bench.error('close_agent', actor.accounts)).toBeNull()
  })

  it('works if the address of the stake has lamports', () => {
    const [bench, actor] = given(deactivated)
    bench.vm.prefund(actor.stake, 5_000_000n)
    expect(bench.error('close_agent', actor.accounts)).toBeNull()
  })

  it('requires the owner and a registry that is not paused', () => {
    const [bench, { accounts }] = given(deactivated)
    const { owner } = registered(bench)
    expect(bench.error('close_agent', { ...accounts, owner })).toBe('NotOwner')
    bench.must('update_config', {}, { paused: true })
    expect(bench.error('close_agent', accounts)).toBe('Paused')
  })
})

describe('close_deactivation_record', () => {
  it('returns the rent to the owner, after 30 days', () => {
    const [bench, actor] = given(deactivated)
    bench.vm.now += AFTER_RECORD - 1n
    expect(bench.error('close_deactivation_record', actor.accounts)).toBe('RecordTooYoung')
    bench.vm.now += 1n
    const lamports = bench.vm.lamportsOf(actor.owner)
    bench.must('close_deactivation_record', actor.accounts)
    expect(bench.vm.account(actor.deactivationRecord)).toBeNull()
    expect(bench.vm.lamportsOf(actor.owner) - lamports).toBe(bench.vm.rent(RECORD_SIZE))
  })

  it('requires its owner and a registry that is not paused', () => {
    const [bench, { accounts }] = given(deactivated)
    const { owner } = deactivated(bench)
    bench.vm.now += AFTER_RECORD
    expect(bench.error('close_deactivation_record', { ...accounts, owner })).toBe('InvalidPda')
    bench.must('update_config', {}, { paused: true })
    expect(bench.error('close_deactivation_record', accounts)).toBe('Paused')
  })
})
