import { beforeAll, expect } from 'vitest'
import type { Page, WebSocketRoute } from 'playwright-core'
import { BROWSER_PATH } from './support/browser-path.ts'
import { saveFile, useConsole } from './support/console-world.ts'
import { addressOf, type OwnedAgent, registerAgent } from './support/registry-data.ts'
import { scaled } from '../../support/machine-speed.ts'

const { world, test } = useConsole()
let agent: OwnedAgent
beforeAll(async () => {
  if (BROWSER_PATH === undefined) return
  agent = await registerAgent(world, 'Live Subject')
})

let version = 0
async function change(): Promise<string> {
  version += 1
  await agent.registry.agents.update({ version: `1.0.${version}` }, agent.owner)
  return `The version is now “1.0.${version}”.`
}
/** Runs in the page. Returns how many chunks of pages were requested before the first render. */
function chunksBeforeRender(): number {
  const [rendered] = performance.getEntriesByName('rendered')
  return performance
    .getEntriesByType('resource')
    .filter(({ name, startTime }) => /\/page-[^/]+\.js$/.test(name) && startTime < rendered!.startTime).length
}
const events = (page: Page) => page.getByRole('list', { name: 'Events' }).getByRole('listitem')

test('the feed starts with recent events that link to agents and transactions, and older ones follow', async ({
  page,
  open,
}) => {
  await page.addInitScript(() => {
    const observer = new MutationObserver(() => {
      // The page has a line of its own until its script renders.
      if (document.querySelector('#root > :not(.first)') === null) return
      performance.mark('rendered')
      observer.disconnect()
    })
    observer.observe(document, { childList: true, subtree: true })
  })
  await open('/live')
  await events(page).nth(24).waitFor()
  expect(await events(page).count()).toBe(25)
  expect(await page.evaluate(chunksBeforeRender)).toBeGreaterThan(0)
  const link = events(page).filter({ hasText: 'Zephyr Routing' }).first().getByRole('link')
  expect(await link.first().getAttribute('href')).toContain(await addressOf(world, 'Zephyr Routing'))
  expect(await link.last().getAttribute('href')).toMatch(/\/console\/tx\/\w{80,90}$/)
  await page.getByRole('button', { name: 'Show older events' }).press('Enter')
  await events(page).nth(74).waitFor()
  const sentence = await change()
  await page.getByRole('button', { name: 'Show 1 new' }).click()
  await expect.poll(() => events(page).first().innerText()).toContain(sentence)
})

test('2,000 events make a page of at most 15,000 elements', async ({ page, open }) => {
  // A fake: each older event is there many times, with ids of its own.
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('query LiveOlder') !== true) return route.continue()
    const response = await route.fetch()
    const { data } = (await response.json()) as { data: { registryEvents: { nodes: { id: string }[] } } }
    const { nodes } = data.registryEvents
    const copies = Array.from({ length: 1_975 }, (_, i) => ({
      ...nodes[i % nodes.length]!,
      id: `evt_copy${i}`,
    }))
    return route.fulfill({
      response,
      json: { data: { registryEvents: { ...data.registryEvents, nodes: copies } } },
    })
  })
  await open('/live')
  await events(page).nth(24).waitFor()
  await page.getByRole('button', { name: 'Show older events' }).click()
  await expect.poll(() => events(page).count()).toBe(2_000)
  const elements = () => page.evaluate<number>(`document.querySelectorAll('*').length`)
  await expect.poll(elements).toBeLessThan(15_000)
  const height = await page.evaluate<number>('document.body.scrollHeight')
  const [first, last] = [events(page).first(), events(page).last()]
  expect(await last.innerText()).toBe('')
  await page.evaluate('scrollTo(0, 0)')
  await first.getByRole('link').first().focus()
  await last.scrollIntoViewIfNeeded()
  await expect.poll(() => last.innerText()).toContain('Slot')
  expect(await elements()).toBeLessThan(15_000)
  // Who uses the keyboard keeps the place.
  expect(await events(page).nth(1).innerText()).toBe('')
  expect(await first.innerText()).toContain('Slot')
  // Nothing moved.
  expect(Math.abs((await page.evaluate<number>('document.body.scrollHeight')) - height)).toBeLessThan(200)
})

