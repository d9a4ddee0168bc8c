import { describe, expect, it } from 'vitest'
import { REGISTRATION, given } from './support/actors.ts'
import { Bench } from './support/bench.ts'

const AGENT_SIZE = 421n
const OVERHEAD = 128n

describe('the rent of a new account', () => {
  it.each([
    [3_480n, 2, 6_960n],
    [6_960n, 1, 6_960n],
    [1_000n, 4, 4_000n],
  ])('with %d lamports per byte and the threshold %d', (rate, threshold, perByte) => {
    const [bench, actor] = given((each) => each.actor())
    bench.vm.setRent(rate, threshold)
    bench.must('register_agent', actor.accounts, REGISTRATION)
    expect(bench.vm.lamportsOf(actor.agent)).toBe((AGENT_SIZE + OVERHEAD) * perByte)
  })

  it.each([
    [3_480n, 1.5],
    [3_480n, 0.5],
  ])('fails if it cannot be computed: %d lamports per byte, threshold %d', (rate, threshold) => {
    const bench = Bench.initialized()
    const { accounts } = bench.actor()
    bench.vm.setRent(rate, threshold)
    expect(bench.error('register_agent', accounts, REGISTRATION)).toBe('Overflow')
  })
})
