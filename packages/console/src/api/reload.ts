const [FIRST_SECONDS, MAX_SECONDS] = [3, 60]
const FORGET_MS = 10 * 60_000

/** In the history entry of the page, because a browser can refuse storage. */
interface Reloads {
  readonly times: number
  /** Of the last one, in milliseconds since the epoch. */
  readonly at: number
}

/** How often this page was reloaded lately because a part of it did not load. */
export function reloadsOf(): number {
  const { times = 0, at = 0 } = (history.state as { reloads?: Reloads } | null)?.reloads ?? {}
  return Date.now() - at < FORGET_MS ? times : 0
}

/** After each reload that did not help, the page waits twice as long before the next one. */
export const reloadSeconds = (): number => Math.min(MAX_SECONDS, FIRST_SECONDS * 2 ** reloadsOf())

/** Reloads the page if the service answers. After a new release, the files have other names. */
export async function reloadIfAnswering(): Promise<void> {
  const response = await fetch(document.baseURI, { cache: 'no-store' }).catch(() => null)
  if (response?.ok !== true) return
  const reloads: Reloads = { times: reloadsOf() + 1, at: Date.now() }
  history.replaceState({ ...history.state, reloads }, '')
  location.reload()
}
