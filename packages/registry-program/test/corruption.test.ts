import { describe, expect, it } from 'vitest'
import type { Pubkey } from '@agent-registry/solana'
import { deactivated, registered, REGISTRATION, reporter, given } from './support/actors.ts'
import type { Bench } from './support/bench.ts'

function rewrite(bench: Bench, address: Pubkey, at: number, bytes: number[]): void {
  bench.vm.edit(address, (data) => data.set(bytes, at))
}

const NAME_LENGTH = 49
const SUFFIX = 32 + 8 + 8 + 2 + 1 + 8 + 8 + 8 + 2 + 1
const STATUS_FROM_END = SUFFIX + 1

/** The offset of the fields after the texts. */
function endOf(name: string, url: string): number {
  return 8 + 32 + 1 + 8 + 4 + name.length + 1 + 4 + 4 + url.length + 32 + 1 + SUFFIX
}

describe('an account with malformed data', () => {
  const end = endOf(REGISTRATION.name, REGISTRATION.agentCardUrl)

  it.each([
    ['a tier out of range', 40, [4]],
    ['a name beyond the end', NAME_LENGTH, [0xff, 0xff, 0xff, 0xff]],
    ['a status out of range', end - STATUS_FROM_END, [3]],
    ['a flag out of range', end - 33, [2]],
  ])('is refused: an agent with %s', (_, at, bytes) => {
    const [bench, { agent, owner }] = given(registered)
    rewrite(bench, agent, at, bytes)
    expect(bench.error('suspend_agent', { agent, authority: owner })).toBe('InvalidAccountData')
  })

  it.each([
    ['a label beyond the end', 72, [0xff]],
    ['a flag out of range', 72 + 4 + 6 + 1 + 8, [2]],
  ])('is refused: a reporter with %s', (_, at, bytes) => {
    const [bench, accounts] = given(reporter)
    rewrite(bench, accounts.reporter, at, bytes)
    expect(bench.error('set_reporter_active', accounts, { active: false })).toBe('InvalidAccountData')
  })

  it('is refused: a deactivation record of another program', () => {
    const [bench, actor] = given(deactivated)
    bench.must('close_agent', actor.accounts)
    bench.vm.edit(actor.deactivationRecord, () => ({ owner: bench.wallet() }))
    expect(bench.error('register_agent', actor.accounts, REGISTRATION)).toBe('InvalidAccountOwner')
  })
})
