import { describe, expect, it } from 'vitest'
import type { Pubkey } from '@agent-registry/solana'
import { agentOf, eventOf, registered, staked, stakeOf, withdrawing, given } from './support/actors.ts'
import { type Accounts, type Bench, COOLDOWN, DAY, USDC } from './support/bench.ts'

const REQUEST_SIZE = 57

describe('request_withdrawal', () => {
  it('starts the cooldown and lowers the tier at once', () => {
    const [bench, actor] = given(staked)
    const lamports = bench.vm.lamportsOf(actor.owner)
    bench.vm.now += 30n
    const timestamp = bench.vm.now
    const outcome = bench.must('request_withdrawal', actor.accounts, { amount: 150n * USDC })
    const { agent, owner, stake } = actor
    const balances = { depositedAmount: 600n * USDC, lockedAmount: 0n, pendingWithdrawal: 150n * USDC }
    expect(outcome.events).toEqual([
      {
        name: 'WithdrawalRequested',
        data: { stake, agent, owner, amount: 150n * USDC, ...balances, timestamp },
      },
      {
        name: 'TierUpdated',
        data: { agent, owner, oldTier: 'standard', newTier: 'basic', stakeAmount: 450n * USDC, timestamp },
      },
    ])
    expect(stakeOf(bench, actor)).toMatchObject(balances)
    expect(agentOf(bench, actor)).toMatchObject({
      tier: 'basic',
      tierEffectiveAt: timestamp,
      updatedAt: timestamp,
    })
    expect(bench.read('WithdrawalRequest', actor.withdrawal)).toEqual({
      stake,
      amount: 150n * USDC,
      requestedAt: timestamp,
      bump: expect.any(Number),
    })
    expect(lamports - bench.vm.lamportsOf(owner)).toBe(bench.vm.rent(REQUEST_SIZE))
    expect(bench.usdcOf(actor.vault)).toBe(600n * USDC)
  })

  it('is limited to the amount that is neither locked nor pending, one at a time', () => {
    const [bench, actor] = given(staked)
    const request = (amount: bigint) => bench.error('request_withdrawal', actor.accounts, { amount })
    expect(request(0n)).toBe('InvalidAmount')
    expect(request(600n * USDC + 1n)).toBe('InsufficientStake')
    expect(request(2n ** 64n - 1n)).toBe('InsufficientStake')
    lock(bench, actor.stake, 100n * USDC)
    expect(request(500n * USDC + 1n)).toBe('InsufficientStake')
    expect(request(500n * USDC)).toBeNull()
    expect(request(1n)).toBe('WithdrawalPending')
    lock(bench, actor.stake, 700n * USDC)
    bench.must('cancel_withdrawal', actor.accounts)
    expect(request(1n)).toBe('Overflow')
  })

  it.each([1n, 890_880n, 9_000_000n])('works if its address already has %d lamports', (present) => {
    const [bench, actor] = given(staked)
    bench.vm.prefund(actor.withdrawal, present)
    bench.must('request_withdrawal', actor.accounts, { amount: USDC })
    const lamports = bench.vm.lamportsOf(actor.owner)
    bench.must('cancel_withdrawal', actor.accounts)
    const rent = bench.vm.rent(REQUEST_SIZE)
    expect(bench.vm.lamportsOf(actor.owner) - lamports).toBe(present > rent ? present : rent)
  })

  it('fails without a stake', () => {
    const [bench, { accounts }] = given(registered)
    expect(bench.error('request_withdrawal', accounts, { amount: 1n })).toBe('InvalidAccountOwner')
  })
})

describe('cancel_withdrawal', () => {
  it('restores the tier and returns the rent', () => {
    const [bench, actor] = given(withdrawing)
    expect(agentOf(bench, actor).tier).toBe('observer')
    bench.vm.now += 30n
    const timestamp = bench.vm.now
    const lamports = bench.vm.lamportsOf(actor.owner)
    const outcome = bench.must('cancel_withdrawal', actor.accounts)
    const { agent, owner, stake } = actor
    const balances = { depositedAmount: 600n * USDC, lockedAmount: 0n, pendingWithdrawal: 0n }
    expect(outcome.events).toEqual([
      {
        name: 'WithdrawalCancelled',
        data: { stake, agent, owner, amount: 600n * USDC, ...balances, timestamp },
      },
      {
        name: 'TierUpdated',
        data: { agent, owner, oldTier: 'observer', newTier: 'standard', stakeAmount: 600n * USDC, timestamp },
      },
    ])
    expect(agentOf(bench, actor)).toMatchObject({
      tier: 'standard',
      tierEffectiveAt: timestamp,
      updatedAt: timestamp,
    })
    expect(bench.vm.account(actor.withdrawal)).toBeNull()
    expect(bench.vm.lamportsOf(owner) - lamports).toBe(bench.vm.rent(REQUEST_SIZE))
    expect(bench.error('cancel_withdrawal', actor.accounts)).toBe('InvalidAccountOwner')
  })
})

