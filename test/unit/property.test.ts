import { afterEach, expect, test, vi } from 'vitest'
import * as fc from '../support/property.ts'

afterEach(() => vi.unstubAllEnvs())

const always = (arbitrary: fc.Arbitrary<unknown>, numRuns: number) => () =>
  fc.assert(
    fc.property(arbitrary, () => true),
    { numRuns },
  )

test('a property fails if an option of its generator never occurs', () => {
  const name = fc.option(fc.string(), { freq: 1 })
  expect(always(name, 200)).toThrow(/option at property\.test\.ts:\d+: a value never occurred in 200 values/)
  expect(always(fc.option(fc.string(), { freq: 2 }), 200)).not.toThrow()
})

test('a property fails if a member of its generator never has a value', () => {
  const search = { name: fc.string(), tier: fc.constant(undefined) }
  expect(always(fc.record(search), 1_000)).toThrow(
    /record at property\.test\.ts:\d+: a value of tier never occurred/,
  )
  expect(always(fc.record({ ...search, tier: fc.option(fc.nat(), { nil: undefined }) }), 1_000)).not.toThrow()
})

test('a property fails if it has fewer runs than its generator has cases', () => {
  const letters = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j')
  expect(always(letters, 9)).toThrow(/too few runs.*constantFrom at property\.test\.ts:\d+: "[a-j]"/s)
  expect(always(letters, 40)).not.toThrow()
})

test('the runs contain each constant, option, branch, bound and the shortest array', () => {
  const one = fc.record({
    constant: fc.constantFrom('a', 'b', 'c'),
    option: fc.option(fc.boolean()),
    branch: fc.oneof(fc.constant('left'), { weight: 3, arbitrary: fc.constant('right') }),
    number: fc.integer({ min: 1, max: 1_000 }),
    big: fc.bigInt(-5n, 5n),
    list: fc.array(fc.nat(1), { maxLength: 3 }),
  })
  for (let times = 0; times < 20; times += 1) {
    const runs: unknown[] = []
    fc.assert(
      fc.property(one, (each) => void runs.push(each)),
      { numRuns: 25 },
    )
    expect(runs).toHaveLength(25)
    const seen = new Set(runs.flatMap((each) => Object.values(each as object).map(String)))
    for (const each of ['a', 'b', 'c', 'null', 'true', 'false', 'left', 'right', '1', '1000', '-5', '5', ''])
      expect(seen).toContain(each)
  }
})

test('the printed seed repeats a failure', () => {
  const values: number[] = []
  const run = () => {
    values.length = 0
    fc.assert(
      fc.property(fc.nat(), (n) => values.push(n) < 30),
      { endOnFailure: true },
    )
  }
  expect(run).toThrow(/PROPERTY_SEED=-?\d+/)
  const first = [...values]
  let text = ''
  try {
    run()
  } catch (error) {
    text = String(error)
  }
  const second = [...values]
  expect(second).not.toEqual(first)
  vi.stubEnv('PROPERTY_SEED', /PROPERTY_SEED=(-?\d+)/.exec(text)![1])
  expect(run).toThrow('Property failed after 30 tests')
  expect(values).toEqual(second)
})
