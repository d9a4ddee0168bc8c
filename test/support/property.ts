import * as fc from 'fast-check'

/**
 * fast-check, with generators that are checked: a property fails if its runs do not contain each
 * option, constant, branch and boundary, because then it does not test what it seems to test. Each
 * failure prints its seed, and the variable PROPERTY_SEED repeats it. A value counts also if a
 * filter removes it later.
 */
export * from 'fast-check'

interface Cases {
  readonly place: string
  /** Each case with its approximate probability. */
  readonly probabilities: ReadonlyMap<string, number>
}
type Counts = Map<Cases, Map<string, number>>

/**
 * A case that is expected 14 times occurs at least once, but for one time in a million. So if it
 * does not occur, it is impossible.
 */
const ENOUGH = 14
/** With few runs, only some seeds give all cases. */
const MAX_SEEDS = 500

/** Node's types are missing where the tests of the console are compiled. */
const { env } = (globalThis as unknown as { process: { env: { PROPERTY_SEED?: string } } }).process

export const seedOf = (fallback?: number): number =>
  Number(env.PROPERTY_SEED ?? fallback ?? Math.floor(Math.random() * 2 ** 31))

/** What is generated while `generate` looks for a seed. */
let counting: Counts | undefined

/** Reports the case of each generated value. */
function counted<Value>(
  arbitrary: fc.Arbitrary<Value>,
  cases: Cases,
  caseOf: (value: Value) => string,
): fc.Arbitrary<Value> {
  return arbitrary.map((value) => {
    if (counting !== undefined) {
      const counts = counting.get(cases) ?? new Map<string, number>()
      counting.set(cases, counts)
      const found = caseOf(value)
      counts.set(found, (counts.get(found) ?? 0) + 1)
    }
    return value
  })
}

/** The line of the test that creates a generator. */
function place(): string {
  const lines = (new Error().stack ?? '').split('\n').slice(1)
  const caller = lines.find((line) => !line.includes('support/property.ts')) ?? ''
  return /[^/(]+:\d+(?=:\d+\)?$)/.exec(caller)?.[0] ?? caller.trim()
}

function casesOf(name: string, probabilities: Iterable<[string, number]>): Cases {
  const sums = new Map<string, number>()
  for (const [text, probability] of probabilities) sums.set(text, (sums.get(text) ?? 0) + probability)
  return { place: `${name} at ${place()}`, probabilities: sums }
}

export const constantFrom = (<Value>(...values: Value[]): fc.Arbitrary<Value> => {
  const cases = casesOf(
    'constantFrom',
    values.map((value) => [fc.stringify(value), 1 / values.length]),
  )
  return counted(fc.constantFrom(...values), cases, (value) => fc.stringify(value))
}) as typeof fc.constantFrom

export const boolean = (): fc.Arbitrary<boolean> => {
  const cases = casesOf('boolean', [
    ['true', 0.5],
    ['false', 0.5],
  ])
  return counted(fc.boolean(), cases, String)
}

export const option = (<Value, Nil>(
  arbitrary: fc.Arbitrary<Value>,
  constraints: fc.OptionConstraints<Nil> = {},
): fc.Arbitrary<Value | Nil> => {
  const nil = 'nil' in constraints ? constraints.nil : null
  const cases = casesOf('option', [
    ['nothing', 0.1],
    ['a value', 0.1],
  ])
  return counted(fc.option(arbitrary, constraints), cases, (value) => (value === nil ? 'nothing' : 'a value'))
}) as typeof fc.option

/** Each member must have a value in some runs, so a generator that leaves one out is noticed. */
export const record = ((model: Record<string, fc.Arbitrary<unknown>>, constraints?: object) => {
  let all: fc.Arbitrary<Record<string, unknown>> = fc.record(model, constraints)
  for (const key of Object.keys(model)) {
    const cases = casesOf('record', [[`a value of ${key}`, 0.02]])
    all = counted(all, cases, (value) => (value[key] === undefined ? 'nothing' : `a value of ${key}`))
  }
  return all
}) as typeof fc.record

type Weighted = fc.Arbitrary<unknown> | fc.WeightedArbitrary<unknown>
const isWeighted = (each: Weighted): each is fc.WeightedArbitrary<unknown> => 'weight' in each

export const oneof = ((...branches: Weighted[]) => {
  const parts = branches.filter((each) => isWeighted(each) || 'generate' in each)
  const weights = parts.map((each) => (isWeighted(each) ? each.weight : 1))
  const sum = weights.reduce((a, b) => a + b, 0)
  const cases = casesOf(
    'oneof',
    weights.map((weight, i) => [`branch ${i + 1}`, weight / sum]),
  )
  let number = 0
  const all = branches.map((each) => {
    if (!isWeighted(each) && !('generate' in each)) return each
    const name = `branch ${(number += 1)}`
    if (!isWeighted(each)) return counted(each, cases, () => name)
    return { weight: each.weight, arbitrary: counted(each.arbitrary, cases, () => name) }
  })
  return fc.oneof(...(all as [fc.Arbitrary<unknown>]))
}) as typeof fc.oneof

/** One of `times` values is the rare one. */
export const rarely = <Value>(times: number, rare: Value, usual: Value): fc.Arbitrary<Value> =>
  oneof({ weight: times - 1, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(rare) })