describe('complete_withdrawal', () => {
  it('pays after the cooldown, not a second before', () => {
    const [bench, actor] = given((each) => withdrawing(each, 600n * USDC))
    bench.vm.now += COOLDOWN - 1n
    expect(bench.error('complete_withdrawal', actor.accounts)).toBe('CooldownNotOver')
    bench.vm.now += 1n
    const before = agentOf(bench, actor)
    const lamports = bench.vm.lamportsOf(actor.owner)
    const outcome = bench.must('complete_withdrawal', actor.accounts)
    const { agent, owner, stake } = actor
    const balances = { depositedAmount: 0n, lockedAmount: 0n, pendingWithdrawal: 0n }
    expect(outcome.events).toEqual([
      {
        name: 'StakeWithdrawn',
        data: { stake, agent, owner, amount: 600n * USDC, ...balances, timestamp: bench.vm.now },
      },
    ])
    expect(stakeOf(bench, actor)).toMatchObject(balances)
    expect(agentOf(bench, actor)).toEqual(before)
    expect(bench.usdcOf(actor.ownerToken)).toBe(10_000n * USDC)
    expect(bench.usdcOf(actor.vault)).toBe(0n)
    expect(bench.vm.lamportsOf(owner) - lamports).toBe(bench.vm.rent(REQUEST_SIZE))
    expect(bench.error('complete_withdrawal', actor.accounts)).toBe('InvalidAccountOwner')
  })

  it('pays into any USDC account of the owner, and no other account', () => {
    const [bench, actor] = given(withdrawing)
    const other = withdrawing(bench)
    bench.vm.now += COOLDOWN
    const complete = (change: Accounts) =>
      bench.error('complete_withdrawal', { ...actor.accounts, ...change })
    expect(complete({ ownerToken: other.ownerToken })).toBe('InvalidTokenAccount')
    expect(complete({ ownerToken: bench.tokenAccount(actor.owner, 0n, bench.wallet()) })).toBe(
      'InvalidTokenAccount',
    )
    expect(complete({ ownerToken: actor.vault })).toBe('InvalidTokenAccount')
    expect(complete({ vault: other.vault })).toBe('InvalidPda')
    expect(complete({ withdrawal: other.withdrawal })).toBe('InvalidPda')
    expect(complete({ stake: other.stake, withdrawal: other.withdrawal, vault: other.vault })).toBe(
      'InvalidPda',
    )
    expect(complete({ owner: other.owner, ownerToken: other.ownerToken })).toBe('NotOwner')
    const ownerToken = bench.tokenAccount(actor.owner, 5n)
    expect(complete({ ownerToken })).toBeNull()
    expect(bench.usdcOf(ownerToken)).toBe(600n * USDC + 5n)
  })

  it('uses the cooldown that is configured at payment', () => {
    const [bench, actor] = given(withdrawing)
    bench.vm.now += DAY
    expect(bench.error('complete_withdrawal', actor.accounts)).toBe('CooldownNotOver')
    bench.must('update_config', {}, { cooldownSeconds: DAY })
    bench.must('complete_withdrawal', actor.accounts)
  })
})

describe('withdrawals', () => {
  it.each(['paused', 'suspended by the admin', 'deactivated'])('work while %s', (state) => {
    const [bench, actor] = given(staked)
    if (state === 'paused') bench.must('update_config', {}, { paused: true })
    else if (state === 'deactivated') bench.must('deactivate_agent', actor.accounts)
    else bench.must('suspend_agent', { ...actor.accounts, authority: bench.admin })
    bench.must('request_withdrawal', actor.accounts, { amount: 600n * USDC })
    expect(agentOf(bench, actor).tier).toBe('observer')
    bench.must('cancel_withdrawal', actor.accounts)
    bench.must('request_withdrawal', actor.accounts, { amount: 599n * USDC })
    bench.vm.now += COOLDOWN
    expect(eventOf(bench.must('complete_withdrawal', actor.accounts), 'StakeWithdrawn').depositedAmount).toBe(
      USDC,
    )
  })

  it('require the owner', () => {
    const [bench, { accounts }] = given(withdrawing)
    const { owner } = staked(bench)
    for (const name of ['cancel_withdrawal', 'complete_withdrawal'])
      expect(bench.error(name, { ...accounts, owner })).toBe('NotOwner')
    expect(bench.error('request_withdrawal', { ...accounts, owner }, { amount: 1n })).toBe('NotOwner')
  })
})

function lock(bench: Bench, stake: Pubkey, amount: bigint): void {
  bench.vm.edit(stake, (data) => void data.writeBigUInt64LE(amount, 80))
}
