import type { Figure, Result } from '../support/result.ts'
import { table, valueText } from './tables.ts'

const BENCH = 'scale-'
/** Saved by `catch-up` for this number of agents. Other numbers are part of the name. */
const CATCH_UP_AGENTS = 100_000

/** One table of all saved sizes, a column for each. Empty if there are none. */
export function scaleTable(saved: ReadonlyMap<string, Result>): string {
  const sizes = [...saved.keys()]
    .filter((bench) => bench.startsWith(BENCH))
    .map((bench) => Number(bench.slice(BENCH.length)))
    .toSorted((a, b) => a - b)
  if (sizes.length === 0) return ''
  const columns = sizes.map((size) => {
    const catchUp = saved.get(size === CATCH_UP_AGENTS ? 'catch-up' : `catch-up-${size}`)
    return [...(saved.get(`${BENCH}${size}`)?.figures ?? []), ...(catchUp?.figures ?? [])]
  })
  const lines = new Map(columns.flat().map(({ figure, unit }) => [figure, unit]))
  const valueOf = (figures: readonly Figure[], wanted: string): string => {
    const value = figures.find(({ figure }) => figure === wanted)?.value
    return value === undefined ? '' : valueText(value)
  }
  const rows = [...lines].map(([figure, unit]) =>
    [figure, unit].concat(columns.map((figures) => valueOf(figures, figure))),
  )
  const head = ['Work', 'Unit', ...sizes.map((size) => `${size.toLocaleString('en')} agents`)]
  return `### scale\n\n${table(head, rows)}\n`
}
