import type { Page, Route } from 'playwright-core'

export const FAULTS = [
  'request lost',
  'response lost',
  'delayed',
  '502 before',
  '502 after',
  'reloaded',
] as const
export type Fault = (typeof FAULTS)[number]

interface Options {
  /** How many submits are hit, before one gets through. */
  readonly times: number
  readonly delayMs: number
}

/** What happens to the submits of a page. */
interface HitSubmits {
  count(): number
  /** Ends when no submit is held back any more. */
  delivered(): Promise<void>
}

const SUBMITS = /\/(relay|sponsor\/register)\/submit$/

/** Hits the next submits of a page. After that, all get through. */
export async function hitSubmits(page: Page, fault: Fault, { times, delayMs }: Options): Promise<HitSubmits> {
  let count = 0
  const held: Promise<unknown>[] = []
  await page.unroute(SUBMITS)
  await page.route(SUBMITS, async (route) => {
    count += 1
    if (count > times) return route.continue()
    const work = hit(page, route, fault, delayMs)
    held.push(work)
    return work
  })
  return { count: () => count, delivered: async () => void (await Promise.all(held)) }
}

async function hit(page: Page, route: Route, fault: Fault, delayMs: number): Promise<void> {
  const html = { status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }
  switch (fault) {
    case 'request lost':
      return route.abort('connectionreset')
    case 'response lost':
      await route.fetch()
      return route.abort('connectionreset')
    case 'delayed': {
      // Also delivered if the page does not wait for it.
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      const response = await route.fetch()
      return route.fulfill({ response }).catch(() => undefined)
    }
    case '502 before':
      return route.fulfill(html)
    case '502 after':
      await route.fetch()
      return route.fulfill(html)
    case 'reloaded': {
      if (delayMs % 2 === 0) await route.fetch()
      await page.reload()
      return route.abort().catch(() => undefined)
    }
  }
}

/** Statements that are wrong while a signed transaction may land, or has landed. */
const DENIALS = 'not sent|try again|prepare again|not signed|nothing was|expired|failed'

/**
 * Collects what the dialog and the banner of transactions say, also across reloads. Install it
 * before the page is opened.
 */
export async function watchStatements(page: Page): Promise<void> {
  await page.addInitScript((denials) => {
    const denial = new RegExp(denials, 'i')
    const look = (): void => {
      for (const each of document.querySelectorAll<HTMLElement>('dialog[open], [aria-label=Transactions]')) {
        const found = denial.exec(each.innerText)
        if (found !== null) {
          const said = JSON.parse(sessionStorage.getItem('said') ?? '[]') as string[]
          sessionStorage.setItem('said', JSON.stringify([...said, each.innerText.slice(0, 300)]))
        }
      }
    }
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
  }, DENIALS)
}

export function takeStatements(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const said = JSON.parse(sessionStorage.getItem('said') ?? '[]') as string[]
    sessionStorage.removeItem('said')
    return said
  })
}
