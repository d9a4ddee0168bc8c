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
  await expect.poll(() => line.getAttribute('d')).toMatch(/^M0 [\d.]+(H[\d.]+V[\d.]+){2,}H100$/)
  const heights = [...(await line.getAttribute('d'))!.matchAll(/V([\d.]+)/g)].map(([, y]) => Number(y))
  expect(heights[0]).toBeGreaterThan(heights.at(-1)!)
  // At the times of the changes, which are not at equal distances.
  const times = [...(await line.getAttribute('d'))!.matchAll(/H([\d.]+)/g)].map(([, x]) => Number(x))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(new Set(times.slice(1).map((time, i) => (time - times[i]!).toFixed(3))).size).toBeGreaterThan(1)
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

test('agents and deposits over time have ranges, hover values and tables', async ({ page, open }) => {
  await open('/')
  const { registryStats } = await graphql<Stats>(world, STATS)
  const staked = (Number(registryStats.depositedAmount) / 1e6).toLocaleString('en')
  const growth = page.getByRole('region', { name: 'Growth' })
  for (const [title, now] of [
    ['Agents', String(registryStats.agents)],
    ['USDC staked', staked],
  ] as const) {
    const chart = growth
      .getByRole('figure')
      .filter({ has: page.getByRole('img', { name: `${title} over time: now ${now},` }) })
    await chart.getByText('Show as a table').click()
    const rows = chart.getByRole('table', { name: `${title} over time` }).getByRole('row')
    expect(await rows.count()).toBe(32)
    expect(await rows.nth(1).innerText()).toMatch(new RegExp(`\\s${now}$`))
    expect(await chart.locator('circle title').last().textContent()).toMatch(new RegExp(`^${now}, `))
    const ticks = await chart.locator('svg g text').allTextContents()
    expect(new Set(ticks).size).toBe(ticks.length)
    expect(ticks.length).toBeGreaterThan(2)
  }
  // The agents of the localnet are registered on several days before today.
  for (const [range, agents, stake] of [
    ['day', '(1\\d|2[0-4])', '[\\d,.]{3,}'],
    ['year', '0', '0'],
  ] as const) {
    await growth.getByRole('combobox', { name: 'Range' }).selectOption(range)
    for (const [title, before] of [
      ['Agents', agents],
      ['USDC staked', stake],
    ] as const) {
      const chart = growth
        .getByRole('figure')
        .filter({ has: page.getByRole('img', { name: `${title} over time` }) })
      await chart.locator('details:not([open])').getByText('Show as a table').click()
      await expect.poll(() => chart.getByRole('row').last().innerText()).toMatch(new RegExp(`\\s${before}$`))
    }
  }
})

test('small numbers have whole ticks, and small amounts have each tick once', async ({ page, open }) => {
  await page.route('**/graphql', async (route) => {
    const response = await route.fetch()
    const json = (await response.json()) as { data?: { registryGrowth?: number[]; registryStake?: string[] } }
    if (json.data?.registryGrowth !== undefined) {
      json.data.registryGrowth = json.data.registryGrowth.map((_, i) => i % 3)
      json.data.registryStake = json.data.registryStake!.map((_, i) => String(i % 4))
    }
    await route.fulfill({ response, json })
  })
  await open('/')
  for (const [title, ticks] of [
    ['Agents', ['0', '1', '2']],
    ['USDC staked', ['0', '0.000001', '0.000002', '0.000003']],
  ] as const) {
    const chart = page.getByRole('img', { name: `${title} over time` })
    await chart.waitFor()
    expect(await chart.locator('g text').allTextContents()).toEqual(ticks)
  }
})

test('the events of an hour, a day and a week are columns with hover values and a table', async ({
  page,
  open,
}) => {
  // What the page itself has read: another read could be of the next minute, with other columns.
  const answers = new Map<string, number[]>()
  page.on('response', (response) => {
    const body = response.request().postData() ?? ''
    if (!body.includes('registryEventCounts')) return
    const { variables } = JSON.parse(body) as { variables: { hours: number } }
    const keep = ({ data }: { data: { registryEventCounts: { events: number }[] } }) =>
      answers.set(
        String(variables.hours),
        data.registryEventCounts.map(({ events: count }) => count),
      )
    void response.json().then(keep)
  })
  await open('/')
  const events = page.getByRole('region', { name: 'Events', exact: true })
  for (const [hours, each, columns] of [
    ['1', 'minute', 60],
    ['24', 'hour', 24],
    ['168', 'two hours', 84],
  ] as const) {
    await events.getByRole('combobox', { name: 'Period of the events' }).selectOption(hours)
    const chart = events.getByRole('img', { name: new RegExp(`^Events per ${each}: [\\d,]+\\. The table`) })
    await chart.waitFor()
    await expect.poll(() => answers.get(hours)).toHaveLength(columns)
    const titles = await chart
      .locator('span[title]')
      .evaluateAll((all) => all.map((each) => each.getAttribute('title')!))
    expect(titles.map((title) => Number(title.split(': ').at(-1)))).toEqual(answers.get(hours))
    expect(Math.max(...answers.get(hours)!)).toBeGreaterThan(0)
    await events.locator('details:not([open])').getByText('Show as a table').click()
    expect(await events.getByRole('row').count()).toBe(columns + 1)
  }
  // A long table does not stretch the cards beside it.
  for (const name of ['Categories', 'Status']) {
    const { height } = (await page.getByRole('region', { name, exact: true }).boundingBox())!
    expect(height).toBeLessThan(600)
  }
})

test('the best agents are active ones, and agents with a mismatched card are counted', async ({
  page,
  open,
}) => {
  await page.route('**/graphql', async (route) => {
    const response = await route.fetch()
    const json = (await response.json()) as { data?: { registryStats?: { mismatchedAgents: number } } }
    if (json.data?.registryStats !== undefined) json.data.registryStats.mismatchedAgents = 3
    await route.fulfill({ response, json })
  })
  await open('/')
  type Found = { agents: { nodes: { name: string; status: string }[] } }
  const { agents } = await graphql<Found>(
    world,
    '{ agents(first: 20, orderBy: { field: REPUTATION }) { nodes { name status } } }',
  )
  const isActive = ({ status }: { status: string }): boolean => status === 'ACTIVE'
  expect(agents.nodes.slice(0, 10).every(isActive)).toBe(false)
  const best = page.getByRole('table', { name: 'Agents of the best reputation' }).getByRole('link')
  await best.first().waitFor()
  const expected = agents.nodes.filter(isActive).slice(0, 10)
  expect(await best.allInnerTexts()).toEqual(expected.map(({ name }) => name))
  await page.getByText('Lists leave out agents with a mismatched card: 3.').waitFor()
  await page.getByRole('link', { name: 'agents with a mismatched card' }).click()
  await expect.poll(() => page.url()).toContain('/console/agents?mismatched=true')
})

test('the overview stays while refreshes fail', async ({ page, open }) => {
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
})
