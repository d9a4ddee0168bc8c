import * as fc from '../../../../test/support/property.ts'
import { expect, it } from 'vitest'
import { sequences } from '../support/sequences.ts'
import { WATCHED, type World, world } from '../support/steps.ts'

const RUNS = 25
const TIME_LIMIT_MS = 120_000

function expectSame({ bench, model, owners }: World): void {
  for (const { actor, holdings } of owners) {
    expect(bench.read('Agent', actor.agent)).toEqual(holdings.agent)
    expect(bench.read('Stake', actor.stake)).toEqual(holdings.stake)
    expect(bench.read('WithdrawalRequest', actor.withdrawal)).toEqual(holdings.withdrawal)
    expect(bench.read('DeactivationRecord', actor.deactivationRecord)).toEqual(holdings.record)
    expect(bench.usdcOf(actor.ownerToken)).toBe(holdings.ownerTokens)
    expect(holdings.stake === null ? 0n : bench.usdcOf(actor.vault)).toBe(holdings.vaultTokens)
    for (const name of WATCHED)
      expect([name, bench.vm.lamportsOf(actor[name])]).toEqual([name, model.lamports.get(actor[name])])
  }
}

it(
  'agrees with the model after every step of any sequence',
  () => {
    const succeeded = new Set<string>()
    const run = fc.property(sequences, (sequence) => {
      const state = world()
      for (const [step, which] of sequence) {
        const { expected, error } = step.run(state, state.owners[which]!)
        expect(error).toBe(expected)
        if (error === null) succeeded.add(step[fc.toStringMethod]().split(' ')[0]!)
        expectSame(state)
      }
    })
    // Shrinking replays whole sequences, which is too slow.
    fc.assert(run, { numRuns: RUNS, endOnFailure: true })
    // Shorter sequences would prove little.
    for (const rule of [
      'complete_withdrawal',
      'close_stake',
      'close_agent',
      'close_deactivation_record',
      'reactivate',
    ])
      expect(succeeded).toContain(rule)
  },
  TIME_LIMIT_MS,
)
