import { useEffect, useRef, useState } from 'react'
import { readError } from '../api/errors.ts'
import { Button } from './button.tsx'
import { withCommas } from './number.ts'
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
  const [busy, setBusy] = useState(false)
  const [text, setText] = useState('')
  const left = useRef(false)
  useEffect(() => {
    left.current = false
    return () => {
      left.current = true
    }
  }, [])
  const readAll = async (): Promise<object[]> => {
    const rows: object[] = []
    for (let after: string | null = null; rows.length < MAX_ROWS && !left.current;) {
      const page = await patiently(() => read(after), setText)
      rows.push(...page.rows.map(withoutTypes))
      after = page.next
      if (after === null || page.rows.length === 0) return rows
    }
    setText(`Saved the first ${withCommas(MAX_ROWS)}.`)
    return rows
  }
  const run = async (type: 'csv' | 'json'): Promise<void> => {
    setBusy(true)
    setText('')
    try {
      const rows = await readAll()
      const content = type === 'csv' ? csvOf(rows) : `${JSON.stringify(rows, null, 2)}\n`
      if (!left.current)
        save(
          `${name.replaceAll(' ', '-')}.${type}`,
          content,
          type === 'csv' ? 'text/csv' : 'application/json',
        )
    } catch (error) {
      setText(readError(error).message)
    }
    setBusy(false)
  }
  return (
    <span style={{ display: 'inline-flex', flexWrap: 'wrap', alignItems: 'center', gap: '0.5rem' }}>
      {(['csv', 'json'] as const).map((type) => (
        <Button key={type} small look="quiet" busy={busy} onClick={() => void run(type)}>
          <span className="visually-hidden">Save {name} as </span>
          {type.toUpperCase()}
        </Button>
      ))}
      <span role="status">{text}</span>
    </span>
  )
}

/** Reads again when the limit of the client allows it. */
async function patiently<Page>(read: () => Promise<Page>, say: (text: string) => void): Promise<Page> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      const { code, retryAfter } = readError(error)
      if (code !== 'RATE_LIMITED' || retryAfter === null) throw error
      say('Waiting for the limit of requests…')
      await new Promise((resolve) => setTimeout(resolve, retryAfter * 1_000))
      say('')
    }
  }
}

const withoutTypes = (row: object): object =>
  Object.fromEntries(Object.entries(row).filter(([member]) => member !== '__typename'))

function csvOf(rows: readonly object[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const lines = rows.map((row) => columns.map((column) => cellOf((row as Record<string, unknown>)[column])))
  return [columns, ...lines].map((line) => `${line.join(',')}\r\n`).join('')
}

/**
 * RFC 4180. Names are anybody's text, and spreadsheets run cells that begin like a formula, also
 * after `;` and tabs, which some take for the end of a cell.
 */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) return text
  const safe = text.replaceAll(/(^|[;\t\r\n])(?=[=+\-@])/g, "$1'")
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
