const SPECIAL = /[\\\n\r\t]/
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Encodes rows for `copy … from stdin` with the format `text`. Values are text, numbers, null,
 * lists of text, and objects for jsonb columns.
 */
export function copyText(rows: readonly object[], columns: readonly string[]): Buffer {
  let text = ''
  for (const row of rows as readonly Record<string, unknown>[]) {
    columns.forEach((column, i) => {
      text += (i === 0 ? '' : '\t') + encode(row[column])
    })
    text += '\n'
  }
  return Buffer.from(text)
}

function encode(value: unknown): string {
  if (value === null) return '\\N'
  if (typeof value === 'string') return escape(value)
  if (Array.isArray(value)) return escape(arrayText(value as string[]))
  return escape(JSON.stringify(value))
}

function escape(text: string): string {
  return SPECIAL.test(text) ? text.replaceAll(/[\\\n\r\t]/g, (found) => ESCAPES[found] ?? found) : text
}

const arrayText = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`
