import type { Machine } from '../machine/limits.ts'
import type { Comparison, Figure, Result } from '../support/result.ts'

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
      numeral(gateway),
      numeral(other),
      `**${times.toFixed(2)}x**`,
    ]),
  )
}

function figureTable(figures: readonly Figure[]): string {
  return table(
    ['Figure', 'Value', 'Unit'],
    figures.map(({ figure, value, unit }) => [figure, numeral(value), unit]),
  )
}

function table(head: string[], rows: string[][]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/** More than four digits would suggest a precision that a bench does not have. */
const numeral = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) >= 100 ? 0 : 2 })
