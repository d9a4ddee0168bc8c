import { InvalidArgumentError } from 'commander'
import { expect, test } from 'vitest'
import {
  asBoolean,
  asCooldown,
  asInteger,
  asLabel,
  asPubkey,
  asThresholds,
} from '../../../src/cli/registry/options.ts'

test.each<[(text: string) => unknown, string, unknown]>([
  [asThresholds, '0,100,500,1000', [0n, 100_000_000n, 500_000_000n, 1_000_000_000n]],
  [asThresholds, '0, 0.000001, 2.5, 3', [0n, 1n, 2_500_000n, 3_000_000n]],
  [asCooldown, '90', 7_776_000n],
  [asInteger(5, 10), '5', 5],
  [asLabel, 'é'.repeat(16), 'é'.repeat(16)],
  [asBoolean, 'false', false],
])('%o reads %s', (read, text, value) => {
  expect(read(text)).toEqual(value)
})

test.each<[(text: string) => unknown, string]>([
  [asThresholds, '1,100,500,1000'],
  [asThresholds, '0,100,100,1000'],
  [asThresholds, '0,100,500'],
  [asThresholds, '0,100,500,1e3'],
  [asThresholds, '0,0.0000001,500,1000'],
  [asCooldown, '0'],
  [asCooldown, '91'],
  [asInteger(5, 10), '4'],
  [asInteger(5, 10), '11'],
  [asInteger(5, 10), '5.0'],
  [asLabel, ''],
  [asLabel, 'é'.repeat(17)],
  [asBoolean, 'yes'],
  [asPubkey, 'abc'],
])('%o refuses %s', (read, text) => {
  expect(() => read(text)).toThrow(InvalidArgumentError)
})
