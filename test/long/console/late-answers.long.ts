import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { perFile } from '../../support/lifetime.ts'
import { startReceiver } from '../../support/receiver.ts'
import { useConsole } from './support/console-world.ts'
import { openOwnAgent, openWebhook } from './support/registry-data.ts'
import { browserWallet, connectWallet } from './support/wallet.ts'

const { world, test } = useConsole({ SEED_AGENTS: '30', WEBHOOK_DEV_MODE: 'true' })
const receiver = perFile(() => startReceiver())

const REFUSED = { status: 503, contentType: 'text/html', body: '<h1>Service Unavailable</h1>' }
const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Lets a handler answer the requests of an operation. It returns false for those that go on. */
async function intercept(page: Page, operation: RegExp, handle: (route: Route) => Promise<boolean>) {
  await page.route('**/graphql', async (route) => {
    const isHit = operation.test(route.request().postData() ?? '')
    if (!isHit || !(await handle(route))) await route.continue()
  })
}

/** Refuses the requests of an operation from `start` to `end`. */
async function refusals(page: Page, operation: RegExp) {
  let isDown = false
  let count = 0
  await intercept(page, operation, async (route) => {
    if (!isDown) return false
    count += 1
    await route.fulfill(REFUSED)
    return true
  })
  return { start: () => void (isDown = true), end: () => void (isDown = false), count: () => count }
}

const header = (page: Page) => page.getByRole('banner')
const walletButton = (page: Page, address: string) =>
  header(page).getByRole('button', { name: address.slice(0, 5) })

test('a page says that a session has ended elsewhere, and lets the wallet sign in again', async ({
  page,
  context,
  open,
  variant,
}) => {
  const wallet = browserWallet(`ended session ${variant.name}`)
  await wallet.install(context)
  await open('/webhooks')
  await connectWallet(page, wallet)
  await page.getByRole('heading', { name: 'You have no webhooks' }).waitFor()
  await world.gateway.database.orm.em.getConnection().execute('delete from wallet_sessions')
  const box = page.getByRole('region', { name: 'Your wallet' })
  await box.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'You have no webhooks' }).waitFor()
})

test('an invite code that is shown only once stays while later reads fail', async ({ page, open }) => {
  const reads = await refusals(page, /query OperatorPage/)
  await open('/operator')
  await page
    .getByLabel('Token', { exact: true })
    .fill(readFileSync(join(world.gateway.dataDir, 'operator-token'), 'utf8'))
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  const codes = page.getByRole('region', { name: 'Invite codes', exact: true })
  await codes.getByLabel('Registrations').waitFor()
  reads.start()
  await codes.getByRole('button', { name: 'Create code' }).click()
  await codes.getByRole('region', { name: 'New invite code' }).waitFor()
  await expect.poll(reads.count).toBeGreaterThan(0)
  await delay(300)
  await codes.getByRole('region', { name: 'New invite code' }).waitFor()
})

test('a wallet that answers late replaces neither the wallet nor the session of somebody who went on', async ({
  page,
  context,
  open,
  variant,
}) => {
  const wallet = browserWallet(`late ${variant.name}`)
  await wallet.install(context)
  await open('/webhooks')
  await connectWallet(page, wallet, false)
  // It waits for its owner in each page from now on.
  const wait = `void (walletWaits = new Promise((resolve) => (answerNow = resolve)))`
  await page.evaluate(wait)
  const dialog = page.getByRole('dialog', { name: 'Your wallet' })
  const useAnother = async (): Promise<string> => {
    const panel = page.getByRole('region', { name: 'Your wallet' })
    await panel.getByRole('button', { name: 'Use a throw-away wallet' }).click()
    return (await panel.getByRole('button', { name: /^Copy wallet address/ }).getAttribute('title'))!
  }
  await walletButton(page, wallet.address).click()
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await walletButton(page, wallet.address).click()
  await dialog.getByRole('button', { name: 'Disconnect' }).click()
  await page.keyboard.press('Escape')
  const other = await useAnother()
  const signedOut = page.waitForResponse(
    (response) => response.url().endsWith('/auth/session') && response.request().method() === 'DELETE',
  )
  await page.evaluate('answerNow()')
  await signedOut
  await page.getByRole('region', { name: 'Your wallet' }).getByRole('button', { name: 'Sign in' }).waitFor()
  expect(await page.evaluate(`sessionStorage.getItem('session')`)).toBeNull()

  // The same after a reload, at which the wallet of before is asked again.
  await page.evaluate(`sessionStorage.setItem('wallet', JSON.stringify(
    { name: ${JSON.stringify(wallet.name)}, network: 'LOCALNET' }))`)
  await page.addInitScript(wait)
  await page.reload()
  expect(await useAnother()).toBe(other)
  await page.evaluate('answerNow()')
  await delay(300)
  await walletButton(page, other).waitFor()
})

