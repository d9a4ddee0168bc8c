import { verifyWebhook } from '@agent-registry/client/webhooks'
import { expect } from 'vitest'
import { openWebhook, registerAgent } from './support/registry-data.ts'
import { saveFile, useConsole } from './support/console-world.ts'
import { browserWallet, connectWallet } from './support/wallet.ts'
import { type ReceivedRequest, startReceiver } from '../../support/receiver.ts'
import { perFile } from '../../support/lifetime.ts'
import { scaled } from '../../support/machine-speed.ts'

const { world, test } = useConsole({ SEED_AGENTS: '0', WEBHOOK_DEV_MODE: 'true' })
const receiver = perFile(() => startReceiver())

const isSigned = ({ body, headers }: ReceivedRequest, secret: string): Promise<boolean> =>
  verifyWebhook(body, new Headers(headers as Record<string, string>), secret).then(
    () => true,
    () => false,
  )

test('an owner creates a webhook, stores its secret, and sees the attempt of a ping', async ({
  page,
  context,
  open,
  variant,
  audit,
}) => {
  const wallet = browserWallet(`webhooks ${variant.name}`)
  await wallet.install(context)
  receiver.respondWith({ headers: { 'content-type': 'text/plain' }, body: 'thank you' })
  await open('/webhooks')
  await connectWallet(page, wallet)
  await page.getByRole('heading', { name: 'You have no webhooks' }).waitFor()
  const form = page.getByRole('form', { name: 'Create a webhook' })
  await form.getByRole('button', { name: 'Create webhook' }).click()
  const problem = form.getByRole('alert').filter({ hasText: 'URL' })
  await problem.getByText('Enter a URL that begins with https://.').waitFor()
  await form.getByRole('checkbox', { name: 'Deposit' }).check()
  await form.getByLabel('Receiver URL').fill('http://user:secret@example.com/')
  await form.getByRole('button', { name: 'Create webhook' }).click()
  await problem.getByText('The URL must not contain a user name').waitFor()
  await audit()
  await form.getByLabel('Receiver URL').fill(receiver.url('/events'))
  await form.getByLabel('Only events of this agent').fill(wallet.address)
  await form.getByRole('button', { name: 'Create webhook' }).click()
  const dialog = page.getByRole('dialog', { name: 'Store the secret of the webhook' })
  const secret = await dialog.getByRole('region', { name: 'Secret' }).innerText()
  expect(secret).toMatch(/^whsec_/)
  for (let i = 0; i < 3; i++) await page.keyboard.press('Escape')
  for (const language of ['Python', 'Go', 'Java', 'TypeScript']) {
    await dialog.getByRole('tab', { name: language }).click()
    await dialog.getByRole('region', { name: language }).getByText('WEBHOOK_SECRET_').waitFor()
  }
  await audit()
  await dialog.getByRole('button', { name: 'I stored it' }).click()
  await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor()
  expect(await page.content()).not.toContain(secret)
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByText('Registered, Deposit').waitFor()
  await details.getByRole('button', { name: `Copy agent address ${wallet.address}` }).waitFor()
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.waitForURL('**/deliveries/*')
  await expect.poll(() => page.title()).toMatch(/^Delivery of [a-z.]+ · /)
  const attempts = page.getByRole('list', { name: 'Attempts' })
  await attempts.getByText('HTTP 200').waitFor()
  await attempts.getByText('thank you').waitFor()
  const count = receiver.requests.length
  expect(await isSigned(receiver.requests.at(-1)!, secret)).toBe(true)
  const request = page.getByRole('region', { name: 'Request' })
  const shown = (await request.getByRole('region', { name: 'Headers' }).innerText()).split('\n')
  // Those of the connection are not shown.
  const sent = Object.entries(receiver.requests.at(-1)!.headers)
    .filter(([name]) => !/^(host|connection|content-length)$/.test(name))
    .map(([name, value]) => `${name}: ${String(value)}`)
  expect(shown.map((text) => text.replace(/^[^:]+/, (name) => name.toLowerCase())).toSorted()).toEqual(
    sent.toSorted(),
  )
  await request.getByRole('tab', { name: 'Body, in lines' }).click()
  await request.getByText('"type": "ping"').waitFor()
  await request.getByRole('tab', { name: 'Body, as it is signed' }).click()
  const body = request.getByRole('region', { name: 'Body, as it is signed' })
  expect(await body.innerText()).toBe(String(receiver.requests.at(-1)!.body))
  await page.getByRole('button', { name: 'Send again' }).click()
  await expect.poll(() => receiver.requests.length).toBeGreaterThan(count)
  await attempts.getByRole('heading', { name: 'Attempt 2' }).waitFor()
  await attempts.getByText('Sent again by you').waitFor()
  await audit()
  await page.getByRole('link', { name: 'Back to the webhook' }).click()
  const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row').last()
  await row.getByRole('link', { name: 'Test event' }).waitFor()
  await expect.poll(() => row.innerText()).toMatch(/Success[\s\S]*2[\s\S]*HTTP 200, \d+ ms/)
  const figures = page.getByRole('region', { name: 'Response times and success' })
  await expect.poll(() => figures.innerText()).toMatch(/Attempts\s+2\s+Succeeded\s+100%\s+Median\s+\d+ ms/)
  const filters = page.getByRole('group', { name: 'Filter deliveries' })
  await filters.getByLabel('Status').selectOption('FAILED')
  await page.getByRole('heading', { name: 'No delivery matches' }).waitFor()
  await audit()
  await filters.getByLabel('Status').selectOption('SUCCESS')
  await filters.getByLabel('Event').selectOption('Test event')
  await filters.getByLabel('Created', { exact: true }).selectOption('Last hour')
  await page.getByText('1 delivery', { exact: true }).waitFor()
  await filters.getByLabel('Created before').fill('2026-01-01T00:00')
  await page.getByText(/since must not be greater than until/).waitFor()
  await filters.getByLabel('Created before').fill('2099-01-01T00:00')
  await page.getByText('1 delivery', { exact: true }).waitFor()
  await filters.getByLabel('Agent').fill('nonsense')
  await filters.getByRole('alert').getByText('Enter the address of an agent').waitFor()
  await page.getByRole('button', { name: 'Send these again' }).waitFor({ state: 'detached' })
  await audit()
  // A test event is of no agent.
  await filters.getByLabel('Agent').fill(wallet.address)
  await filters.getByRole('alert').waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'No delivery matches' }).waitFor()
  await filters.getByLabel('Agent').fill('')
  await page.getByText('1 delivery', { exact: true }).waitFor()
  const { content } = await saveFile(page.getByRole('button', { name: 'Save deliveries as JSON' }))
  expect(JSON.parse(content)).toMatchObject([{ eventType: 'PING', status: 'SUCCESS', attempts: [{}, {}] }])
  // The filters are the same after the way back from a delivery.
  await page.getByRole('table', { name: 'Deliveries' }).getByRole('link').first().click()
  await page.waitForURL('**/deliveries/*')
  await page.getByRole('link', { name: 'Back to the webhook' }).click()
  await page.getByText('1 delivery', { exact: true }).waitFor()
  expect(await filters.getByLabel('Status').inputValue()).toBe('SUCCESS')
  expect(await filters.getByLabel('Created before').inputValue()).toBe('2099-01-01T00:00')
  const before = receiver.requests.length
  await page.getByRole('button', { name: 'Send these again' }).click()
  await page.getByText('1 delivery is sent again.').waitFor()
  await expect.poll(() => receiver.requests.length).toBe(before + 1)
  await filters.getByLabel('Status').selectOption('IN_FLIGHT')
  await page.getByRole('button', { name: 'Send these again' }).waitFor({ state: 'detached' })
})

