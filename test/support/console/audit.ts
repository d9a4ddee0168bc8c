import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Watches a page from its first request. */
export interface Watched {
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

/** Every page must pass this, at every width and in both colour schemes. */
export async function auditPage(page: Page, { problems }: Watched): Promise<void> {
  await page.evaluate('document.fonts.ready')
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  )
  expect(found.join('\n'), 'accessibility').toBe('')
  expect(problems.join('\n'), 'errors, warnings and requests to other origins').toBe('')
  const [width, available, wide] = await page.evaluate<[number, number, string]>(`[
    document.documentElement.scrollWidth, innerWidth, [...document.querySelectorAll('body *')]
      .filter((each) => each.getBoundingClientRect().right > innerWidth)
      .map((each) => each.outerHTML.slice(0, 120)).join('\\n')]`)
  expect(width, `width of the page; elements beyond its edge:\n${wide}`).toBeLessThanOrEqual(available)
}
