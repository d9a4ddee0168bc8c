/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role --
   Cards are not displayed as a table, and browsers take the roles of a table from its elements then. */
import { type ReactNode, useEffect, useState } from 'react'
import { classes } from './classes.ts'
import css from './table.module.css'

/** The cells of each column by its heading, which labels the value on narrow screens. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => ReactNode>>

/** A column by which the list can be sorted. */
interface ColumnSort {
  /** Undefined if the list is sorted by something else. */
  readonly order?: 'ascending' | 'descending' | undefined
  /** Sorts by this column, or in the other order. */
  readonly change: () => void
}

const ARROWS = { ascending: '↑', descending: '↓', none: '↕' } as const

interface TableProps<Row> {
  /** Says what the table lists, for screen readers. */
  readonly caption: string
  /** The first column names the row. */
  readonly columns: Columns<Row>
  /** The headings of the columns with numbers, which end at the same place. */
  readonly numbers?: readonly string[]
  readonly sorts?: Readonly<Record<string, ColumnSort>>
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** What is said in place of a table without rows. */
  readonly empty?: string
  /** Shows that newer rows are on their way. */
  readonly stale?: boolean
}

/**
 * The first table of a visit lays out its first cards, and the others when somebody scrolls. A page
 * that somebody returns to has all of them, so that its place stays.
 */
let isFirst = true

/** A table. Below 40rem each row is a card. */
export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, numbers = [], sorts = {}, rows, keyOf, empty, stale } = props
  const [isPartial, setPartial] = useState(isFirst)
  useEffect(() => {
    isFirst = false
    const layOut = (): void => setPartial(false)
    addEventListener('scroll', layOut, { once: true })
    return () => removeEventListener('scroll', layOut)
  }, [])
  const alignOf = (title: string) => (numbers.includes(title) ? 'end' : undefined)
  if (rows.length === 0 && empty !== undefined) return <p className="hint">{empty}</p>
  return (
    <div
      className={classes('card', css.frame, stale && css.stale, isPartial && css.partial)}
      aria-busy={stale}
    >
      <table className={css.table} role="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {Object.keys(columns).map((title) => {
              const sort = sorts[title]
              return (
                <th
                  key={title}
                  scope="col"
                  role="columnheader"
                  data-align={alignOf(title)}
                  {...(sort && { 'aria-sort': sort.order ?? 'none' })}
                >
                  {title}
                  {sort && (
                    <button
                      type="button"
                      className={css.sort}
                      aria-label={`Sort by ${title.toLowerCase()}`}
                      data-order={sort.order}
                      onClick={sort.change}
                    >
                      <span aria-hidden="true">{ARROWS[sort.order ?? 'none']}</span>
                    </button>
                  )}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {Object.entries(columns).map(([title, cell], i) =>
                i === 0 ? (
                  <th key={title} scope="row" role="rowheader" data-align={alignOf(title)}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={title} role="cell" data-align={alignOf(title)} data-label={title}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
