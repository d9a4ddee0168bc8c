const HIDDEN = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu
/** In JSON: a text of spaces and of letters that look like them. */
const BLANK = /(?<!\\)"[\p{Zs}\u115f\u1160\u2800\u3164\uffa0]+"/gu

const escaped = (text: string): string =>
  text.replace(/[^]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Invisible characters as `\uXXXX`, because names and cards are anybody's text. */
export const visibleText = (text: string): string => text.replace(HIDDEN, escaped)

/** The text as it was written, for a field in which its owner changes it. */
export const writtenText = (text: string): string =>
  text.replace(/\\u([\da-f]{4})/g, (found, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16))
    return visibleText(character) === found ? character : found
  })

interface WithBody {
  readonly webhookDelivery?: { readonly body?: string | null } | null
}

/**
 * The same in all texts of a result, and also spaces, if a text has nothing else. The body of a
 * delivery stays as it is signed: who shows it uses `visibleText`.
 */
export function visible<Data>(data: Data): Data {
  const escapedInJson = (found: string): string => escaped(found).replaceAll('\\', '\\\\')
  const text = JSON.stringify(data)
    ?.replace(HIDDEN, escapedInJson)
    .replace(BLANK, (found) => `"${escapedInJson(found.slice(1, -1))}"`)
  const shown = text && JSON.parse(text)
  const delivery = (data as WithBody | null | undefined)?.webhookDelivery
  if (delivery?.body != null) shown.webhookDelivery.body = delivery.body
  return shown
}
