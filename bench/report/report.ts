import { writeFileSync } from 'node:fs'
import { BENCHES } from '../names.ts'
import { readResults, type Result } from '../support/result.ts'
import { ratioChart } from './chart.ts'
import { scaleTable } from './scale.ts'
import { tables } from './tables.ts'

const CHART = new URL('../results/chart.svg', import.meta.url)

/** Prints tables of the saved results, and writes the chart. */
export function writeReport(): void {
  const saved = readResults()
  const results = BENCHES.map((bench) => saved.get(bench)).filter(
    (each): each is Result => each?.comparisons !== undefined || each?.figures !== undefined,
  )
  process.stdout.write(`${tables(results)}\n${scaleTable(saved)}\n`)
  writeFileSync(CHART, ratioChart(results.flatMap(({ comparisons = [] }) => comparisons)))
}
