const MAX_SHOWN = 64

/** A client's value for error texts: quoted, cut at 64 characters, invisible ones escaped. */
export function quoted(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  if (typeof value !== 'string') return String(value).slice(0, MAX_SHOWN)
  const characters = Array.from(value.slice(0, 2 * MAX_SHOWN + 2))
  const cut = characters.length > MAX_SHOWN || value.length > 2 * MAX_SHOWN
  const text = visible(JSON.stringify(characters.slice(0, MAX_SHOWN).join('')))
  return cut ? `${text.slice(0, -1)}…"` : text
}

/**
 * Control, format and other invisible characters as `\uXXXX`, so that they neither control a
 * terminal nor change the direction of text. JSON keeps its meaning.
 */
export const visible = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped)

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')
}
