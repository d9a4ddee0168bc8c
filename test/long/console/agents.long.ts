import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import { scaled } from '../../support/machine-speed.ts'
import { saveFile, useConsole } from './support/console-world.ts'
import { graphql } from './support/registry-data.ts'

const { world, test } = useConsole({ SEED_AGENTS: '30' })

type Stats = { registryStats: { mismatchedAgents: number } }

async function mismatchedAgents(): Promise<number> {
  const { registryStats } = await graphql<Stats>(world, '{ registryStats { mismatchedAgents } }')
  return registryStats.mismatchedAgents
}

const rows = { name: /^Agents$/ }

test('the list shows agents by reputation, and pages with the keyboard and the back button', async ({
  page,
  open,
}) => {
  // The gateway finds this card after a moment. Then the list has an agent less.
  await expect.poll(mismatchedAgents, { timeout: scaled(30_000) }).toBe(1)
  await open('/agents')
  const table = page.getByRole('table', rows)
  const agents = table.getByRole('rowheader').getByRole('link')
  await agents.nth(24).waitFor()
  expect(await agents.count()).toBe(25)
  const total = Number.parseInt(await page.getByRole('navigation', { name: 'Pages' }).innerText(), 10)
  expect(total).toBeGreaterThan(25)
  const first = await agents.first().innerText()
  await page.getByRole('button', { name: 'Next' }).press('Enter')
  await expect.poll(() => agents.count()).toBe(total - 25)
  expect(page.url()).toContain('after=')
  const { content } = await saveFile(page.getByRole('button', { name: 'Save agents as JSON' }))
  expect(JSON.parse(content)).toHaveLength(total)
  await page.reload()
  await expect.poll(() => agents.count()).toBe(total - 25)
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect.poll(() => agents.first().innerText()).toBe(first)
  await page.goBack()
  await expect.poll(() => agents.count()).toBe(total - 25)
  // After a way back within the list, the page of an agent begins at its top.
  await page.goBack()
  const link = agents.nth(24)
  const name = await link.innerText()
  const openLast = async (): Promise<void> => {
    await link.focus()
    expect(await page.evaluate('scrollY')).toBeGreaterThan(100)
    await link.press('Enter')
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await page.getByRole('heading', { name: 'Identity' }).waitFor()
  }
  // The second time, the page is as high at once.
  await openLast()
  await page.goBack()
  await page.getByRole('button', { name: 'Next' }).press('Enter')
  await expect.poll(() => agents.count()).toBe(total - 25)
  await page.goBack()
  await openLast()
  expect(await page.evaluate('scrollY')).toBe(0)
})

test('the list is searched while somebody types, and filters and sort are in the URL', async ({
  page,
  open,
}) => {
  await open('/agents')
  const names = page.getByRole('table', rows).getByRole('rowheader').getByRole('link')
  await names.first().waitFor()
  const name = await names.nth(3).innerText()
  const sort = page.getByRole('combobox', { name: 'Sort by' })
  expect(await sort.inputValue()).toBe('REPUTATION')
  await page.getByRole('searchbox', { name: 'Name' }).fill(name.slice(0, 6))
  await expect.poll(() => names.first().innerText()).toContain(name.slice(0, 6))
  await expect.poll(() => new URL(page.url()).searchParams.get('name')).toBe(name.slice(0, 6))
  await page.getByRole('searchbox', { name: 'Name' }).fill('')
  await page.getByRole('button', { name: /Premium/ }).click()
  await sort.selectOption('NAME')
  await expect.poll(() => new URL(page.url()).search).toBe('?tier=PREMIUM&sort=NAME')
  const areSorted = async (): Promise<boolean> => {
    const shown = await names.allInnerTexts()
    return shown.join() === shown.toSorted().join()
  }
  await expect.poll(areSorted).toBe(true)
  await page.getByRole('searchbox', { name: 'Name' }).fill('zzzzqqqq')
  await page.getByRole('heading', { name: 'No agent matches' }).waitFor()
  await page.getByRole('button', { name: 'Show all agents' }).click()
  await names.nth(24).waitFor()
})

test('the list is sorted by its headings, in both orders', async ({ page, open, variant }) => {
  // On a phone, rows are cards without headings, and the field "Sort by" sorts.
  if (variant.width === 390) {
    await open('/agents')
    // All values of a card start at the same place.
    const number = page.locator('td[data-align=end]').first()
    return expect(await number.evaluate((at) => getComputedStyle(at).textAlign)).toBe('start')
  }
  await open('/agents')
  const agents = page.getByRole('table', rows)
  const names = agents.getByRole('rowheader').getByRole('link')
  const heading = agents.getByRole('columnheader', { name: 'Agent' })
  for (const [order, first] of [
    ['ascending', (shown: string[]) => shown.toSorted()],
    ['descending', (shown: string[]) => shown.toSorted().toReversed()],
  ] as const) {
    await agents.getByRole('button', { name: 'Sort by agent' }).click()
    await expect.poll(() => heading.getAttribute('aria-sort')).toBe(order)
    const areSorted = async (): Promise<boolean> => {
      const shown = await names.allInnerTexts()
      return shown.length > 0 && shown.join() === first(shown).join()
    }
    await expect.poll(areSorted).toBe(true)
  }
  expect(new URL(page.url()).search).toBe('?sort=NAME&order=DESC')
  await page.getByRole('combobox', { name: 'Sort by' }).selectOption('CREATED_AT')
  await expect.poll(() => new URL(page.url()).search).toBe('?sort=CREATED_AT')
})

