import { expect, test } from 'vitest'
import { exactMembersModule } from '../build/api.ts'

const objectsWith = (...properties: object[]): object => ({
  components: { schemas: Object.fromEntries(properties.map((each, i) => [`O${i}`, { properties: each }])) },
})
const u64 = { type: ['integer', 'null'], format: 'uint64' }

test('the generator refuses a member that is an integer of 64 bits in one place only', () => {
  const text = { amount: { type: 'string' } }
  expect(exactMembersModule(objectsWith({ amount: u64 }, text))).toContain("new Set(['amount'])")
  expect(() => exactMembersModule(objectsWith({ amount: u64 }, { amount: { type: 'integer' } }))).toThrow(
    'amount is an integer of 64 bits in one place and another number in another one',
  )
})
