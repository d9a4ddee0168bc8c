import { describe, expect, it } from 'vitest'
import { programDataAddress, UPGRADEABLE_LOADER } from '@agent-registry/solana'
import { Bench, COOLDOWN, DAY, THRESHOLDS } from './support/bench.ts'
import { mintData, TOKEN_PROGRAM } from './support/token-images.ts'

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
    expect(bench.call('initialize', {}, ARGS).error).toBe('AlreadyInitialized')
  })

  it('requires the upgrade authority', () => {
    const bench = new Bench()
    const other = bench.wallet()
    bench.vm.airdrop(other, 10n ** 9n)
    expect(bench.call('initialize', { admin: other }, ARGS).error).toBe('NotUpgradeAuthority')
  })

  it('refuses a program that nobody can upgrade', () => {
    const bench = new Bench()
    rewriteProgramData(bench, (data) => data.fill(0, 12, 13))
    expect(bench.call('initialize', {}, ARGS).error).toBe('NotUpgradeAuthority')
  })

  it('refuses the ProgramData of another program', () => {
    const bench = new Bench()
    const other = new Bench(bench.wallet())
    const programData = programDataAddress(other.vm.programId)
    expect(bench.call('initialize', { programData }, ARGS).error).toBe('InvalidPda')
  })

  it('refuses malformed ProgramData and that of another loader', () => {
    const bench = new Bench()
    const original = rewriteProgramData(bench, (data) => data.fill(1, 0, 1))
    expect(bench.call('initialize', {}, ARGS).error).toBe('InvalidAccountData')
    const address = programDataAddress(bench.vm.programId)
    const image = { address, executable: false, owner: UPGRADEABLE_LOADER }
    bench.vm.put({ ...image, data: original.slice(0, 44) })
    expect(bench.call('initialize', {}, ARGS).error).toBe('InvalidAccountData')
    bench.vm.put({ ...image, data: original, owner: bench.wallet() })
    expect(bench.call('initialize', {}, ARGS).error).toBe('InvalidAccountOwner')
  })

  it('requires a USDC mint with six decimals', () => {
    const bench = new Bench()
    const image = { address: bench.mint, executable: false, owner: TOKEN_PROGRAM }
    bench.vm.put({ ...image, data: mintData(9) })
    expect(bench.call('initialize', {}, ARGS).error).toBe('InvalidMint')
    bench.vm.put({ ...image, data: mintData(6).fill(0, 45, 46) })
    expect(bench.call('initialize', {}, ARGS).error).toBe('InvalidMint')
    bench.vm.put({ ...image, data: new Uint8Array(165) })
    expect(bench.call('initialize', {}, ARGS).error).toBe('InvalidMint')
    bench.vm.put({ ...image, data: mintData(6), owner: bench.wallet() })
    expect(bench.call('initialize', {}, ARGS).error).toBe('InvalidAccountOwner')
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

/** Changes the ProgramData account. Returns the previous one. */
function rewriteProgramData(bench: Bench, change: (data: Uint8Array) => Uint8Array): Uint8Array {
  const address = programDataAddress(bench.vm.programId)
  const before = bench.vm.account(address)
  if (before === null) throw new Error('not deployed')
  bench.vm.put({ ...before, address, executable: false, data: change(before.data.slice()) })
  return before.data
}
