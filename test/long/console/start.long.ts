import { expect } from 'vitest'
import { useConsole } from './support/console-world.ts'
import { scaled } from '../../support/machine-speed.ts'

const { test } = useConsole({ SEED_AGENTS: '0', WEBHOOK_DEV_MODE: 'true' })

/** Of the issue, for a person. The browser reads nothing, so this is the waiting time alone. */
const MAX_SECONDS = 60

test('a visitor gets from nothing to an agent with a matched card and to its first event, in five steps', async ({
  page,
  open,
  variant,
  audit,
}) => {
  const times: Record<string, number> = {}
  let began = performance.now()
  const timed = (step: string): void => {
    const now = performance.now()
    times[step] = Math.round(now - began) / 1_000
    began = now
  }
  const steps = page.getByRole('list').filter({ has: page.getByRole('heading', { name: /^1\. Connect/ }) })
  const current = steps.locator('[aria-current=step]')
  await open('/start')
  await page.getByText('0 of 5 steps are done.').waitFor()
  await audit()
  await current.getByRole('button', { name: 'Use a throw-away wallet' }).click()
  await page.getByText('1 of 5 steps are done.').waitFor()
  timed('wallet')
  await current.getByRole('button', { name: 'Get 1 SOL and 5,000 USDC' }).click()
  await page.getByText('2 of 5 steps are done.').waitFor()
  timed('funds')
  // The pressed button is gone: the keyboard is at the next step.
  await expect.poll(() => current.getByRole('heading').evaluate((at) => at.matches(':focus'))).toBe(true)
  await audit()
  await current.getByRole('link', { name: 'Register an agent' }).click()
  const form = page.getByRole('form', { name: 'Register an agent' })
  await form.getByLabel('Name').fill(`Starter ${variant.name}`)
  await page.getByRole('button', { name: 'Write a card' }).click()
  const card = page.getByRole('form', { name: 'Write a card' })
  await card.getByRole('button', { name: 'Publish the card' }).click()
  await card.getByText('It must be a URL that begins with https.').waitFor()
  await expect.poll(() => card.getByLabel('Description').evaluate((at) => at.matches(':focus'))).toBe(true)
  await audit()
  expect(await card.getByLabel('Name').inputValue()).toBe(`Starter ${variant.name}`)
  await card.getByLabel('Description').fill('Plans pickups and deliveries.')
  await card.getByLabel('Endpoint').fill('https://agents.example/a2a')
  await card.getByLabel('Skill', { exact: true }).fill('Plan a route')
  await card.getByLabel('What the skill does').fill('Finds the shortest way.')
  await card.getByRole('button', { name: 'Publish the card' }).click()
  await expect.poll(() => form.getByLabel('Card URL').inputValue()).toMatch(/^ipfs:\/\/b/)
  await page.getByRole('status').getByText('The card is published.').waitFor()
  await form.getByRole('button', { name: 'Check the card' }).click()
  await form.getByRole('status').getByText('Matched').waitFor()
  expect(await form.getByText('Invalid').count()).toBe(0)
  await form.getByRole('radio', { name: /Your wallet/ }).check()
  await form.getByRole('button', { name: 'Review the registration' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Sign with Throw-away wallet' }).click()
  await dialog.getByText('Confirmed').waitFor()
  await dialog.getByRole('link', { name: 'Next step' }).click()
  timed('registration')
  await page.getByText('3 of 5 steps are done.').waitFor()
  await current.getByRole('button', { name: 'Sign in' }).click()
  await current.getByRole('link', { name: 'Create a webhook for my agent' }).click()
  const webhook = page.getByRole('form', { name: 'Create a webhook' })
  await webhook.getByRole('button', { name: 'Use the receiver of this localnet' }).click()
  await webhook.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('button', { name: 'I stored it' }).click()
  await page.getByText('4 of 5 steps are done.').waitFor()
  timed('webhook')
  await current.getByRole('link', { name: 'Change my agent' }).click()
  const details = page.getByRole('form', { name: 'Details' })
  await details.getByLabel('Version').fill('1.0.1')
  await details.getByRole('button', { name: 'Review the update' }).click()
  await dialog.getByRole('button', { name: 'Sign with Throw-away wallet' }).click()
  await dialog.getByText('Confirmed').waitFor()
  await dialog.getByRole('link', { name: 'Next step' }).click()
  await page.getByText(/^Everything works\..*whose card matches the registry\.$/).waitFor()
  timed('event')
  await audit()
  await page.getByRole('link', { name: 'Look at the event that arrived' }).click()
  const attempts = page.getByRole('list', { name: 'Attempts' })
  await attempts.getByText('HTTP 200').waitFor()
  await attempts.getByText('received').waitFor()
  const total = Object.values(times).reduce((sum, seconds) => sum + seconds, 0)
  expect(total).toBeLessThan(scaled(MAX_SECONDS * 1_000) / 1_000)
  // The times of the steps are in the closing notes of releases.
  process.stderr.write(`seconds of the steps at ${variant.name}: ${JSON.stringify(times)}\n`)
})
