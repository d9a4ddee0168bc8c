import css from './bars.module.css'
import { Link } from './link.tsx'

interface Bar {
  readonly key: string
  readonly label: string
  readonly value: number
  readonly to: string
  /** Beside the label. */
  readonly detail?: string
}

interface BarsProps {
  /** For screen readers. */
  readonly caption: string
  readonly bars: readonly Bar[]
  /** The highest value that is possible. Default: the highest of the bars. */
  readonly max?: number
}

const plain = (value: number): string => value.toLocaleString('en')

/** Values with a bar each, in a table. */
export function Bars({ caption, bars, max = Math.max(...bars.map(({ value }) => value), 1) }: BarsProps) {
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
                <span className={css.bar} style={{ width: `${(100 * value) / max}%` }} />
              </span>
              <span className={css.number}>{plain(value)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
