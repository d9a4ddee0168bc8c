import { type Comparison, medianOf, type Value } from '../support/result.ts'

const WIDTH = 960
const LABELS = 470
const VALUES = 60
const ROW = 22
const TOP = 52
const BAR = 12

/** Readable on light and dark pages. */
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .quiet { fill: #59636e }
  .grid { stroke: #d1d9e0 }
  .one { stroke: #1f2328; stroke-width: 1.5 }
  .spread { stroke: #1f2328; stroke-width: 2 }
  .faster { fill: #1a7f37 }
  .slower { fill: #bc4c00 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .quiet { fill: #9198a1 }
    .grid { stroke: #3d444d }
    .one { stroke: #f0f6fc }
    .spread { stroke: #f0f6fc }
    .faster { fill: #3fb950 }
    .slower { fill: #db6d28 }
  }`

/**
 * An SVG with a bar for each comparison. The logarithmic axis shows how many times as fast the
 * gateway is; the bars start at equal speed. A line shows the lowest and highest of the rounds.
 */
export function ratioChart(comparisons: readonly Comparison[]): string {
  // At least a factor of four on each side, in powers of two.
  const reach = (sign: 1 | -1): number =>
    Math.max(
      2,
      ...comparisons.flatMap(({ times }) => rangeOf(times).map((end) => Math.ceil(sign * Math.log2(end)))),
    )
  const [low, high] = [-reach(-1), reach(1)]
  const x = (times: number): number =>
    LABELS + ((Math.log2(times) - low) / (high - low)) * (WIDTH - LABELS - VALUES)
  const bottom = TOP + comparisons.length * ROW
  const ticks = Array.from({ length: high - low + 1 }, (_, step) => 2 ** (low + step))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 12}" role="img" aria-label="Speed of the gateway over the speed of others">`,
    `<style>${STYLE}\n</style>`,
    `<text x="8" y="20">Speed of the gateway / speed of the other (1 is equal, right is faster; the line spans the rounds)</text>`,
    ...ticks.map((tick) => tickMark(x(tick), tick, bottom)),
    ...comparisons.map((comparison, index) => bar(comparison, TOP + index * ROW, x)),
    '</svg>\n',
  ].join('\n')
}

function tickMark(at: number, times: number, bottom: number): string {
  const place = at.toFixed(1)
  return `<line class="${times === 1 ? 'one' : 'grid'}" x1="${place}" x2="${place}" y1="${TOP - 8}" y2="${bottom}"/>
<text class="quiet" x="${place}" y="${TOP - 14}" text-anchor="middle">${times}</text>`
}

function bar({ work, against, unit, times }: Comparison, y: number, x: (times: number) => number): string {
  const value = medianOf(times)
  const [from, to] = [Math.min(x(1), x(value)), Math.max(x(1), x(value))]
  const [low, high] = rangeOf(times).map(x) as [number, number]
  const text = y + ROW / 2 + 4
  const middle = y + ROW / 2
  return `<text x="8" y="${text}">${escaped(work)} <tspan class="quiet">/ ${escaped(against)}, ${escaped(unit)}</tspan></text>
<rect class="${value >= 1 ? 'faster' : 'slower'}" x="${from.toFixed(1)}" y="${y + (ROW - BAR) / 2}" width="${Math.max(1, to - from).toFixed(1)}" height="${BAR}"/>
<line class="spread" x1="${low.toFixed(1)}" x2="${high.toFixed(1)}" y1="${middle}" y2="${middle}"/>
<text x="${(Math.max(to, high) + 6).toFixed(1)}" y="${text}">${value.toFixed(2)}</text>`
}

const rangeOf = (value: Value): [low: number, high: number] =>
  typeof value === 'number' ? [value, value] : [value.min, value.max]

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
