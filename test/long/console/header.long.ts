import { afterAll, beforeAll, expect, test } from 'vitest'
import { BROWSER_PATH } from '../../support/console/browser-path.ts'
import { type ConsoleWorld, openConsole } from '../../support/console/console-world.ts'

let world: ConsoleWorld
beforeAll(async () => {
  if (BROWSER_PATH !== undefined) world = await openConsole({ SEED_AGENTS: '1' })
})
afterAll(() => world?.browser.close())

test.skipIf(BROWSER_PATH === undefined && process.env.CI === undefined)(
  'the header shows the true health of the service, also after the service stops',
  async () => {
    const page = await world.browser.newPage()
    await page.clock.install()
    await page.goto(`${world.origin}/console/`)
    const health = (state: string) => page.getByRole('link', { name: `Service health: ${state}` })
    await health('Operational').waitFor()
    await world.gateway.remove()
    await page.clock.runFor(30_000)
    await health('Not reachable').waitFor()
    expect(await health('Operational').count()).toBe(0)
  },
)
