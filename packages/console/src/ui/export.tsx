import { useState } from 'react'
import { readError } from '../api/errors.ts'
import { Button } from './button.tsx'
import { save } from './save.ts'

const MAX_ROWS = 10_000

interface ExportProps {
  /** What is exported, such as `agents`: the name of the file and of the buttons. */
  readonly name: string
  /** A page of the list after a cursor. `next` is null at its end. */
  readonly read: (
    after: string | null,
  ) => Promise<{ readonly rows: readonly object[]; readonly next: string | null }>
}

/** Saves the whole list, not only the shown page. */
export function Export({ name, read }: ExportProps) {
  const [state, setState] = useState<{ busy: boolean; text: string }>({ busy: false, text: '' })
  const run = async (type: 'csv' | 'json'): Promise<void> => {
    const rows: object[] = []
    let after: string | null = null
    try {
      do {
        setState({ busy: true, text: `${rows.length} of ${name} read` })
        const page = await read(after)
        rows.push(...page.rows.map(withoutTypes))
        after = page.next
      } while (after !== null && rows.length < MAX_ROWS)
      const text = type === 'csv' ? csvOf(rows) : `${JSON.stringify(rows, null, 2)}\n`
      save(`${name}.${type}`, text, type === 'csv' ? 'text/csv' : 'application/json')
      const end = after === null ? '' : `: the first ${MAX_ROWS.toLocaleString('en')}`
      setState({ busy: false, text: `Saved${end}` })
    } catch (error) {
      setState({ busy: false, text: readError(error).message })
    }
  }
  return (
    <span>
      {(['csv', 'json'] as const).map((type) => (
        <Button key={type} small look="quiet" busy={state.busy} onClick={() => void run(type)}>
          <span className="visually-hidden">Save {name} as </span>
          {type.toUpperCase()}
        </Button>
      ))}{' '}
      <span role="status">{state.text}</span>
    </span>
  )
}

const withoutTypes = (row: object): object =>
  Object.fromEntries(Object.entries(row).filter(([member]) => member !== '__typename'))

function csvOf(rows: readonly object[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const lines = rows.map((row) => columns.map((column) => cellOf((row as Record<string, unknown>)[column])))
  return [columns, ...lines].map((line) => `${line.join(',')}\r\n`).join('')
}

/** RFC 4180. Names are anybody's text, and spreadsheets run cells that begin like a formula. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
