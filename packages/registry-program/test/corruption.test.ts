import { describe, expect, it } from 'vitest'
import type { Pubkey } from '@agent-registry/solana'
import { deactivated, registered, REGISTRATION, reporter } from './support/actors.ts'
import { Bench } from './support/bench.ts'

function rewrite(bench: Bench, address: Pubkey, at: number, bytes: number[]): void {
  const stored = bench.vm.account(address)
  if (stored === null) throw new Error('nothing to rewrite')
  stored.data.set(bytes, at)
  bench.vm.put({ ...stored, address, executable: false })
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
    const bench = Bench.initialized()
    const { agent, owner } = registered(bench)
    rewrite(bench, agent, at, bytes)
    expect(bench.call('suspend_agent', { agent, authority: owner }).error).toBe('InvalidAccountData')
  })

  it.each([
    ['a label beyond the end', 72, [0xff]],
    ['a flag out of range', 72 + 4 + 6 + 1 + 8, [2]],
  ])('is refused: a reporter with %s', (_, at, bytes) => {
    const bench = Bench.initialized()
    const accounts = reporter(bench)
    rewrite(bench, accounts.reporter, at, bytes)
    expect(bench.call('set_reporter_active', accounts, { active: false }).error).toBe('InvalidAccountData')
  })

  it('is refused: a deactivation record of another program', () => {
    const bench = Bench.initialized()
    const actor = deactivated(bench)
    bench.must('close_agent', actor.accounts)
    const stored = bench.vm.account(actor.deactivationRecord)
    if (stored === null) throw new Error('no record')
    const image = { ...stored, owner: bench.wallet(), address: actor.deactivationRecord, executable: false }
    bench.vm.put(image)
    expect(bench.call('register_agent', actor.accounts, REGISTRATION).error).toBe('InvalidAccountOwner')
  })
})
