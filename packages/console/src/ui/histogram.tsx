import { classes } from './classes.ts'
import css from './histogram.module.css'
import { withCommas } from './number.ts'
import { Table } from './table.tsx'

interface HistogramProps {
  readonly title: string
  /** What a label is, and what a value is, for the table. */
  readonly of: string
  readonly unit: string
  readonly bars: readonly { readonly label: string; readonly value: number }[]
  readonly format?: (value: number) => string
}

/** A column for each label. The same numbers are in a table below it. */
export function Histogram({ title, of, unit, bars, format = withCommas }: HistogramProps) {
  const most = Math.max(...bars.map(({ value }) => value), 1)
  const all = bars.reduce((sum, { value }) => sum + value, 0)
  return (
    <figure className="stack tight">
      <div
        className={css.columns}
        role="img"
        aria-label={`${title}: ${format(all)}. The table has all values.`}
      >
        {bars.map(({ label, value }) => (
          <span key={label} className={css.column} title={`${label}: ${format(value)}`}>
            <span className={css.fill} style={{ height: `${(100 * value) / most}%` }} />
          </span>
        ))}
      </div>
      <div className={classes('spread', 'note', css.ends)} aria-hidden="true">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
      <details>
        <summary>Show as a table</summary>
        <Table
          caption={title}
          columns={{ [of]: ({ label }) => label, [unit]: ({ value }) => format(value) }}
          numbers={[unit]}
          rows={bars}
          keyOf={({ label }) => label}
        />
      </details>
    </figure>
  )
}
