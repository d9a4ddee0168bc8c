import { scaleLinear, scaleUtc } from 'd3-scale'
import { curveStepAfter, line } from 'd3-shape'
import { useEffect, useRef, useState } from 'react'
import css from './chart.module.css'
import { withCommas } from './number.ts'
import { Table } from './table.tsx'

export interface Point {
  /** ISO 8601. */
  readonly time: string
  readonly value: number
}

export interface ChartProps {
  /** What the values are: "Reputation". */
  readonly title: string
  /** Whole numbers, oldest first. Each value holds until the next, and the last one until now. */
  readonly points: readonly Point[]
  readonly format?: (value: number) => string
  /** The highest value that is possible. Default: the highest of the points. */
  readonly max?: number
  readonly height?: number
}

const [TOP, BOTTOM] = [10, 24]
/** Of a character, at most. */
const CHARACTER = 7
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' })
export const minute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

/** A line over time. The same values are in a table below it. Import it with `import()`. */
export default function Chart({ title, points, format = withCommas, max, height = 180 }: ChartProps) {
  const { ref, width } = useWidth()
  const [now] = useState(Date.now)
  const last = points.at(-1)
  const end = Math.max(now, ...points.map(({ time }) => Date.parse(time)))
  const start = Math.min(end - 1, ...points.map(({ time }) => Date.parse(time)))
  const most = max ?? Math.max(...points.map(({ value }) => value), 0)
  const y = scaleLinear([0, most || 1], [height - BOTTOM, TOP]).nice(4)
  const ticks = most === 0 ? [0] : y.ticks(4).filter(Number.isInteger)
  const left = 10 + CHARACTER * Math.max(4, ...ticks.map((tick) => format(tick).length))
  const x = scaleUtc([start, end], [left, width - 6])
  const drawn = last === undefined ? [] : [...points, { ...last, time: new Date(end).toISOString() }]
  const path = line<Point>(
    (point) => x(Date.parse(point.time)),
    (point) => y(point.value),
  ).curve(curveStepAfter)
  const summary = last === undefined ? '' : `: now ${format(last.value)}, ${points.length} values since`
  return (
    <figure className="stack tight" ref={ref}>
      <svg
        className={css.svg}
        width={width}
        height={height}
        role="img"
        aria-label={`${title} over time${summary} ${day.format(start)}. The table has all values.`}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line className={css.grid} x1={left} x2={width} y1={y(tick)} y2={y(tick)} />
            <text className={css.tick} x={left - 8} y={y(tick) + 4} textAnchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        <text className={css.tick} x={left} y={height - 4} textAnchor="start">
          {day.format(start)}
        </text>
        <text className={css.tick} x={width} y={height - 4} textAnchor="end">
          now
        </text>
        <path className={css.line} d={path(drawn) ?? ''} />
        {points.map((point, i) => (
          // Several changes can be in one block, so a time is not a key.
          // oxlint-disable-next-line react/no-array-index-key
          <circle key={i} className={css.point} cx={x(Date.parse(point.time))} cy={y(point.value)} r={3.5}>
            <title>{`${format(point.value)}, ${minute.format(Date.parse(point.time))}`}</title>
          </circle>
        ))}
      </svg>
      <details>
        <summary>Show as a table</summary>
        <Table
          caption={`${title} over time`}
          columns={{
            Time: ({ time }) => minute.format(Date.parse(time)),
            [title]: ({ value }) => format(value),
          }}
          numbers={[title]}
          rows={points.toReversed()}
          keyOf={(point) => String(points.indexOf(point))}
        />
      </details>
    </figure>
  )
}

/** The width of the chart in pixels, so that its texts have the same size on every screen. */
function useWidth() {
  const ref = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(320)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 320)))
    observer.observe(ref.current!)
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}
