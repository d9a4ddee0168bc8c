const WIDTH = 100

export const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

export const camel = (name: string): string =>
  name.replace(/^[A-Z]/, (c) => c.toLowerCase()).replace(/_([a-z0-9])/g, (_, c: string) => c.toUpperCase())

/** The parts in lines of at most 100 columns. A longer part has a line of its own. */
function wrap(parts: readonly string[], indent: string): string {
  const lines: string[] = []
  for (const part of parts) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + part.length <= WIDTH)
      lines[lines.length - 1] = `${last} ${part}`
    else lines.push(indent + part)
  }
  return lines.join('\n')
}

/** An object or an array: `{ a, b }`, or several lines that start with the indent. */
export function list(brackets: '{}' | '[]', items: readonly string[], indent = ''): string {
  if (items.length === 0) return brackets
  const [open = '', close = ''] = brackets
  const space = open === '{' ? ' ' : ''
  const line = `${open}${space}${items.join(', ')}${space}${close}`
  if (indent.length + line.length < WIDTH) return line
  const parts = items.map((each) => `${each},`)
  return `${open}\n${wrap(parts, `${indent}  `)}\n${indent}${close}`
}

/** A JSDoc comment, or nothing if there is no text. */
export function comment(text: string | undefined, indent = ''): string {
  if (text === undefined || text === '') return ''
  const safe = text.replaceAll('*/', '* /')
  const line = `${indent}/** ${safe} */\n`
  if (line.length <= WIDTH + 1) return line
  return `${indent}/**\n${wrap(safe.split(' '), `${indent} * `)}\n${indent} */\n`
}
