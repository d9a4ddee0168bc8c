import { scaleLinear, scaleUtc } from 'd3-scale'
import { curveStepAfter, line } from 'd3-shape'
import { Table } from './table.tsx'
import css from './chart.module.css'

export interface Point {
  /** ISO 8601. */
  readonly time: string
  readonly value: number
}

interface ChartProps {
  /** What the values are: "Reputation". */
  readonly title: string
  /** Oldest first. Each value holds until the next. */
  readonly points: readonly Point[]
  readonly format?: (value: number) => string
}

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [640, 200, 48, 24]
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' })
const minute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

/** A line over time. The same values are in a table below it. Import it with `import()`. */
export default function Chart({ title, points, format = String }: ChartProps) {
  const times = points.map(({ time }) => Date.parse(time))
  const x = scaleUtc([Math.min(...times), Math.max(...times)], [LEFT, WIDTH])
  const most = Math.max(...points.map(({ value }) => value), 1)
  const y = scaleLinear([0, most], [HEIGHT - BOTTOM, 8]).nice(4)
  const path = line<Point>(
    (point) => x(Date.parse(point.time)),
    (point) => y(point.value),
  ).curve(curveStepAfter)
  return (
    <figure className={css.chart}>
      <svg
        className={css.svg}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title} over time`}
      >
        {y.ticks(4).map((tick) => (
          <g key={tick}>
            <line className={css.grid} x1={LEFT} x2={WIDTH} y1={y(tick)} y2={y(tick)} />
            <text className={css.tick} x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        {[times[0]!, times.at(-1)!].map((time, i) => (
          <text
            key={i === 0 ? 'first' : 'last'}
            className={css.tick}
            x={i === 0 ? LEFT : WIDTH}
            y={HEIGHT - 4}
            textAnchor={i === 0 ? 'start' : 'end'}
          >
            {day.format(time)}
          </text>
        ))}
        <path className={css.line} d={path([...points]) ?? ''} />
        {points.map((point) => (
          <circle
            key={point.time}
            className={css.point}
            cx={x(Date.parse(point.time))}
            cy={y(point.value)}
            r={3}
          >
            <title>{`${format(point.value)}, ${minute.format(Date.parse(point.time))}`}</title>
          </circle>
        ))}
      </svg>
      <details>
        <summary className={css.caption}>Show as a table</summary>
        <Table
          caption={`${title} over time`}
          columns={[
            { title: 'Time', cell: ({ time }) => minute.format(Date.parse(time)) },
            { title, cell: ({ value }) => format(value), align: 'end' },
          ]}
          rows={points}
          keyOf={({ time, value }) => `${time} ${value}`}
        />
      </details>
    </figure>
  )
}
