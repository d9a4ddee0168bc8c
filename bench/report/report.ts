import { readFileSync, writeFileSync } from 'node:fs'
import { BENCHES } from '../names.ts'
import { keptResults, type Result } from '../support/result.ts'
import { ratioChart } from './chart.ts'
import { tables } from './tables.ts'

const README = new URL('../README.md', import.meta.url)
const CHART = new URL('../results/chart.svg', import.meta.url)
const MARKERS = /(<!-- results -->\n)[^]*(<!-- end of results -->)/

/** Writes the tables of README.md and the chart from the results that are kept. */
export function writeReport(): void {
  const kept = keptResults()
  const results = BENCHES.map((bench) => kept.get(bench)).filter(
    (each): each is Result => each?.comparisons !== undefined || each?.figures !== undefined,
  )
  const page = readFileSync(README, 'utf8')
  if (!MARKERS.test(page)) throw new Error('bench/README.md has no markers to write results between')
  const text = `\n![How many times as fast as each other](results/chart.svg)\n\n${tables(results)}\n`
  writeFileSync(
    README,
    page.replace(MARKERS, (_, start: string, end: string) => start + text + end),
  )
  writeFileSync(CHART, ratioChart(results.flatMap(({ comparisons = [] }) => comparisons)))
}
