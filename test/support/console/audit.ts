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
    // The browser reports each response with an error status. Pages show those themselves.
    const isResponse = /^Failed to load resource: .* status of [45]/.test(message.text())
    if (['error', 'warning'].includes(message.type()) && !isResponse) problems.push(message.text())
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
  expect(found, 'accessibility').toEqual([])
  expect(problems, 'errors, warnings and requests to other origins').toEqual([])
  const wide = await page.evaluate<string[]>(`document.documentElement.scrollWidth <= innerWidth ? [] :
    [...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
      .map((each) => each.outerHTML.slice(0, 120))`)
  expect(wide, 'elements wider than the page').toEqual([])
}
