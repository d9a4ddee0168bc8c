import { readFileSync } from 'node:fs'
import { SystemProgram, PublicKey } from '@solana/web3.js'
import { describe, expect, it } from 'vitest'
import { deploymentAccounts } from '@agent-registry/solana'
import { agentOf, emptied, register, REGISTRATION, staked, stakeOf, given } from './support/actors.ts'
import { type Accounts, type Bench, COOLDOWN, USDC } from './support/bench.ts'
import { tokenAccountData } from './support/token-images.ts'

const STAKE_SIZE = 129
const VAULT_SIZE = 165
const AGENT_SIZE = 421
const ELF = readFileSync(new URL('../registry.so', import.meta.url))

function donate(
  bench: Bench,
  vault: Parameters<Bench['read']>[1],
  stake: Parameters<Bench['read']>[1],
  amount: bigint,
) {
  const stored = bench.vm.account(vault)
  if (stored === null) throw new Error('no vault')
  bench.vm.put({
    ...stored,
    address: vault,
    executable: false,
    data: tokenAccountData(bench.mint, stake, amount),
  })
}

describe('close_stake', () => {
  it('returns both rents to the rent payer', () => {
    const [bench, actor] = given(emptied)
    const [payer, owner] = [bench.vm.lamportsOf(actor.payer), bench.vm.lamportsOf(actor.owner)]
    const outcome = bench.must('close_stake', actor.accounts)
    const balances = { amount: 0n, depositedAmount: 0n, lockedAmount: 0n, pendingWithdrawal: 0n }
    const data = {
      stake: actor.stake,
      agent: actor.agent,
      owner: actor.owner,
      ...balances,
      timestamp: bench.vm.now,
    }
    expect(outcome.events).toEqual([{ name: 'StakeClosed', data }])
    expect(bench.vm.account(actor.stake)).toBeNull()
    expect(bench.vm.account(actor.vault)).toBeNull()
    expect(bench.vm.lamportsOf(actor.payer) - payer).toBe(
      bench.vm.rent(STAKE_SIZE) + bench.vm.rent(VAULT_SIZE),
    )
    expect(bench.vm.lamportsOf(actor.owner)).toBe(owner)
  })

  it('sends tokens that somebody sent to the vault to the owner', () => {
    const [bench, actor] = given(emptied)
    donate(bench, actor.vault, actor.stake, 7n)
    const outcome = bench.must('close_stake', actor.accounts)
    expect(outcome.events[0]?.data).toMatchObject({ amount: 7n })
    expect(bench.usdcOf(actor.ownerToken)).toBe(10_000n * USDC + 7n)
    expect(bench.vm.account(actor.vault)).toBeNull()
  })

  it('works if the account of the rent payer became a program', () => {
    const [bench, actor] = given(emptied)
    const images = deploymentAccounts({ programId: actor.payer, elf: ELF, authority: actor.payer, slot: 0n })
    bench.vm.put(images.programData)
    bench.vm.put(images.program)
    const payer = bench.vm.lamportsOf(actor.payer)
    bench.must('close_stake', actor.accounts)
    bench.must('close_agent', actor.accounts)
    const rents = [STAKE_SIZE, VAULT_SIZE, AGENT_SIZE].map((size) => bench.vm.rent(size))
    expect(bench.vm.lamportsOf(actor.payer) - payer).toBe(rents.reduce((sum, rent) => sum + rent))
  })

  it('requires a deactivated agent and an empty stake', () => {
    const [bench, actor] = given(staked)
    const close = () => bench.error('close_stake', actor.accounts)
    expect(close()).toBe('AgentNotDeactivated')
    bench.must('deactivate_agent', actor.accounts)
    expect(close()).toBe('StakeNotEmpty')
    bench.must('request_withdrawal', actor.accounts, { amount: 600n * USDC })
    expect(close()).toBe('StakeNotEmpty')
    bench.vm.now += COOLDOWN
    bench.must('complete_withdrawal', actor.accounts)
    expect(close()).toBeNull()
  })

  it('pays only the rent payer and the owner', () => {
    const [bench, actor] = given(emptied)
    const other = emptied(bench)
    donate(bench, actor.vault, actor.stake, 7n)
    const close = (change: Accounts) => bench.error('close_stake', { ...actor.accounts, ...change })
    expect(close({ rentPayer: actor.owner })).toBe('InvalidRentPayer')
    expect(close({ ownerToken: other.ownerToken })).toBe('InvalidTokenAccount')
    expect(close({ ownerToken: actor.vault })).toBe('InvalidTokenAccount')
    expect(close({ vault: other.vault })).toBe('InvalidPda')
    expect(close({ stake: other.stake, vault: other.vault })).toBe('InvalidPda')
    expect(close({ owner: other.owner })).toBe('NotOwner')
    bench.must('update_config', {}, { paused: true })
    expect(close({})).toBe('Paused')
  })
})

describe('closed accounts', () => {
  it('do not come back with old data when lamports return in the same transaction', () => {
    const [bench, actor] = given(emptied)
    const revive = (key: string) =>
      SystemProgram.transfer({
        fromPubkey: new PublicKey(actor.owner),
        toPubkey: new PublicKey(key),
        lamports: 5_000_000,
      })
    const outcome = bench.send(
      bench.instruction('close_stake', actor.accounts),
      revive(actor.stake),
      revive(actor.vault),
      bench.instruction('close_agent', actor.accounts),
      revive(actor.agent),
      bench.instruction('register_agent', actor.accounts, REGISTRATION),
      bench.instruction('deposit', actor.accounts, { amount: 100n * USDC }),
    )
    expect(outcome.error).toBeNull()
    expect(agentOf(bench, actor)).toMatchObject({ tier: 'basic', status: 'active', createdAt: bench.vm.now })
    expect(stakeOf(bench, actor)).toMatchObject({ depositedAmount: 100n * USDC, pendingWithdrawal: 0n })
    expect(bench.usdcOf(actor.vault)).toBe(100n * USDC)
  })

  it('stay empty accounts of the System program', () => {
    const [bench, actor] = given(emptied)
    const transfer = SystemProgram.transfer({
      fromPubkey: new PublicKey(actor.owner),
      toPubkey: new PublicKey(actor.stake),
      lamports: 5_000_000,
    })
    const close = bench.instruction('close_stake', actor.accounts)
    expect(bench.send(close, transfer, close).error).toBe('InvalidAccountOwner')
    expect(bench.send(close, transfer).error).toBeNull()
    const left = bench.vm.account(actor.stake)
    expect(left?.data.length).toBe(0)
    expect(left?.owner).toBe(SystemProgram.programId.toBase58())
  })

  it('a withdrawal is paid once, whatever else the transaction does', () => {
    const [bench, actor] = given(staked)
    register(bench, bench.actor())
    bench.must('request_withdrawal', actor.accounts, { amount: 200n * USDC })
    bench.vm.now += COOLDOWN
    const complete = bench.instruction('complete_withdrawal', actor.accounts)
    const transfer = SystemProgram.transfer({
      fromPubkey: new PublicKey(actor.owner),
      toPubkey: new PublicKey(actor.withdrawal),
      lamports: 5_000_000,
    })
    expect(bench.send(complete, transfer, complete).error).toBe('InvalidAccountOwner')
    expect(bench.send(complete, transfer).error).toBeNull()
    expect(bench.usdcOf(actor.vault)).toBe(400n * USDC)
    bench.must('request_withdrawal', actor.accounts, { amount: 1n })
  })
})
