const [QUOTE, BACKSLASH, COLON, LAST_BLANK] = [0x22, 0x5c, 0x3a, 0x20]
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d]

/**
 * The first key that an object in the JSON text has twice, or null. JSON.parse keeps only the last
 * of such values, and other parsers the first. The result for invalid JSON has no meaning.
 */
export function findRepeatedKey(json: string): string | null {
  const openObjects: Set<string>[] = []
  for (let i = 0; i < json.length; i += 1) {
    const code = json.charCodeAt(i)
    if (code === OPEN_OBJECT) openObjects.push(new Set())
    else if (code === CLOSE_OBJECT) openObjects.pop()
    if (code !== QUOTE) continue
    const end = endOfString(json, i)
    if (json.charCodeAt(skipBlanks(json, end + 1)) === COLON) {
      const key = unescaped(json.slice(i, end + 1))
      const keys = openObjects.at(-1)
      if (keys?.has(key)) return key
      keys?.add(key)
    }
    i = end
  }
  return null
}

/** The index of the quote that ends the string, or the length of the text. */
export function endOfString(json: string, quote: number): number {
  for (let end = quote + 1; ; end += 1) {
    end = json.indexOf('"', end)
    if (end < 0) return json.length
    let backslashes = 0
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return end
  }
}

function skipBlanks(json: string, from: number): number {
  let i = from
  while (i < json.length && json.charCodeAt(i) <= LAST_BLANK) i += 1
  return i
}

function unescaped(string: string): string {
  return string.includes('\\') ? (JSON.parse(string) as string) : string.slice(1, -1)
}
