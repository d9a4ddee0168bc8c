import css from './bars.module.css'
import { Link } from './link.tsx'
import { Table } from './table.tsx'

interface Bar {
  readonly label: string
  readonly value: number
}

interface LinkedBar extends Bar {
  readonly key: string
  readonly to: string
  /** Beside the label. */
  readonly detail?: string
}

interface BarsProps {
  /** For screen readers. */
  readonly caption: string
  readonly bars: readonly LinkedBar[]
  /** The highest value that is possible. Default: the highest of the bars. */
  readonly max?: number
}

const plain = (value: number): string => value.toLocaleString('en')
const highest = (bars: readonly Bar[]): number => Math.max(...bars.map(({ value }) => value), 1)
const percent = (value: number, of: number): string => `${(100 * value) / of}%`

/** Values with a bar each, in a table. */
export function Bars({ caption, bars, max = highest(bars) }: BarsProps) {
  return (
    <table className={css.bars}>
      <caption className="visually-hidden">{caption}</caption>
      <tbody>
        {bars.map(({ key, label, detail, to, value }) => (
          <tr key={key}>
            <th scope="row">
              <Link href={to}>{label}</Link>
              {detail !== undefined && <span className={css.detail}>{detail}</span>}
            </th>
            <td className={css.value}>
              <span className={css.track} aria-hidden="true">
                <span className={css.bar} style={{ width: percent(value, max) }} />
              </span>
              <span className={css.number}>{plain(value)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** How many there are of each range of values. The same numbers are in a table below it. */
export function Histogram({ title, bars }: { readonly title: string; readonly bars: readonly Bar[] }) {
  const most = highest(bars)
  const all = bars.reduce((sum, { value }) => sum + value, 0)
  return (
    <figure className={css.figure}>
      <div
        className={css.columns}
        role="img"
        aria-label={`${title}: ${plain(all)}. The table has all values.`}
      >
        {bars.map(({ label, value }) => (
          <span key={label} className={css.column} title={`${label}: ${plain(value)}`}>
            <span className={css.fill} style={{ height: percent(value, most) }} />
          </span>
        ))}
      </div>
      <div className={css.ends} aria-hidden="true">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
      <details>
        <summary className={css.summary}>Show as a table</summary>
        <Table
          caption={title}
          columns={[
            { title: 'Range', cell: ({ label }) => label },
            { title: 'Agents', cell: ({ value }) => plain(value), align: 'end' },
          ]}
          rows={bars}
          keyOf={({ label }) => label}
        />
      </details>
    </figure>
  )
}
