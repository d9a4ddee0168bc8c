import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { auditPage } from './support/audit.ts'
import { useConsole } from './support/console-world.ts'
import { scaled } from '../../support/machine-speed.ts'
import { graphql } from './support/registry-data.ts'
import { refuseStorage } from './support/storage.ts'

const { world, test } = useConsole({ SEED_AGENTS: '3' })

/** From the moment at which the service is back, without a click. */
const RETURN_MS = 5_000
/** How long a page takes to open on a machine without other work. */
const OPEN_MS = 1_000

/** The longest return on this machine now: three times what a page opens later than usual. */
async function returnTime(open: () => Promise<void>): Promise<number> {
  const begin = performance.now()
  await open()
  return RETURN_MS + 3 * Math.max(0, performance.now() - begin - OPEN_MS)
}

const AGENT = '{ agents(first: 1) { nodes { pda history { nodes { signature } } } } }'
type Agents = { agents: { nodes: [{ pda: string; history: { nodes: [{ signature: string }] } }] } }

async function allPaths(): Promise<string[]> {
  const [agent] = (await graphql<Agents>(world, AGENT)).agents.nodes
  const ofData = [`/agents/${agent.pda}`, `/tx/${agent.history.nodes[0].signature}`, '/webhooks/x']
  const others = ['/register', '/mine', '/webhooks', '/webhooks/x/deliveries/y', '/events', '/credentials']
  return ['/', '/agents', '/live', '/health', '/developers', '/nothing', ...ofData, ...others]
}

/** A page whose errors are expected. `visit` changes the path without reading the page again. */
async function brokenPage(context: BrowserContext) {
  const page = await context.newPage()
  const urlOf = (path: string): string => `${world.origin}/console${path}`
  return {
    page,
    go: async (path: string) => void (await page.goto(urlOf(path))),
    visit: (path: string) => page.evaluate(`history.pushState(null, '', '${urlOf(path)}')`),
  }
}

const health = (page: Page, state: string) => page.getByRole('link', { name: `Service health: ${state}` })

async function expectShell(page: Page, path: string): Promise<void> {
  await page.getByRole('banner').getByRole('link', { name: 'Agent Registry' }).waitFor()
  const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts()
  expect([path, links.length]).toEqual([path, 7])
  const main = page.getByRole('main')
  await main.getByRole('heading').first().waitFor()
  await expect.poll(() => main.getByText(/^Loading/).count(), { message: path }).toBe(0)
}

/** Replaces parts of an answer, so that components throw. A fault that no gateway has. */
function spoiled(value: unknown, isSpoiled: (part: unknown) => boolean): unknown {
  if (isSpoiled(value)) return null
  if (Array.isArray(value)) return value.map((each) => spoiled(each, isSpoiled))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.map(([name, each]) => [name, name === '__typename' ? each : spoiled(each, isSpoiled)]),
  )
}

test('whatever a component throws, header and navigation stay', async ({ context, open, variant }) => {
  await open('/')
  const isNumber = (part: unknown): boolean => typeof part === 'number'
  let isSpoiled = variant.width === 390 ? isNumber : Array.isArray
  const { page, go, visit } = await brokenPage(context)
  await page.route('**/graphql', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { data?: unknown }
    return route.fulfill({ response, json: { ...body, data: spoiled(body.data, isSpoiled) } })
  })
  const broken = page.getByRole('alert').filter({ hasText: 'stopped working' })
  await go('/')
  for (const path of await allPaths()) {
    await visit(path)
    await expectShell(page, path)
  }
  isSpoiled = Array.isArray
  await go('/')
  await broken.waitFor()
  await auditPage(page, { problems: [] })
  // Another page works, and this one does after another try.
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Developers' }).click()
  await page.getByRole('heading', { name: 'Interfaces' }).waitFor()
  await page.goBack()
  isSpoiled = () => false
  await broken.getByRole('button', { name: 'Reload the page' }).click()
  await page.getByRole('table', { name: 'Agents of the best reputation' }).waitFor()
})

test('pages that were refused return by themselves', async ({ context, open, variant }) => {
  await open('/')
  const refusal =
    variant.width === 390
      ? { status: 503, contentType: 'text/html', body: '<h1>Service Unavailable</h1>' }
      : { status: 429, headers: { 'retry-after': '2' }, json: TOO_MANY }
  let isRefused = true
  await context.route('**/graphql', (route) => (isRefused ? route.fulfill(refusal) : route.continue()))
  const { page, go, visit } = await brokenPage(context)
  await go('/')
  await health(page, variant.width === 390 ? 'Not reachable' : 'Busy').waitFor()
  for (const path of await allPaths()) {
    await visit(path)
    await expectShell(page, path)
  }
  await page.close()
  const [agent] = (await graphql<Agents>(world, AGENT)).agents.nodes
  const refused = await Promise.all(
    ['/', `/agents/${agent.pda}`, '/live', '/health'].map(async (path) => {
      const { page: each, go: goTo } = await brokenPage(context)
      await goTo(path)
      await each.getByText('The page tries again by itself.').first().waitFor()
      return each
    }),
  )
  await auditPage(refused[0]!, { problems: [] })
  isRefused = false
  const timeout = await returnTime(async () => {
    const other = await brokenPage(context)
    await other.go('/')
    await health(other.page, 'Operational').waitFor()
    await other.page.close()
  })
  for (const each of refused) {
    // Only the page in front is visible, and only that one tries.
    await each.bringToFront()
    const notice = each.getByText('The page tries again by itself.').first()
    await notice.waitFor({ state: 'hidden', timeout })
    await health(each, 'Operational').waitFor({ timeout })
    await each.close()
  }
})