test('a slow gateway gets the time to answer, and who left a page stays away', async ({
  page,
  context,
  open,
  variant,
}) => {
  const wallet = browserWallet(`slow ${variant.name}`)
  await wallet.install(context)
  let answer = (): void => undefined
  receiver.respondWith((_, response) => void (answer = () => void response.end('ok')))
  await openWebhook(world, receiver.url('/events'), wallet, { page, open })
  // Longer than the page waits between two reads.
  await intercept(page, /query OneDelivery/, async () => {
    await delay(3_000)
    return false
  })
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByRole('heading', { name: 'Attempts' }).waitFor()
  answer()
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByRole('status').getByText('Success').waitFor()

  await page.getByRole('link', { name: 'Back to the webhook' }).click()
  let isAsked = false
  await intercept(page, /mutation PingWebhook/, async () => {
    isAsked = true
    await delay(1_000)
    return false
  })
  const pinged = page.waitForResponse((each) => /PingWebhook/.test(each.request().postData() ?? ''))
  await page.getByRole('button', { name: 'Send test event' }).click()
  await expect.poll(() => isAsked).toBe(true)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Agents' }).click()
  await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
  await pinged
  await delay(300)
  expect(page.url()).toMatch(/\/console\/agents$/)
})

test('a gateway that did not tell its program is not said to have prepared something else', async (steps) => {
  const { page } = steps
  await openOwnAgent(world, steps, 'program')
  const infos = await refusals(page, /query ConsoleInfo/)
  const deposit = page.getByRole('region', { name: 'Stake' }).getByRole('form', { name: 'Deposit' })
  await deposit.getByLabel('Deposit (USDC)').fill('10')
  infos.start()
  await deposit.getByRole('button', { name: 'Deposit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The gateway did not answer.').first().waitFor()
  expect(await dialog.getByText('prepared something else').count()).toBe(0)
  infos.end()
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.getByText('Moves USDC from your wallet').first().waitFor()
})

test('the header says nothing of a lost socket that no page needs any more', async ({ page, open }) => {
  let isCut = false
  const routes: { close(options: { code: number }): Promise<void> }[] = []
  await page.routeWebSocket(/\/graphql$/, (route) => {
    if (isCut) void route.close({ code: 1013 })
    else {
      routes.push(route)
      route.connectToServer()
    }
  })
  await open('/live')
  await page.getByRole('listitem').first().waitFor()
  await expect.poll(() => routes.length).toBe(1)
  isCut = true
  await routes[0]!.close({ code: 1012 })
  await header(page).getByRole('link', { name: 'Service health: Reconnecting' }).waitFor()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Developers' }).click()
  await header(page).getByRole('link', { name: 'Service health: Operational' }).waitFor()
})

test('events stay, and the stream goes on, when older ones cannot be read', async ({ page, open }) => {
  const reads = await refusals(page, /query LiveOlder/)
  await open('/live')
  const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem')
  await events.nth(24).waitFor()
  reads.start()
  await page.getByRole('button', { name: 'Show older events' }).press('Enter')
  await page.getByRole('alert').getByText('The gateway did not answer.').waitFor()
  expect(await events.count()).toBe(25)
  await page.getByRole('main').getByText('Live', { exact: true }).last().waitFor()
  reads.end()
  await expect.poll(() => events.count()).toBeGreaterThan(25)
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('the search opens what was typed, not what was found for the beginning of it', async ({
  page,
  open,
}) => {
  await open('/health')
  await page.getByRole('heading', { name: 'Everything works' }).waitFor()
  await page.keyboard.press('Control+k')
  const menu = page.getByRole('dialog', { name: 'Search' })
  const box = menu.getByRole('combobox')
  await box.pressSequentially('gran')
  await menu.getByRole('option', { name: 'Granite Custody' }).waitFor()
  await intercept(page, /query Suggest/, async () => {
    await delay(2_000)
    return false
  })
  await box.pressSequentially('xyz')
  await box.press('Enter')
  await page.waitForURL('**/console/agents?name=granxyz')
})