test('a page that a link opens has the focus at its heading, and the back button returns to the place', async ({
  page,
  open,
}) => {
  await open('/agents')
  const link = page.getByRole('table', rows).getByRole('rowheader').getByRole('link').nth(20)
  await link.scrollIntoViewIfNeeded()
  // Waits until it does not move: the first scroll lays out all cards.
  await link.hover()
  const [name, top] = [await link.innerText(), await page.evaluate<number>('scrollY')]
  expect(top).toBeGreaterThan(100)
  await link.press('Enter')
  await page.getByRole('heading', { level: 1, name }).waitFor()
  const focused = () => page.evaluate<string>('document.activeElement?.tagName')
  await expect.poll(focused).toBe('H1')
  expect(await page.evaluate('scrollY')).toBe(0)
  await page.goBack()
  await expect.poll(() => page.evaluate('scrollY')).toBe(top)
  await page.getByRole('button', { name: 'Show it too' }).click()
  await expect.poll(() => page.getByText('The list has it too.').count()).toBe(1)
})

test('the keyboard is at the first agent within 15 steps, and moves among the filters by arrows', async ({
  page,
  open,
}) => {
  await open('/agents')
  const first = page.getByRole('table', rows).getByRole('rowheader').getByRole('link').first()
  await first.waitFor()
  const isFocused = (link: Locator) => link.evaluate((each) => each.matches(':focus'))
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  let steps = 2
  for (; steps < 30 && !(await isFocused(first)); steps++) await page.keyboard.press('Tab')
  expect(steps).toBeLessThanOrEqual(15)
  const filter = (name: RegExp) => page.getByRole('toolbar').getByRole('button', { name })
  await filter(/Premium/).focus()
  await page.keyboard.press('ArrowLeft')
  expect(await isFocused(filter(/Observer/))).toBe(true)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toContain('tier=STANDARD')
  await page.keyboard.press('Tab')
  expect(await isFocused(filter(/Financial/))).toBe(true)
  await page.keyboard.press('Shift+Tab')
  expect(await isFocused(filter(/Standard/))).toBe(true)
})

test('an error of the API is shown with a way back', async ({ page, open }) => {
  await open('/agents?after=broken')
  await page.getByRole('alert').getByText('Start again from the first page').waitFor()
  await page.getByRole('button', { name: 'Show all agents' }).click()
  await page.getByRole('table', rows).waitFor()
})

test('the search suggests agents, opens them with the keyboard, and finds addresses and DIDs', async ({
  page,
  open,
  audit,
}) => {
  await open('/agents')
  const link = page.getByRole('table', rows).getByRole('rowheader').getByRole('link').first()
  const [name, target] = [await link.innerText(), await link.getAttribute('href')]
  await page.keyboard.press('/')
  const box = page.getByRole('dialog', { name: 'Search' }).getByRole('combobox')
  await box.pressSequentially(name.slice(0, 5))
  await page.getByRole('option', { name }).waitFor()
  await audit()
  await box.press('Enter')
  await page.waitForURL(/\/console\/agents\/\w+$/)
  const pda = target!.split('/').at(-1)!
  await open('/agents')
  await page.getByRole('button', { name: /^Search/ }).click()
  await box.fill(pda)
  await box.press('Enter')
  await page.waitForURL(`**${target}`)
})

test('the totals count the agents of a tier and a category, and are filters like the status', async ({
  page,
  open,
}) => {
  await open('/agents')
  const totals = page.getByRole('region', { name: 'Totals' })
  const pager = page.getByRole('navigation', { name: 'Pages' })
  for (const [label, parameter] of [
    [/^\d+\s*Standard/, 'tier=STANDARD'],
    [/^Research\s*\d+$/, 'category=RESEARCH'],
  ] as const) {
    const total = totals.getByRole('button', { name: label })
    const count = Number(/\d+/.exec(await total.innerText())![0])
    expect(count).toBeGreaterThan(0)
    await total.click()
    await expect.poll(() => page.url()).toContain(parameter)
    await pager.getByText(new RegExp(`^${count} agents?$`)).waitFor()
    expect(await total.getAttribute('aria-pressed')).toBe('true')
    await total.click()
    await expect.poll(() => page.url()).not.toContain(parameter)
  }
  await page.getByRole('combobox', { name: 'Status' }).selectOption('SUSPENDED')
  await expect.poll(() => page.url()).toContain('status=SUSPENDED')
  const states = page.getByRole('table', rows).getByRole('cell', { name: /Active|Suspended|Deactivated/ })
  await expect.poll(async () => [...new Set(await states.allInnerTexts())]).toEqual(['Suspended'])
  await open('/agents?min=1000')
  await page.getByRole('heading', { name: 'No agent matches' }).waitFor()
})
