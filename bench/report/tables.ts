import type { Machine } from '../machine/limits.ts'
import type { Comparison, Figure, Result, Value } from '../support/result.ts'

/** Markdown: a section for each result, with its comparisons and its figures. */
export function tables(results: readonly Result[]): string {
  return results.map(section).join('\n')
}

function section({ bench, measuredAt, node, cpu, machine, comparisons = [], figures = [] }: Result): string {
  const parts = [
    `### ${bench}`,
    `${measuredAt.slice(0, 16).replace('T', ' ')} UTC, Node ${node.slice(1)}, ${cpu}`,
    ...(machine === undefined ? [] : [loadOf(machine)]),
    ...(comparisons.length > 0 ? [comparisonTable(comparisons)] : []),
    ...(figures.length > 0 ? [figureTable(figures)] : []),
  ]
  return `${parts.join('\n\n')}\n`
}

function loadOf({ during, busy }: Machine): string {
  const percent = (share = NaN): string => `${(share * 100).toFixed(1)} %`
  const load = `Other processes used ${percent(during?.mean.others)} of the processors, the hypervisor took ${percent(during?.mean.stolen)}.`
  return busy.length === 0 ? load : `**Busy machine.** ${load}`
}

function comparisonTable(comparisons: readonly Comparison[]): string {
  return table(
    ['Work', 'Against', 'Unit', 'Gateway', 'Other', 'Gateway / other'],
    comparisons.map(({ work, against, unit, gateway, other, times }) => [
      work,
      against,
      unit,
      valueText(gateway),
      valueText(other),
      ratio(times),
    ]),
  )
}

function figureTable(figures: readonly Figure[]): string {
  return table(
    ['Figure', 'Value', 'Unit'],
    figures.map(({ figure, value, unit }) => [figure, valueText(value), unit]),
  )
}

export function table(head: string[], rows: string[][]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/** The median, and the lowest and highest of the rounds. */
export function valueText(value: Value): string {
  if (typeof value === 'number') return numeral(value)
  return `${numeral(value.median)} (${numeral(value.min)}..${numeral(value.max)})`
}

function ratio(times: Value): string {
  if (typeof times === 'number') return `**${times.toFixed(2)}x**`
  return `**${times.median.toFixed(2)}x** (${times.min.toFixed(2)}..${times.max.toFixed(2)})`
}

/** More than four digits would suggest a precision that a bench does not have. */
const numeral = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) >= 100 ? 0 : 2 })