test('events of chosen types and of one agent are shown, and the choice is in the URL', async ({
  page,
  open,
  audit,
  variant,
}) => {
  await open('/live')
  await events(page).first().waitFor()
  // On phones they scroll in one line.
  const types = page.getByRole('toolbar', { name: 'Event types' })
  const { height } = (await types.boundingBox())!
  expect(height).toBeLessThan(variant.width === 390 ? 60 : 140)
  expect(await types.getByRole('button').allInnerTexts()).toContain('Status changed')
  await page.getByRole('button', { name: 'Deposit', exact: true }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('types')).toBe('STAKE_DEPOSITED')
  await expect
    .poll(async () => (await events(page).allInnerTexts()).every((text) => text.includes('deposited')))
    .toBe(true)
  const { name, content } = await saveFile(page.getByRole('button', { name: 'Save events as CSV' }))
  expect(name).toBe('events.csv')
  const [members, ...rows] = content.trim().split('\r\n')
  expect(members).toMatch(/^id,type,agentPda,agentName,.*,stakePda,amount,/)
  // All of them, not only those that are shown.
  expect(rows.length).toBeGreaterThanOrEqual(await events(page).count())
  expect(rows.every((row) => row.includes('STAKE_DEPOSITED') && !row.includes('__typename'))).toBe(true)
  const field = page.getByRole('searchbox', { name: 'Only this agent' })
  await field.fill('somebody')
  await page.getByText('Enter the address of an agent').waitFor()
  await field.fill(await addressOf(world, 'Granite Custody'))
  await expect.poll(() => events(page).count()).toBe(1)
  await page.reload()
  await events(page).filter({ hasText: 'Granite Custody' }).waitFor()
  expect(await page.getByRole('button', { name: 'Deposit', exact: true }).getAttribute('aria-pressed')).toBe(
    'true',
  )
  await page.getByRole('button', { name: 'Stake closed' }).click()
  await page.getByRole('button', { name: 'Deposit', exact: true }).click()
  await page.getByRole('heading', { name: 'No such event so far' }).waitFor()
  await audit()
  await page.getByRole('button', { name: 'Show all events' }).click()
  await events(page).nth(24).waitFor()
  await page.getByRole('button', { name: 'Registered', exact: true }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('types')).toBe('AGENT_REGISTERED')
  await page.getByText('Live', { exact: true }).last().waitFor()
  await expect
    .poll(async () => (await events(page).allInnerTexts()).filter((text) => !text.includes('Registered')))
    .toEqual([])
  const other = await change()
  await registerAgent(world, `Filtered ${variant.name}`)
  await events(page).first().getByText(`Filtered ${variant.name}`).waitFor()
  expect(await events(page).filter({ hasText: other }).count()).toBe(0)
})

test('a pause and a reader who scrolled down hold events back, and none is lost or moves the page', async ({
  page,
  open,
  audit,
}) => {
  const sockets: string[] = []
  page.on('websocket', (socket) => sockets.push(socket.url()))
  await open(`/agents/${agent.pda}`)
  await page.getByRole('link', { name: 'Watch events' }).click()
  await page.getByText('Live', { exact: true }).last().waitFor()
  const first = await change()
  await expect.poll(() => events(page).first().innerText()).toContain(first)
  await page.getByRole('button', { name: 'Pause' }).click()
  const held = [await change(), await change()]
  await page.getByRole('button', { name: 'Show 2 new events' }).waitFor()
  await audit()
  expect(await events(page).first().innerText()).toContain(first)
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect.poll(() => events(page).first().innerText()).toContain(held[1])
  expect(await events(page).nth(1).innerText()).toContain(held[0])
  expect(await events(page).nth(2).innerText()).toContain(first)
  // A link of a row has the focus: the row stays where it is.
  const row = events(page).nth(2)
  await row.getByRole('link').first().focus()
  const before = await row.boundingBox()
  const last = await change()
  await page.getByRole('button', { name: 'Show 1 new' }).waitFor()
  expect(await row.boundingBox()).toEqual(before)
  await page.getByRole('button', { name: 'Show 1 new' }).click()
  await expect.poll(() => events(page).first().innerText()).toContain(last)
  expect(sockets).toHaveLength(1)
})

test('events that happen while the connection is lost are there after it is back', async ({
  page,
  open,
  variant,
}) => {
  const routes: WebSocketRoute[] = []
  let isCut = false
  let refused = 0
  await page.routeWebSocket(/\/graphql$/, (route) => {
    if (isCut) {
      refused += 1
      void route.close({ code: 1013 })
    } else {
      routes.push(route)
      route.connectToServer()
    }
  })
  await open('/live')
  await events(page).first().waitFor()
  await expect.poll(() => routes.length).toBe(1)
  const first = await change()
  await expect.poll(() => events(page).first().innerText()).toContain(first)
  isCut = true
  await routes[0]!.close({ code: 1012 })
  await page.getByRole('main').getByText('Reconnecting').waitFor()
  await page.getByRole('banner').getByRole('link', { name: 'Service health: Reconnecting' }).waitFor()
  const missed = [await change(), await change()]
  // It must not wait longer and longer.
  if (variant.width === 1440) await expect.poll(() => refused, { timeout: scaled(20_000) }).toBe(4)
  isCut = false
  await expect.poll(() => events(page).first().innerText(), { timeout: scaled(5_000) }).toContain(missed[1])
  expect(await events(page).nth(1).innerText()).toContain(missed[0])
  expect(await events(page).nth(2).innerText()).toContain(first)
  await page.getByText('Live', { exact: true }).last().waitFor()
})
