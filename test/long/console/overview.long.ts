import { expect } from 'vitest'
import { useConsole } from './support/console-world.ts'
import { graphql } from './support/registry-data.ts'

const { world, test } = useConsole()

const STATS = `{
  registryStats { agents depositedAmount byTier { tier agents } byCategory { agents } }
  registryReputation { agents }
}`
interface Stats {
  registryStats: {
    agents: number
    depositedAmount: string
    byTier: { tier: string; agents: number }[]
    byCategory: { agents: number }[]
  }
  registryReputation: { agents: number }[]
}

test('the overview shows the counts of the registry, and each leads to its agents', async ({
  page,
  open,
  audit,
  variant,
}) => {
  const { registryStats: stats, registryReputation } = await graphql<Stats>(world, STATS)
  expect(registryReputation.reduce((sum, { agents }) => sum + agents, 0)).toBe(stats.agents)
  await open('/')
  const valueOf = (name: string) => page.locator('dl > div', { hasText: name }).locator('dd').first()
  await expect.poll(() => valueOf('Agents').innerText()).toBe(String(stats.agents))
  const staked = (Number(stats.depositedAmount) / 1e6).toLocaleString('en')
  expect(await valueOf('USDC staked').innerText()).toBe(staked)
  const best = page.getByRole('table', { name: 'Agents of the best reputation' }).getByRole('link')
  expect(await best.count()).toBe(10)
  // At 1440 x 900, they are seen without scrolling.
  if (variant.width === 1440)
    await expect.poll(async () => (await best.last().boundingBox())!.y).toBeLessThan(876)
  // The first agent of the examples got reports, so its line has steps up.
  const line = best.first().locator('xpath=ancestor::tr').locator('svg path')
  await expect.poll(() => line.getAttribute('d')).toMatch(/^M0 [\d.]+(V[\d.]+H\d+){2,}$/)
  const heights = [...(await line.getAttribute('d'))!.matchAll(/V([\d.]+)/g)].map(([, y]) => Number(y))
  expect(heights[0]).toBeGreaterThan(heights.at(-1)!)
  await page.getByRole('img', { name: /^Agents over time: now/ }).waitFor()
  await page.getByRole('list', { name: 'Newest changes' }).waitFor()
  await audit()

  const { tier, agents } = stats.byTier.find((each) => each.agents > 0)!
  const row = page
    .getByRole('table', { name: 'Agents by tier' })
    .getByRole('row', { name: new RegExp(tier, 'i') })
  expect(await row.innerText()).toContain(String(agents))
  await row.getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
  await expect
    .poll(() => page.getByRole('navigation', { name: 'Pages' }).innerText())
    .toMatch(new RegExp(`^${agents} agents?$`, 'm'))
})

test('a first visit transfers at most 165 kB for the list of agents, and 205 kB for the overview', async ({
  context,
  open,
}) => {
  await open('/')
  for (const [path, row, most] of [
    ['/agents', 'Agents', 165_000],
    ['/', 'Agents of the best reputation', 205_000],
  ] as const) {
    const fresh = await context.browser()!.newContext()
    const page = await fresh.newPage()
    const network = await fresh.newCDPSession(page)
    await network.send('Network.enable')
    let bytes = 0
    network.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await page.goto(`${world.origin}/console${path}`, { waitUntil: 'networkidle' })
    await page.getByRole('table', { name: row, exact: true }).waitFor()
    // The font alone has 49 kB.
    expect(bytes).toBeGreaterThan(90_000)
    expect(bytes).toBeLessThan(most)
    await fresh.close()
  }
})

test('the growth has ranges, hover values and a table', async ({ page, open }) => {
  await open('/')
  const chart = page.getByRole('img', { name: /^Agents over time/ })
  await chart.waitFor()
  const growth = page.getByRole('region', { name: 'Growth' })
  await growth.getByText('Show as a table').click()
  const rows = growth.getByRole('table').getByRole('row')
  expect(await rows.count()).toBe(32)
  expect(await chart.locator('circle title').last().textContent()).toMatch(/^24, /)
  // The agents of the localnet are registered on several days before today.
  for (const [range, before] of [
    ['day', '(1\\d|2[0-4])'],
    ['year', '0'],
  ] as const) {
    await growth.getByRole('combobox', { name: 'Range' }).selectOption(range)
    await growth.locator('details:not([open])').getByText('Show as a table').click()
    await expect.poll(() => rows.last().innerText()).toMatch(new RegExp(`\\s${before}$`))
  }
})

test('the overview stays while refreshes fail, and old links to the list lead to it', async ({
  page,
  open,
}) => {
  await open('/')
  const best = page.getByRole('table', { name: 'Agents of the best reputation' })
  await best.waitFor()
  await page.getByRole('img', { name: /^Agents over time/ }).waitFor()
  await page.getByRole('img', { name: /^Agents by reputation/ }).waitFor()
  await page.getByRole('list', { name: 'Newest changes' }).waitFor()
  let refused = 0
  await page.route('**/graphql', (route) => {
    refused += 1
    const extensions = { code: 'RATE_LIMITED', status: 429 }
    return route.fulfill({ json: { data: null, errors: [{ message: 'Too many requests', extensions }] } })
  })
  // What a browser reports when somebody returns to the tab: the page reads again.
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
  await expect.poll(() => refused).toBeGreaterThan(2)
  await page.waitForLoadState('networkidle')
  expect(await best.getByRole('link').count()).toBe(10)
  expect(await page.getByRole('main').getByRole('alert').allInnerTexts()).toEqual([])
  await page.unroute('**/graphql')
  await open('/?tier=PREMIUM&sort=NAME')
  await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(
    '/console/agents?tier=PREMIUM&sort=NAME',
  )
})
