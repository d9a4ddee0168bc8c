import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Machine } from '../machine/limits.ts'
import { rounded } from './statistics.ts'

/** Two measurements of the same work. */
export interface Comparison {
  readonly work: string
  /** What the gateway is compared with. */
  readonly against: string
  /** Unit of `gateway` and `other`, for example `requests/s` or `ms p50`. */
  readonly unit: string
  readonly gateway: number
  readonly other: number
  /**
   * How many times as fast the gateway is. Above 1 the gateway is faster, for rates and for times.
   */
  readonly times: number
}

/** A measurement without a comparison. */
export interface Figure {
  readonly figure: string
  readonly value: number
  readonly unit: string
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

/**
 * Compares two rates; higher is faster. Pass `times` if it is a median over rounds and not the
 * ratio of these two.
 */
export function compareRates(
  { work, against, unit }: Pick<Comparison, 'work' | 'against' | 'unit'>,
  gateway: number,
  other: number,
  times = gateway / other,
): Comparison {
  return { work, against, unit, gateway, other, times: rounded(times) }
}

/** Compares two times; lower is faster. */
export function compareTimes(
  { work, against, unit }: Pick<Comparison, 'work' | 'against' | 'unit'>,
  gateway: number,
  other: number,
): Comparison {
  return { work, against, unit, gateway, other, times: rounded(other / gateway) }
}
