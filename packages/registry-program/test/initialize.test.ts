import { describe, expect, it } from 'vitest'
import { programDataAddress } from '@agent-registry/solana'
import { Bench, COOLDOWN, DAY, THRESHOLDS } from './support/bench.ts'
import { mintData } from './support/token-images.ts'

const ARGS = { tierThresholds: THRESHOLDS, cooldownSeconds: COOLDOWN }

describe('initialize', () => {
  it('writes the config', () => {
    const bench = new Bench()
    const outcome = bench.must('initialize', {}, ARGS)
    expect(outcome.events).toEqual([])
    expect(bench.read('RegistryConfig', bench.at.config())).toEqual({
      admin: bench.admin,
      usdcMint: bench.mint,
      treasury: bench.treasury,
      tierThresholds: THRESHOLDS,
      cooldownSeconds: COOLDOWN,
      paused: false,
      bump: expect.any(Number),
    })
    expect(bench.vm.lamportsOf(bench.at.config())).toBe(bench.vm.rent(146))
  })

  it('can run only once', () => {
    const bench = Bench.initialized()
    expect(bench.error('initialize', {}, ARGS)).toBe('AlreadyInitialized')
  })

  it('requires the upgrade authority', () => {
    const bench = new Bench()
    const other = bench.wallet()
    bench.vm.airdrop(other, 10n ** 9n)
    expect(bench.error('initialize', { admin: other }, ARGS)).toBe('NotUpgradeAuthority')
  })

  it('refuses a program that nobody can upgrade', () => {
    const bench = new Bench()
    bench.vm.edit(programDataAddress(bench.vm.programId), (data) => void data.fill(0, 12, 13))
    expect(bench.error('initialize', {}, ARGS)).toBe('NotUpgradeAuthority')
  })

  it('refuses the ProgramData of another program', () => {
    const bench = new Bench()
    const other = new Bench(bench.wallet())
    const programData = programDataAddress(other.vm.programId)
    expect(bench.error('initialize', { programData }, ARGS)).toBe('InvalidPda')
  })

  it('refuses malformed ProgramData and that of another loader', () => {
    const bench = new Bench()
    const address = programDataAddress(bench.vm.programId)
    const attempt = () => bench.error('initialize', {}, ARGS)
    const data = bench.vm.edit(address, (changed) => void changed.fill(1, 0, 1))
    expect(attempt()).toBe('InvalidAccountData')
    bench.vm.edit(address, () => ({ data: data.slice(0, 44) }))
    expect(attempt()).toBe('InvalidAccountData')
    bench.vm.edit(address, () => ({ data, owner: bench.wallet() }))
    expect(attempt()).toBe('InvalidAccountOwner')
  })

  it('requires a USDC mint with six decimals', () => {
    const bench = new Bench()
    for (const data of [mintData(9), mintData(6).fill(0, 45, 46), new Uint8Array(165)]) {
      bench.vm.edit(bench.mint, () => ({ data }))
      expect(bench.error('initialize', {}, ARGS)).toBe('InvalidMint')
    }
    bench.vm.edit(bench.mint, () => ({ data: mintData(6), owner: bench.wallet() }))
    expect(bench.error('initialize', {}, ARGS)).toBe('InvalidAccountOwner')
  })

  it.each([
    ['do not start at 0', [1n, 2n, 3n, 4n]],
    ['do not rise', [0n, 2n, 2n, 4n]],
    ['fall', [0n, 1n, 5n, 4n]],
  ])('refuses thresholds that %s', (_, tierThresholds) => {
    expect(new Bench().call('initialize', {}, { ...ARGS, tierThresholds }).error).toBe('InvalidThresholds')
  })

  it.each([-1n, 0n, DAY - 1n, 90n * DAY + 1n, 2n ** 63n - 1n])(
    'refuses a cooldown of %d s',
    (cooldownSeconds) => {
      expect(new Bench().call('initialize', {}, { ...ARGS, cooldownSeconds }).error).toBe('InvalidCooldown')
    },
  )

  it.each([DAY, 90n * DAY])('accepts a cooldown of %d s', (cooldownSeconds) => {
    expect(new Bench().call('initialize', {}, { ...ARGS, cooldownSeconds }).error).toBeNull()
  })
})
