import { useState } from 'react'
import { type TypedDocumentNode, useClient } from 'urql'
import { readError } from '../api/errors.ts'
import { Button } from './button.tsx'
import { withCommas } from './number.ts'
import { useLeft } from './polling.ts'
import { save } from './save.ts'

const MAX_ROWS = 10_000
const PAGE_SIZE = 200

interface ExportProps {
  /** What is exported, such as `agents`: the name of the file and of the buttons. */
  readonly name: string
  /** Of one list, with the variables `first` and `after`. */
  readonly query: TypedDocumentNode<object, never>
  readonly variables: object
}

interface List {
  readonly nodes: readonly object[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** Saves the whole list, not only the shown page. */
export function Export({ name, query, variables }: ExportProps) {
  const client = useClient()
  const [busy, setBusy] = useState(false)
  const [text, setText] = useState('')
  const left = useLeft()
  const readAll = async (): Promise<object[]> => {
    const rows: object[] = []
    for (let after: string | null = null; rows.length < MAX_ROWS && !left.current;) {
      const page = { ...variables, first: PAGE_SIZE, after } as never
      const { data, error } = await client.query(query, page, { requestPolicy: 'network-only' }).toPromise()
      const list = Object.values(data ?? {}).find((each: Partial<List> | null) => each?.nodes) as
        | List
        | undefined
      if (list === undefined) {
        const { code, retryAfter } = readError(error)
        if (code !== 'RATE_LIMITED' || retryAfter === null) throw error
        setText('Waiting for the limit of requests…')
        await new Promise((resolve) => setTimeout(resolve, retryAfter * 1_000))
        continue
      }
      setText('')
      rows.push(...list.nodes.map(withoutTypes))
      after = list.pageInfo.endCursor
      if (!list.pageInfo.hasNextPage || list.nodes.length === 0) return rows
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
      const file = `${name.replaceAll(' ', '-')}.${type}`
      if (!left.current) save(file, content, type === 'csv' ? 'text/csv' : 'application/json')
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

/** For `JSON.stringify`: without what the cache adds. */
export const skipTypes = (member: string, value: unknown) => (member === '__typename' ? undefined : value)

const withoutTypes = (row: object): object => JSON.parse(JSON.stringify(row, skipTypes)) as object

/** Events of different types have different members. */
function csvOf(rows: readonly object[]): string {
  const columns = [...new Set(rows.flatMap(Object.keys))]
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
