const HIDDEN = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu

/** Invisible characters as `\uXXXX`, because names and cards are anybody's text. */
export const visibleText = (text: string): string =>
  text.replace(HIDDEN, (found) =>
    found.replace(/[^]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )

interface WithBody {
  readonly webhookDelivery?: { readonly body?: string | null } | null
}

/**
 * The same in all texts of a result. The body of a delivery stays as it is signed: who shows it
 * uses `visibleText`.
 */
export function visible<Data>(data: Data): Data {
  const text = JSON.stringify(data)?.replace(HIDDEN, (found) => visibleText(found).replaceAll('\\', '\\\\'))
  const shown = text && JSON.parse(text)
  const delivery = (data as WithBody | null | undefined)?.webhookDelivery
  if (delivery?.body != null) shown.webhookDelivery.body = delivery.body
  return shown
}
