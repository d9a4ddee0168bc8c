const SPECIAL = /[\\\n\r\t]/
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const ARRAY_SPECIAL = /["\\]/g

export type CopyValue = string | number | null | readonly string[]

/** Rows as `copy … from stdin` reads them in its format `text`, columns in the order given. */
export function copyText<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
): Buffer {
  let text = ''
  for (const row of rows) {
    columns.forEach((column, i) => {
      text += (i === 0 ? '' : '\t') + field(row[column] as CopyValue)
    })
    text += '\n'
  }
  return Buffer.from(text)
}

function field(value: CopyValue): string {
  if (value === null) return '\\N'
  if (typeof value === 'number') return String(value)
  return escaped(typeof value === 'string' ? value : arrayText(value))
}

function escaped(text: string): string {
  return SPECIAL.test(text) ? text.replaceAll(/[\\\n\r\t]/g, (found) => ESCAPES[found] ?? found) : text
}

const arrayText = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll(ARRAY_SPECIAL, String.raw`\$&`)}"`).join(',')}}`
