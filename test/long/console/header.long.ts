import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { auditPage } from './support/audit.ts'
import { BROWSER_PATH } from './support/browser-path.ts'
import { useConsole } from './support/console-world.ts'

const { world } = useConsole({ SEED_AGENTS: '1' })

const health = (page: Page, state: string) => page.getByRole('link', { name: `Service health: ${state}` })

test.skipIf(BROWSER_PATH === undefined && process.env.CI === undefined)(
  'the header shows the true health of the service, also after the service stops',
  async () => {
    const pages = await Promise.all(
      [1440, 390].map((width) => world.browser.newPage({ viewport: { width, height: 900 } })),
    )
    for (const page of pages) {
      await page.clock.install()
      await page.goto(`${world.origin}/console/`)
      await health(page, 'Operational').waitFor()
    }
    await world.gateway.remove()
    for (const page of pages) {
      await page.clock.runFor(30_000)
      await health(page, 'Not reachable').waitFor()
      expect(await health(page, 'Operational').count()).toBe(0)
      await page.clock.resume()
      // The browser reports the failed requests as errors.
      await auditPage(page, { problems: [] })
    }
  },
)
