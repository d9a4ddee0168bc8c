import { describe, expect, it } from 'vitest'
import { agentOf, eventOf, registered, staked, stakeOf, given } from './support/actors.ts'
import { type Accounts, Bench, THRESHOLDS, USDC } from './support/bench.ts'
import { mintData, TOKEN_PROGRAM } from './support/token-images.ts'

const STAKE_SIZE = 129
const VAULT_SIZE = 165

const depositError = (bench: Bench, accounts: Accounts, amount = USDC) =>
  bench.error('deposit', accounts, { amount })

describe('deposit', () => {
  it('opens stake and vault, moves the USDC and raises the tier', () => {
    const [bench, actor] = given(registered)
    const before = agentOf(bench, actor)
    const lamports = bench.vm.lamportsOf(actor.payer)
    bench.vm.now += 30n
    const timestamp = bench.vm.now
    const outcome = bench.must('deposit', actor.accounts, { amount: 600n * USDC })
    const { agent, owner, stake, payer } = actor
    const balances = { depositedAmount: 600n * USDC, lockedAmount: 0n, pendingWithdrawal: 0n }
    expect(outcome.events).toEqual([
      { name: 'StakeDeposited', data: { stake, agent, owner, amount: 600n * USDC, ...balances, timestamp } },
      {
        name: 'TierUpdated',
        data: { agent, owner, oldTier: 'observer', newTier: 'standard', stakeAmount: 600n * USDC, timestamp },
      },
    ])
    expect(stakeOf(bench, actor)).toEqual({
      agent,
      owner,
      ...balances,
      rentPayer: payer,
      bump: expect.any(Number),
    })
    const tier = { tier: 'standard', tierEffectiveAt: timestamp, updatedAt: timestamp }
    expect(agentOf(bench, actor)).toEqual({ ...before, ...tier })
    expect(bench.usdcOf(actor.vault)).toBe(600n * USDC)
    expect(bench.usdcOf(actor.ownerToken)).toBe(9_400n * USDC)
    expect(lamports - bench.vm.lamportsOf(payer)).toBe(bench.vm.rent(STAKE_SIZE) + bench.vm.rent(VAULT_SIZE))
  })

  it('adds to the stake without rent, and logs no TierUpdated if the tier stays', () => {
    const [bench, actor] = given((each) => staked(each, 100n * USDC))
    const before = agentOf(bench, actor)
    bench.vm.now += 30n
    const other = bench.wallet()
    const outcome = bench.must('deposit', { ...actor.accounts, payer: other }, { amount: USDC })
    expect(outcome.events.map((event) => event.name)).toEqual(['StakeDeposited'])
    expect(stakeOf(bench, actor)).toMatchObject({ depositedAmount: 101n * USDC, rentPayer: actor.payer })
    expect(agentOf(bench, actor)).toEqual(before)
  })

  it('sets the tier by the highest threshold reached', () => {
    const [bench, actor] = given(registered)
    let total = 0n
    for (const [below, reached, threshold] of [
      ['observer', 'basic', THRESHOLDS[1]!],
      ['basic', 'standard', THRESHOLDS[2]!],
      ['standard', 'premium', THRESHOLDS[3]!],
    ] as const) {
      bench.must('deposit', actor.accounts, { amount: threshold - total - 1n })
      expect(agentOf(bench, actor).tier).toBe(below)
      bench.must('deposit', actor.accounts, { amount: 1n })
      expect(agentOf(bench, actor).tier).toBe(reached)
      total = threshold
    }
  })

  it.each([1n, 890_880n, 9_000_000n])(
    'survives %d lamports at the addresses of stake and vault',
    (present) => {
      const [bench, actor] = given(registered)
      for (const key of [actor.stake, actor.vault]) bench.vm.prefund(key, present)
      bench.must('deposit', actor.accounts, { amount: USDC })
      expect(bench.usdcOf(actor.vault)).toBe(USDC)
      expect(stakeOf(bench, actor).depositedAmount).toBe(USDC)
    },
  )

  it('accepts the same wallet as owner and payer', () => {
    const [bench, actor] = given(registered)
    bench.must('deposit', { ...actor.accounts, payer: actor.owner }, { amount: USDC })
    expect(stakeOf(bench, actor)).toMatchObject({ depositedAmount: USDC, rentPayer: actor.owner })
  })

  it('requires an amount, an active agent, and a registry that is not paused', () => {
    const [bench, actor] = given(registered)
    expect(depositError(bench, actor.accounts, 0n)).toBe('InvalidAmount')
    bench.must('update_config', {}, { paused: true })
    expect(depositError(bench, actor.accounts)).toBe('Paused')
    bench.must('update_config', {}, { paused: false })
    bench.must('suspend_agent', { ...actor.accounts, authority: actor.owner })
    expect(depositError(bench, actor.accounts)).toBe('AgentNotActive')
    bench.must('deactivate_agent', actor.accounts)
    expect(depositError(bench, actor.accounts)).toBe('AgentNotActive')
  })

  it('transfers USDC only from an account of the owner', () => {
    const [bench, actor] = given(staked)
    const other = staked(bench)
    const mint = bench.wallet()
    bench.vm.put({ address: mint, owner: TOKEN_PROGRAM, executable: false, data: mintData(6) })
    const attempt = (change: Accounts) => depositError(bench, { ...actor.accounts, ...change })
    expect(attempt({ owner: other.owner })).toBe('NotOwner')
    expect(attempt({ ownerToken: other.ownerToken })).toBe('InvalidTokenAccount')
    expect(attempt({ ownerToken: bench.tokenAccount(actor.owner, USDC, mint) })).toBe('InvalidTokenAccount')
    expect(attempt({ usdcMint: mint })).toBe('InvalidMint')
    expect(attempt({ ownerToken: actor.vault })).toBe('InvalidTokenAccount')
    expect(attempt({ ownerToken: other.vault })).toBe('InvalidTokenAccount')
  })

  it("accepts only the agent's own vault", () => {
    const [bench, actor] = given(staked)
    const other = staked(bench)
    const attempt = (change: Accounts) => depositError(bench, { ...actor.accounts, ...change })
    expect(attempt({ vault: other.vault })).toBe('InvalidPda')
    expect(attempt({ vault: bench.tokenAccount(actor.stake, 0n) })).toBe('InvalidPda')
    expect(attempt({ vault: actor.ownerToken })).toBe('InvalidPda')
    expect(attempt({ stake: other.stake })).toBe('InvalidPda')
    expect(attempt({ stake: bench.wallet() })).toBe('InvalidPda')
    expect(attempt({ agent: other.agent, stake: other.stake, vault: other.vault })).toBe('NotOwner')
  })

  it('fails without enough USDC', () => {
    const bench = Bench.initialized()
    expect(depositError(bench, registered(bench).accounts, 10_001n * USDC)).toBe('custom 1')
  })

  it('fails when the total would overflow', () => {
    const [bench, actor] = given(staked)
    bench.vm.edit(actor.stake, (data) => void data.writeBigUInt64LE(2n ** 64n - 5n, 72))
    expect(depositError(bench, actor.accounts, 5n)).toBe('Overflow')
    const outcome = bench.must('deposit', actor.accounts, { amount: 4n })
    expect(eventOf(outcome, 'StakeDeposited').depositedAmount).toBe(2n ** 64n - 1n)
  })
})
