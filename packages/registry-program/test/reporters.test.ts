import { describe, expect, it } from 'vitest'
import { registered, reporter, given } from './support/actors.ts'
import { Bench } from './support/bench.ts'

const register = (bench: Bench, args: Record<string, unknown>, admin = bench.admin): string | null =>
  bench.error(
    'register_reporter',
    { admin, authority: bench.wallet() },
    { label: 'Market', weight: 5, ...args },
  )

describe('register_reporter', () => {
  it('writes the reporter at full size, paid by the admin', () => {
    const bench = Bench.initialized()
    const authority = bench.wallet()
    const before = bench.vm.lamportsOf(bench.admin)
    bench.must('register_reporter', { authority }, { label: 'Märkte ✓', weight: 10 })
    const address = bench.at.reporter(authority)
    expect(bench.read('ReputationReporter', address)).toEqual({
      authority,
      registeredBy: bench.admin,
      label: 'Märkte ✓',
      weight: 10,
      totalReports: 0n,
      active: true,
      bump: expect.any(Number),
    })
    expect(bench.vm.account(address)?.data.length).toBe(119)
    expect(before - bench.vm.lamportsOf(bench.admin)).toBe(bench.vm.rent(119))
  })

  it('requires the admin, once per authority', () => {
    const bench = Bench.initialized()
    expect(register(bench, {}, bench.wallet())).toBe('NotAdmin')
    const { authority } = reporter(bench)
    const again = bench.call('register_reporter', { authority }, { label: 'Again', weight: 9 })
    expect(again.error).toBe('AlreadyInitialized')
  })

  it('checks label and weight', () => {
    const bench = Bench.initialized()
    for (const label of ['', 'x'.repeat(33), 'tab\there'])
      expect(register(bench, { label })).toBe('InvalidLabel')
    for (const weight of [0, 4, 11, 255]) expect(register(bench, { weight })).toBe('InvalidWeight')
    expect(register(bench, { label: 'x'.repeat(32) })).toBeNull()
  })
})

describe('set_reporter_active', () => {
  it('disables and enables a reporter', () => {
    const [bench, accounts] = given(reporter)
    const { agent } = registered(bench)
    const report = () => bench.error('report_behavior', { ...accounts, agent }, { delta: 1, reason: 0 })
    bench.must('set_reporter_active', accounts, { active: false })
    expect(bench.read('ReputationReporter', accounts.reporter)?.active).toBe(false)
    expect(report()).toBe('ReporterInactive')
    bench.must('set_reporter_active', accounts, { active: true })
    expect(report()).toBeNull()
  })

  it('requires the admin', () => {
    const bench = Bench.initialized()
    const accounts = { ...reporter(bench), admin: bench.wallet() }
    expect(bench.error('set_reporter_active', accounts, { active: false })).toBe('NotAdmin')
  })
})
