import { describe, expect, it } from 'vitest'
import { Bench, DAY, USDC } from './support/bench.ts'

describe('update_config', () => {
  it('changes only the given fields', () => {
    const bench = Bench.initialized()
    const config = () => bench.read('RegistryConfig', bench.at.config())
    let expected = config()
    const change = (fields: Record<string, unknown>): void => {
      bench.must('update_config', {}, fields)
      expected = { ...expected, ...fields } as typeof expected
      expect(config()).toEqual(expected)
    }
    change({ treasury: bench.wallet() })
    change({ tierThresholds: [0n, 1n, 2n, 3n * USDC] })
    change({ cooldownSeconds: DAY })
    change({ paused: true })
    change({ paused: false, cooldownSeconds: 90n * DAY })
    change({ admin: bench.wallet() })
  })

  it('transfers the registry to another admin', () => {
    const bench = Bench.initialized()
    const admin = bench.wallet()
    bench.must('update_config', {}, { admin })
    expect(bench.error('update_config', {}, { paused: true })).toBe('NotAdmin')
    expect(bench.error('update_config', { admin }, { paused: true })).toBeNull()
  })

  it('requires the admin', () => {
    const bench = Bench.initialized()
    expect(bench.error('update_config', { admin: bench.wallet() }, { paused: true })).toBe('NotAdmin')
  })

  it('checks thresholds and cooldown', () => {
    const bench = Bench.initialized()
    expect(bench.error('update_config', {}, {})).toBe('NothingToUpdate')
    const thresholds = { tierThresholds: [0n, 3n, 2n, 4n], paused: true }
    expect(bench.error('update_config', {}, thresholds)).toBe('InvalidThresholds')
    expect(bench.error('update_config', {}, { cooldownSeconds: 1n })).toBe('InvalidCooldown')
    expect(bench.read('RegistryConfig', bench.at.config())?.paused).toBe(false)
  })

  it('refuses option tags and bools other than 0 and 1', () => {
    const bench = Bench.initialized()
    const instruction = bench.instruction('update_config', {}, { paused: true })
    for (const at of [8, 9, 10, 11, 12, 13]) {
      const { data } = bench.instruction('update_config', {}, { paused: true })
      data.writeUInt8(2, at)
      instruction.data = data
      expect(bench.send(instruction).error).toBe('InvalidInstruction')
    }
  })
})
