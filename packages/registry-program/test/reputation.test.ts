import { describe, expect, it } from 'vitest'
import { agentOf, deactivated, eventOf, registered, reporter, given } from './support/actors.ts'
import { type Accounts, DAY } from './support/bench.ts'

function setUp(weight = 5) {
  const [bench, actor] = given(registered)
  const accounts: Accounts = { ...reporter(bench, weight), agent: actor.agent }
  return {
    bench,
    actor,
    accounts,
    report: (delta: number) => bench.must('report_behavior', accounts, { delta, reason: 3 }),
    score: () => agentOf(bench, actor).reputationScore,
  }
}

describe('report_behavior', () => {
  it('changes the score and logs the event', () => {
    const { bench, actor, accounts, report } = setUp()
    const before = agentOf(bench, actor)
    bench.vm.now += 60n
    const { now } = bench.vm
    const outcome = report(-12)
    const data = {
      agent: actor.agent,
      owner: actor.owner,
      oldScore: 250,
      newScore: 238,
      delta: -12,
      reason: 3,
    }
    expect(outcome.events).toEqual([
      { name: 'ReputationUpdated', data: { ...data, reporter: accounts['authority'], timestamp: now } },
    ])
    expect(agentOf(bench, actor)).toEqual({
      ...before,
      reputationScore: 238,
      reputationChangeToday: -12,
      reputationDayStart: now - (now % DAY),
      reputationUpdatedAt: now,
      updatedAt: now,
    })
    expect(bench.read('ReputationReporter', accounts['reporter']!)?.totalReports).toBe(1n)
  })

  it.each([
    [5, 7, 7],
    [5, 50, 50],
    [5, 51, 50],
    [5, 32_767, 50],
    [5, -32_768, -50],
    [7, 3, 4],
    [7, -3, -4],
    [9, 1, 1],
    [9, -1, -1],
    [6, -4, -4],
    [8, 50, 80],
    [10, 50, 100],
    [10, -51, -100],
  ])('weight %i makes %i a change of %i', (weight, delta, change) => {
    const { report, score } = setUp(weight)
    expect(eventOf(report(delta), 'ReputationUpdated').delta).toBe(change)
    expect(score()).toBe(250 + change)
  })

  it('is limited to a net change of 100 a day, in both directions', () => {
    const { report, score } = setUp()
    report(50)
    report(30)
    expect(eventOf(report(50), 'ReputationUpdated').delta).toBe(20)
    expect(score()).toBe(350)
    expect(report(1).events).toEqual([])
    report(-50)
    report(-50)
    report(-50)
    expect(eventOf(report(-50), 'ReputationUpdated').delta).toBe(-50)
    expect(report(-1).events).toEqual([])
    expect(score()).toBe(150)
    expect(eventOf(report(50), 'ReputationUpdated').newScore).toBe(200)
  })

  it('starts a new limit at midnight UTC', () => {
    const { bench, report, score } = setUp(10)
    bench.vm.now += DAY - (bench.vm.now % DAY) - 1n
    report(50)
    expect(report(50).events).toEqual([])
    bench.vm.now += 1n
    expect(bench.vm.now % DAY).toBe(0n)
    expect(eventOf(report(50), 'ReputationUpdated').newScore).toBe(450)
    bench.vm.now += DAY - 1n
    expect(report(50).events).toEqual([])
    expect(score()).toBe(450)
  })

  it('stays between 0 and 1000, and the limit counts only the change that happened', () => {
    const { bench, actor, report, score } = setUp(10)
    for (const expected of [150, 50]) {
      report(-50)
      expect(score()).toBe(expected)
      bench.vm.now += DAY
    }
    expect(eventOf(report(-50), 'ReputationUpdated').delta).toBe(-50)
    expect(agentOf(bench, actor).reputationChangeToday).toBe(-50)
    expect(score()).toBe(0)
    expect(eventOf(report(50), 'ReputationUpdated').delta).toBe(100)
    for (let day = 0; day < 9; day++) {
      bench.vm.now += DAY
      report(50)
    }
    expect(score()).toBe(1000)
    bench.vm.now += DAY
    expect(report(50).events).toEqual([])
  })

  it('counts a report without effect and leaves the agent as it is', () => {
    const { bench, actor, accounts, report } = setUp(10)
    report(50)
    const before = bench.vm.account(actor.agent)
    bench.vm.now += 5n
    expect(report(50).events).toEqual([])
    expect(bench.vm.account(actor.agent)).toEqual(before)
    expect(bench.read('ReputationReporter', accounts['reporter']!)?.totalReports).toBe(2n)
  })

  it('applies to suspended agents, but not to deactivated ones', () => {
    const { bench, actor, accounts, report, score } = setUp()
    bench.must('suspend_agent', { ...actor.accounts, authority: bench.admin })
    report(-10)
    expect(score()).toBe(240)
    const { agent } = deactivated(bench)
    expect(bench.error('report_behavior', { ...accounts, agent }, { delta: 1, reason: 0 })).toBe(
      'AgentDeactivated',
    )
  })

  it('requires an active reporter, a delta, and a registry that is not paused', () => {
    const { bench, accounts } = setUp()
    const report = (change = {}, delta = 1) =>
      bench.error('report_behavior', { ...accounts, ...change }, { delta, reason: 0 })
    expect(report({}, 0)).toBe('ZeroDelta')
    expect(report({ authority: bench.admin })).toBe('InvalidPda')
    expect(report({ authority: reporter(bench).authority })).toBe('InvalidPda')
    bench.must('set_reporter_active', accounts, { active: false })
    expect(report()).toBe('ReporterInactive')
    bench.must('update_config', {}, { paused: true })
    expect(report()).toBe('Paused')
  })

  it('stops counting before the counter overflows', () => {
    const { bench, accounts } = setUp()
    const address = accounts['reporter']!
    bench.vm.edit(address, (data) => void data.fill(0xff, 72 + 4 + 6 + 1, 72 + 4 + 6 + 1 + 8))
    expect(bench.read('ReputationReporter', address)?.totalReports).toBe(2n ** 64n - 1n)
    expect(bench.error('report_behavior', accounts, { delta: 1, reason: 0 })).toBe('Overflow')
  })
})
