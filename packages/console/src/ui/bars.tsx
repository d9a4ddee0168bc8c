import type { ReactNode } from 'react'
import css from './bars.module.css'
import { withCommas } from './number.ts'
import { Link } from './link.tsx'

interface Bar {
  readonly key: string
  readonly label: string
  readonly value: number
  readonly to: string
  /** Beside the label. */
  readonly detail?: ReactNode
  /** The bar has the accent of this tier. */
  readonly tier?: string
  /** In place of the bar. */
  readonly drawing?: ReactNode
}

interface BarsProps {
  /** For screen readers. */
  readonly caption: string
  readonly bars: readonly Bar[]
}

/** Values with a bar each, in a table. */
export function Bars({ caption, bars }: BarsProps) {
  const max = Math.max(...bars.map(({ value }) => value), 1)
  return (
    <table className={css.bars}>
      <caption className="visually-hidden">{caption}</caption>
      <tbody>
        {bars.map(({ key, label, detail, tier, drawing, to, value }) => (
          <tr key={key}>
            <th scope="row">
              <span className="row">
                <Link className="plain" href={to}>
                  {label}
                </Link>
                {detail !== undefined && <span className="note">{detail}</span>}
              </span>
            </th>
            <td className={css.value}>
              {drawing ?? (
                <span className={css.track} aria-hidden="true" data-tone={tier}>
                  <span className={css.bar} style={{ width: `${(100 * value) / max}%` }} />
                </span>
              )}
              <span className={css.number}>{withCommas(value)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