/** A tenth of the numbers are the smallest or largest. */
function bounded<Value extends number | bigint>(
  name: string,
  between: fc.Arbitrary<Value>,
  min: Value,
  max: Value,
): fc.Arbitrary<Value> {
  if (min === max) return between
  const cases = casesOf(name, [
    [`the minimum ${min}`, 0.05],
    [`the maximum ${max}`, 0.05],
  ])
  const any = fc.oneof(
    { weight: 18, arbitrary: between },
    { weight: 1, arbitrary: fc.constant(min) },
    { weight: 1, arbitrary: fc.constant(max) },
  )
  return counted(any, cases, (value) =>
    value === min ? `the minimum ${min}` : value === max ? `the maximum ${max}` : 'another',
  )
}

export const integer = (constraints: fc.IntegerConstraints = {}): fc.Arbitrary<number> =>
  bounded('integer', fc.integer(constraints), constraints.min ?? -(2 ** 31), constraints.max ?? 2 ** 31 - 1)

export const nat = (given?: number | fc.NatConstraints): fc.Arbitrary<number> => {
  const max = (typeof given === 'object' ? given.max : given) ?? 2 ** 31 - 1
  return bounded('nat', fc.nat({ max }), 0, max)
}

export const bigInt = ((...given: [fc.BigIntConstraints?] | [bigint, bigint]) => {
  const { min, max } = typeof given[0] === 'bigint' ? { min: given[0], max: given[1] } : (given[0] ?? {})
  const between = fc.bigInt({ ...(min !== undefined && { min }), ...(max !== undefined && { max }) })
  return min === undefined || max === undefined ? between : bounded('bigInt', between, min, max)
}) as typeof fc.bigInt

export const array = (<Value>(
  element: fc.Arbitrary<Value>,
  constraints: fc.ArrayConstraints = {},
): fc.Arbitrary<Value[]> => {
  const { minLength = 0, maxLength = Infinity } = constraints
  const all = fc.array(element, constraints)
  if (minLength === maxLength) return all
  const cases = casesOf('array', [
    [`length ${minLength}`, 0.02],
    [`more than ${minLength}`, 0.1],
  ])
  return counted(all, cases, ({ length }) =>
    length === minLength ? `length ${minLength}` : `more than ${minLength}`,
  )
}) as typeof fc.array

/** What the generators give with this seed, without counting the property. */
function generate(property: fc.IRawProperty<unknown>, parameters: fc.Parameters<unknown>): Counts {
  counting = new Map()
  const untested: fc.IRawProperty<unknown, false> = {
    isAsync: () => false,
    generate: (random, runId) => property.generate(random, runId),
    shrink: (value) => property.shrink(value),
    run: () => null,
    runBeforeEach: () => undefined,
    runAfterEach: () => undefined,
  }
  try {
    // Not `sample`, which gives other values from the tenth on.
    fc.check(untested, parameters)
    return counting
  } finally {
    counting = undefined
  }
}

function add(sums: Counts, counts: Counts): void {
  for (const [cases, found] of counts) {
    const sum = sums.get(cases) ?? new Map<string, number>()
    sums.set(cases, sum)
    for (const [text, count] of found) sum.set(text, (sum.get(text) ?? 0) + count)
  }
}

const drawsOf = (found: Map<string, number>): number => [...found.values()].reduce((a, b) => a + b, 0)

/** The cases that did not occur although `expected` of them were probable. */
function missing(counts: Counts, expected: number): string[] {
  return [...counts].flatMap(([{ place: where, probabilities }, found]) =>
    [...probabilities].flatMap(([text, probability]) =>
      found.has(text) || drawsOf(found) * probability < expected
        ? []
        : [`${where}: ${text} never occurred in ${drawsOf(found)} values`],
    ),
  )
}

/** A seed with which the runs of the property have all cases of its generators. */
function coveringSeed(property: fc.IRawProperty<unknown>, parameters: fc.Parameters<unknown>): number {
  const first = seedOf(parameters.seed)
  if (env.PROPERTY_SEED !== undefined) return first
  const sums: Counts = new Map()
  let lacking: string[] = []
  for (let seed = first; seed < first + MAX_SEEDS; seed += 1) {
    const counts = generate(property, { ...parameters, seed })
    lacking = missing(counts, 0)
    if (lacking.length === 0) return seed
    add(sums, counts)
    const never = missing(sums, ENOUGH)
    if (never.length > 0) throw new Error(`The property does not test all cases:\n${never.join('\n')}`)
  }
  throw new Error(`The property has too few runs to test all cases:\n${lacking.join('\n')}`)
}

function throwFailure(details: fc.RunDetails<unknown>): void {
  if (!details.failed) return
  const text = `Repeat this with PROPERTY_SEED=${details.seed}\n${fc.defaultReportMessage(details) ?? ''}`
  throw new Error(text, { cause: details.errorInstance })
}

export const assert = ((property: fc.IRawProperty<unknown>, parameters: fc.Parameters<unknown> = {}) => {
  const seed = coveringSeed(property, parameters)
  const details: unknown = fc.check(property, { ...parameters, seed })
  return property.isAsync()
    ? (details as Promise<fc.RunDetails<unknown>>).then(throwFailure)
    : throwFailure(details as fc.RunDetails<unknown>)
}) as typeof fc.assert