const TOO_MANY = {
  errors: [{ message: 'Too many requests', extensions: { code: 'RATE_LIMITED', status: 429 } }],
}

test('the first page tries again until its code loads', async ({ context, open, variant }) => {
  await open('/')
  const { page, go } = await brokenPage(context)
  if (variant.width === 390) await page.addInitScript(refuseStorage)
  let isDown = true
  let documents = 0
  page.on('request', (request) => (documents += Number(request.isNavigationRequest())))
  let missing = /assets\/(root|vendor|shared)/
  await page.route(/\/console\/assets\//, (route) =>
    isDown && missing.test(route.request().url()) ? route.abort('connectionrefused') : route.continue(),
  )
  const notice = page.getByText('Agent Registry could not be loaded. Trying again')
  await go('/agents')
  await notice.waitFor()
  // The service answers, so the page is reloaded, and later each time: after 3, 6 and 12 seconds.
  await expect.poll(() => documents, { timeout: scaled(20_000) }).toBe(3)
  await notice.waitFor()
  isDown = false
  await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor({ timeout: scaled(20_000) })
  expect(documents).toBe(4)
  // The file that would say so.
  isDown = true
  missing = /assets\/first/
  await go('/live')
  await notice.waitFor()
  isDown = false
  await page.getByRole('heading', { level: 1, name: 'Live events' }).waitFor()
  await page.close()
})

test('a page whose code does not load returns when the service does', async ({ context, open, variant }) => {
  await open('/')
  const { page, go } = await brokenPage(context)
  let fault: 'none' | 'down' | 'missing' = 'none'
  let documents = 0
  await page.route(/\/console\/(assets\/page.*|[^.]*)$/, (route) => {
    const isDocument = !route.request().url().includes('/assets/')
    if (isDocument && route.request().isNavigationRequest()) documents += 1
    if (fault === 'down') return route.abort('connectionrefused')
    return fault === 'missing' && !isDocument ? route.fulfill({ status: 404, body: '' }) : route.continue()
  })
  const timeout = await returnTime(async () => {
    await go('/')
    await health(page, 'Operational').waitFor()
  })
  const main = page.getByRole('main')
  const [title, heading] =
    variant.width === 390 ? (['Developers', 'Interfaces'] as const) : (['Live', 'Live events'] as const)
  fault = 'down'
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: title }).click()
  await main.getByText('A part of the console could not be loaded.').waitFor()
  await expectShell(page, title)
  fault = 'none'
  await main.getByRole('heading', { name: heading }).waitFor({ timeout })
  // A file that a new release no longer has: the page is read again at once, and then ever later.
  fault = 'missing'
  documents = 0
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Credentials' }).click()
  await main.getByRole('button', { name: 'Try again' }).waitFor()
  await expectShell(page, 'Credentials')
  expect(documents).toBe(1)
  fault = 'none'
  await main.getByRole('button', { name: 'Try again' }).click()
  await main.getByRole('heading', { name: 'Verify a credential' }).first().waitFor()
})

test('a gateway that hangs is not shown as healthy', async ({ context, open }) => {
  await open('/')
  const { page, go, visit } = await brokenPage(context)
  let isHung = false
  await page.route('**/graphql', (route) => (isHung ? undefined : route.continue()))
  await page.routeWebSocket(/\/graphql$/, (route) => {
    const server = route.connectToServer()
    route.onMessage((message) => isHung || server.send(message))
    server.onMessage((message) => isHung || route.send(message))
  })
  const main = page.getByRole('main')
  const timeout = 60_000
  await go('/live')
  await main.getByText('Live', { exact: true }).last().waitFor()
  isHung = true
  await main.getByText('Reconnecting').waitFor({ timeout })
  isHung = false
  await main.getByText('Live', { exact: true }).last().waitFor({ timeout })
  await visit('/health')
  await main.getByRole('heading', { name: 'Everything works' }).waitFor()
  isHung = true
  await expect.poll(() => main.innerText(), { timeout }).toContain('The gateway does not answer')
  await health(page, 'Not reachable').waitFor()
  await visit('/agents')
  await main.getByText('The page tries again by itself.').first().waitFor({ timeout })
  isHung = false
  await main.getByText('The page tries again by itself.').first().waitFor({ state: 'hidden', timeout })
  await health(page, 'Operational').waitFor({ timeout })
  // A page that asks nothing itself: at most four requests a minute.
  await visit('/developers')
  const asks = () =>
    page.waitForRequest((request) => /ConsoleHealth/.test(request.postData() ?? ''), { timeout })
  await asks()
  const answered = Date.now()
  await asks()
  expect(Date.now() - answered).toBeGreaterThan(14_000)
  await health(page, 'Operational').waitFor()
  isHung = true
  await health(page, 'Not reachable').waitFor({ timeout: 22_000 })
  await page.close()
})
