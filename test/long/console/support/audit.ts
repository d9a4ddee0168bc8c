import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Watches a page from its first request. */
interface Watched {
  /** Errors and warnings of the page, and requests to other origins. */
  readonly problems: string[]
}

export function watchPage(page: Page, origin: string): Watched {
  const problems: string[] = []
  page.on('console', (message) => {
    // The browser reports each response with an error status. Pages show those of the API.
    const isStatus = /^Failed to load resource: .* status of [45]/.test(message.text())
    const isOfApi = isStatus && !new URL(message.location().url).pathname.startsWith('/console/')
    if (['error', 'warning'].includes(message.type()) && !isOfApi) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('request', (request) => {
    const url = new URL(request.url())
    const isOwn = url.host === new URL(origin).host || url.protocol === 'data:' || url.protocol === 'blob:'
    if (!isOwn) problems.push(`request to ${request.url()}`)
  })
  return { problems }
}

/** Runs `check` in each colour scheme, first in the one that the page has and keeps. */
async function inBothSchemes(page: Page, check: (scheme: string) => Promise<void>): Promise<void> {
  const isDark = await page.evaluate<boolean>('matchMedia("(prefers-color-scheme: dark)").matches')
  const [own, other] = isDark ? (['dark', 'light'] as const) : (['light', 'dark'] as const)
  await check(own)
  await page.emulateMedia({ colorScheme: other })
  await check(other)
  await page.emulateMedia({ colorScheme: own })
}

/** Every state of a page must pass this, at every width. It tests both colour schemes. */
export async function auditPage(page: Page, { problems }: Watched): Promise<void> {
  await page.evaluate('document.fonts.ready')
  // While the code of a page loads there is no heading.
  await page.getByRole('heading', { level: 1 }).waitFor()
  let rules = '{}'
  await inBothSchemes(page, async (scheme) => {
    expect(await violations(page, rules), `accessibility, ${scheme}`).toBe('')
    // The other rules have the same result in both.
    rules = '{ runOnly: ["color-contrast", "link-in-text-block"] }'
  })
  expect(await overflow(page), 'elements that are wider than their place').toBe('')
  const size = page.viewportSize()!
  if (size.width === 390) {
    await page.setViewportSize({ ...size, width: 360 })
    expect(await overflow(page), 'elements that are wider than their place, at 360 px').toBe('')
    await page.setViewportSize(size)
  }
  expect(problems.join('\n'), 'errors, warnings and requests to other origins').toBe('')
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[]
}

async function violations(page: Page, options: string): Promise<string> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE)
  const found = await page.evaluate<Violation[]>(
    `axe.run(document, { resultTypes: ['violations'], ...${options} }).then((result) => result.violations)`,
  )
  return found
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    )
    .join('\n')
}

/** Elements beyond the edge of the window or of an open dialog. Empty if nothing overflows. */
export function overflow(page: Page): Promise<string> {
  return page.evaluate<string>(`[
    document.documentElement, ...document.querySelectorAll('dialog[open], :popover-open')
  ].flatMap((box) => {
    const width = box === document.documentElement ? innerWidth : box.clientWidth
    if (box.scrollWidth <= width) return []
    const edge = box.getBoundingClientRect().left + width
    return [box.tagName + ' ' + box.scrollWidth + ' > ' + width, ...[...box.querySelectorAll('*')]
      .filter((each) => each.getBoundingClientRect().right > edge)
      .map((each) => each.outerHTML.slice(0, 120))]
  }).join('\\n')`)
}

/** Stores a picture in each colour scheme, if SCREENSHOTS is a folder. */
export async function takePictures(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  const file = join(folder, name.replace(/[^\w-]+/g, '-').slice(0, 120))
  await inBothSchemes(
    page,
    async (scheme) => void (await page.screenshot({ path: `${file}-${scheme}.png`, fullPage: true })),
  )
}
