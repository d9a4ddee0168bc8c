import { readValue, storeValue } from './storage.ts'

const RELOADS = 'reloads'
const [FIRST_SECONDS, MAX_SECONDS] = [3, 60]
const FORGET_MS = 10 * 60_000

interface Reloads {
  readonly page: string
  readonly times: number
  /** Of the last one, in milliseconds since the epoch. */
  readonly at: number
}

/** How often this page was reloaded lately because a part of it did not load. */
export function reloadsOf(): number {
  const { page, times, at } = (readValue(RELOADS) ?? {}) as Partial<Reloads>
  return page === location.href && Date.now() - Number(at) < FORGET_MS ? Number(times) : 0
}

/** After each reload that did not help, the page waits twice as long before the next one. */
export const reloadSeconds = (): number => Math.min(MAX_SECONDS, FIRST_SECONDS * 2 ** reloadsOf())

/** Reloads the page if the service answers. After a new release, the files have other names. */
export async function reloadIfAnswering(): Promise<void> {
  const response = await fetch(document.baseURI, { cache: 'no-store' }).catch(() => null)
  if (response?.ok !== true) return
  const reloads: Reloads = { page: location.href, times: reloadsOf() + 1, at: Date.now() }
  // Without storage it would be reloaded for ever.
  if (storeValue(RELOADS, reloads)) location.reload()
}
