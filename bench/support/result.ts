import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Machine } from '../machine/limits.ts'
import { type Spread, spread } from './statistics.ts'

/** A number was measured once. */
export type Value = number | Spread

/** Two measurements of the same work. */
export interface Comparison {
  readonly work: string
  /** What the gateway is compared with. */
  readonly against: string
  /** Unit of `gateway` and `other`, for example `requests/s` or `ms p50`. */
  readonly unit: string
  readonly gateway: Value
  readonly other: Value
  /**
   * How many times as fast the gateway is. Above 1 the gateway is faster, for rates and for times.
   * The median of the ratios of the rounds, not the ratio of the medians.
   */
  readonly times: Value
}

/** A measurement without a comparison. */
export interface Figure {
  readonly figure: string
  readonly value: Value
  readonly unit: string
  /** The target. */
  readonly atMost?: number
  readonly atLeast?: number
}

export interface Result {
  readonly bench: string
  /** ISO 8601. */
  readonly measuredAt: string
  readonly node: string
  readonly cpu: string
  readonly comparisons?: readonly Comparison[]
  readonly figures?: readonly Figure[]
  /** Added by `npm run bench`. */
  readonly machine?: Machine
}

export type Measured = Pick<Result, 'comparisons' | 'figures'>

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url))

/** Prints a result, and hands it to `npm run bench`. `details` has the other data of the bench. */
export function saveResult(bench: string, measured: Measured, details: object): void {
  const result: Result = {
    bench,
    measuredAt: new Date().toISOString(),
    node: process.version,
    cpu: `${cpus().length} x ${cpus()[0]?.model}`,
    ...measured,
    ...details,
  }
  const text = textOf(result)
  const file = process.env.BENCH_RESULT_FILE
  if (file !== undefined) writeFileSync(file, text)
  process.stdout.write(text)
}

/** Saves a result as results/BENCH.json. */
export function keepResult(result: Result): void {
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(`${RESULTS}${result.bench}.json`, textOf(result))
}

const textOf = (result: Result): string => `${JSON.stringify(result, null, 2)}\n`

/** All saved results by the name of the bench. */
export function readResults(): Map<string, Result> {
  const files = readdirSync(RESULTS).filter((file) => file.endsWith('.json'))
  const results = files.map((file) => JSON.parse(readFileSync(`${RESULTS}${file}`, 'utf8')) as Result)
  return new Map(results.map((result) => [result.bench, result]))
}

type Labels = Pick<Comparison, 'work' | 'against' | 'unit'>

/** Compares rates by rounds; higher is faster. */
export function compareRates(
  labels: Labels,
  gateway: readonly number[],
  other: readonly number[],
): Comparison {
  const times = gateway.map((value, round) => value / (other[round] ?? NaN))
  return { ...labels, gateway: spread(gateway), other: spread(other), times: spread(times) }
}

/** Compares times by rounds; lower is faster. */
export function compareTimes(
  labels: Labels,
  gateway: readonly number[],
  other: readonly number[],
): Comparison {
  const times = gateway.map((value, round) => (other[round] ?? NaN) / value)
  return { ...labels, gateway: spread(gateway), other: spread(other), times: spread(times) }
}

export const medianOf = (value: Value): number => (typeof value === 'number' ? value : value.median)

/** Prints each median beside its target. */
export function areMet(figures: readonly Figure[]): boolean {
  const missed = figures.filter(({ figure, value, unit, atMost, atLeast }) => {
    const target = atMost ?? atLeast
    if (target === undefined) return false
    const isMet = atMost === undefined ? medianOf(value) >= target : medianOf(value) <= target
    const limit = `${atMost === undefined ? 'at least' : 'at most'} ${target}`
    process.stderr.write(`${isMet ? 'met' : 'MISSED'}: ${figure}: ${medianOf(value)} ${unit}, ${limit}\n`)
    return !isMet
  })
  return missed.length === 0
}