test('an owner edits, pauses, activates, recovers, rotates and deletes a webhook', async ({
  page,
  context,
  open,
  variant,
  audit,
}) => {
  const wallet = browserWallet(`manage ${variant.name}`)
  await wallet.install(context)
  const id = await openWebhook(world, receiver.url('/events'), wallet, { page, open })
  await page.getByRole('button', { name: 'Edit' }).click()
  const edit = page.getByRole('form', { name: 'Edit the webhook' })
  await audit()
  await edit.getByLabel('Receiver URL').fill(receiver.url('/moved'))
  await edit.getByText('Deliveries that wait for the old URL are cancelled').waitFor()
  await edit.getByLabel('Only events of this agent').fill('nonsense')
  await edit.getByRole('checkbox', { name: 'Tier changed' }).check()
  await edit.getByRole('button', { name: 'Save' }).click()
  await edit
    .getByRole('alert')
    .getByText(/32 to 44 letters and digits/)
    .waitFor()
  await edit.getByLabel('Only events of this agent').fill('')
  await edit.getByRole('button', { name: 'Save' }).click()
  const facts = page.getByRole('region', { name: 'Details' })
  await facts.getByText(receiver.url('/moved')).waitFor()
  await facts.getByText('Registered, Tier changed').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause webhook' }).waitFor()
  await audit()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause webhook' }).click()
  await page.getByRole('heading', { name: 'This webhook is paused' }).waitFor()
  await audit()
  await page.getByRole('button', { name: 'Activate' }).click()
  await page.getByText('The webhook is active. Recover').waitFor()
  await page.getByRole('button', { name: 'Recover failed deliveries' }).click()
  await page.getByText('0 deliveries are sent again.').waitFor()
  await audit()
  await page.getByLabel('Test event').selectOption('Example: Stake closed')
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByRole('region', { name: 'Details' }).getByText('Example: Stake closed').waitFor()
  await page.getByRole('region', { name: 'Headers' }).getByText('X-Service-Event: stake.closed').waitFor()
  await page.getByRole('link', { name: 'Back to the webhook' }).click()
  const log = page.getByRole('table', { name: 'Deliveries' })
  await log.getByRole('link', { name: 'Example: Stake closed' }).waitFor()
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await audit()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
  await page.getByText('do not remove the old one yet').waitFor()
  await audit()
  await page.getByRole('dialog').getByRole('button', { name: 'I stored it' }).click()
  await page.getByText('Old secret ends').waitFor()
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  expect(await page.getByLabel('Keep the old secret').inputValue()).toBe('24')
  await page.getByLabel('Keep the old secret').selectOption('No, it ends at once')
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
  const dialog = page.getByRole('dialog', { name: 'Store the new secret' })
  const secret = await dialog.getByRole('region', { name: 'Secret' }).innerText()
  await dialog.getByRole('button', { name: 'I stored it' }).click()
  expect(await page.getByText('Old secret ends').count()).toBe(0)
  const count = receiver.requests.length
  await page.getByRole('button', { name: 'Send test event' }).click()
  await expect.poll(() => receiver.requests.length).toBeGreaterThan(count)
  expect(await isSigned(receiver.requests.at(-1)!, secret)).toBe(true)
  await page.getByRole('link', { name: 'Back to the webhook' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete webhook' }).click()
  await page.getByRole('heading', { name: 'You have no webhooks' }).waitFor()
  expect(page.url()).not.toContain(id)
})

test('a webhook that fails and one that its receiver ended are told, with the way back', async ({
  page,
  context,
  open,
  variant,
  audit,
}) => {
  const wallet = browserWallet(`gone ${variant.name}`)
  await wallet.install(context)
  receiver.respondWith({ status: 500 })
  const id = await openWebhook(world, receiver.url('/events'), wallet, { page, open })
  await page.getByRole('button', { name: 'Send test event' }).click()
  const attempts = page.getByRole('list', { name: 'Attempts' })
  await attempts.getByText('HTTP 500').waitFor()
  await attempts.getByText('None, or not text').waitFor()
  await page.getByRole('link', { name: 'Back to the webhook' }).click()
  // Only a test failed so far.
  await page.getByRole('table', { name: 'Deliveries' }).getByText('Failed').waitFor()
  expect(await page.getByRole('heading', { name: 'The last delivery failed' }).count()).toBe(0)
  await registerAgent(world, `Gone ${variant.name}`)
  await page.getByRole('heading', { name: 'The last delivery failed' }).waitFor()
  await audit()
  await page.getByRole('link', { name: 'See what your receiver answered' }).click()
  receiver.respondWith({ status: 410 })
  // Its next attempt can come before.
  await page.getByRole('button', { name: 'Send again' }).click()
  await attempts.getByText('HTTP 410').waitFor()
  await open('/webhooks')
  await page.getByRole('heading', { name: 'The service disabled a webhook' }).waitFor()
  await audit()
  await open(`/webhooks/${id}`)
  await page.getByRole('heading', { name: 'The service disabled this webhook' }).waitFor()
  await page.getByText('the status 410').waitFor()
  await audit()
  receiver.respondWith({ status: 200 })
  await page.getByRole('button', { name: 'Activate' }).click()
  await page.getByText('The webhook is active. Recover').waitFor()
  const count = receiver.requests.length
  await page.getByRole('button', { name: 'Recover failed deliveries' }).click()
  await page.getByText(/^[1-3] deliver(y is|ies are) sent again\.$/).waitFor()
  await expect.poll(() => receiver.requests.length).toBeGreaterThan(count)
})

test('a webhook whose last delivery failed is found in the list, with what its receiver answered', async ({
  page,
  context,
  open,
  variant,
}) => {
  const wallet = browserWallet(`failing ${variant.name}`)
  await wallet.install(context)
  receiver.respondWith({ status: 503, headers: { 'content-type': 'text/plain' }, body: 'out of order' })
  const id = await openWebhook(world, receiver.url('/events'), wallet, { page, open })
  await open('/webhooks')
  const row = page.getByRole('row').filter({ hasText: receiver.url('/events') })
  await row.getByText('None yet').waitFor()
  await registerAgent(world, `Failing ${variant.name}`)
  // Without a click. The list is read again every ten seconds, and may show an attempt that runs.
  await row.getByRole('link', { name: 'Retrying' }).waitFor({ timeout: scaled(30_000) })
  await row.getByRole('link').last().click()
  // There may be a second attempt by now.
  await page.getByText('out of order').first().waitFor()
  await open(`/webhooks/${id}`)
  await page.getByRole('heading', { name: 'The last delivery failed' }).waitFor()
  await page.getByRole('link', { name: 'See what your receiver answered' }).click()
  await page.getByText('out of order').first().waitFor()
  receiver.respondWith({ status: 200 })
})
