import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { useConsole } from './support/console-world.ts'
import { openOwnAgent } from './support/registry-data.ts'
import { refuseStorage } from './support/storage.ts'
import { takeStatements, watchStatements } from './support/submits.ts'
import { scaled } from '../../support/machine-speed.ts'

const { world, test } = useConsole({ SEED_AGENTS: '0' })

async function review(page: Page, amount: string): Promise<void> {
  await page.getByLabel('Deposit (USDC)').fill(amount)
  await page.getByRole('button', { name: 'Deposit', exact: true }).click()
  await page
    .getByRole('dialog')
    .getByText('Storage deposit')
    .or(page.getByText('Moves USDC'))
    .first()
    .waitFor()
}

const BLOCKED = /\/(relay\/submit|relay\/status\/.*)$/

test('a signed transaction stays known while nothing gets through, after a reload, and until it landed', async (steps) => {
  const { page, open, audit } = steps
  await watchStatements(page)
  await openOwnAgent(world, steps, 'unfinished')
  await page.route(BLOCKED, (route) => route.fulfill({ status: 502, contentType: 'text/html', body: 'Bad' }))
  await review(page, '10')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Sign with/ }).click()
  await dialog.getByRole('heading', { name: 'The outcome is not known yet' }).waitFor()
  // Nothing is painted over the note.
  const isSeen = (at: HTMLElement): boolean => {
    const { left, top } = at.getBoundingClientRect()
    return document.elementFromPoint(left + 5, top + 5) === at
  }
  expect(await dialog.getByText('You may close this').evaluate(isSeen)).toBe(true)
  await audit()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  const banner = page.getByRole('status', { name: 'Transactions' })
  await banner.getByText('Deposit 10 USDC').waitFor()
  // The same again shows the first one, and prepares nothing.
  await page.getByLabel('Deposit (USDC)').fill('10')
  await page.getByRole('button', { name: 'Deposit', exact: true }).click()
  await dialog.getByRole('heading', { name: 'The outcome is not known yet' }).waitFor()
  await page.reload()
  await banner.getByText('Deposit 10 USDC').waitFor()
  await audit()
  // Another page has the banner too.
  await page.getByRole('link', { name: 'Live', exact: true }).click()
  await banner.getByText('its outcome is not known yet').waitFor()
  await page.unroute(BLOCKED)
  await banner.getByText('Confirmed.').waitFor({ timeout: scaled(60_000) })
  await banner.getByRole('button', { name: 'Show' }).click()
  await dialog.getByText('Confirmed', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect.poll(() => banner.count()).toBe(0)
  expect(await takeStatements(page)).toEqual([])
  await open('/mine')
  await page.getByRole('region', { name: 'Stake' }).getByText('10 USDC', { exact: true }).first().waitFor()
})

test('what expired while it was reviewed cannot be signed, and can be prepared again', async (steps) => {
  const { page, audit } = steps
  await openOwnAgent(world, steps, 'expired')
  await review(page, '10')
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/You can sign it for about .* seconds?, until block height [\d,]+/).waitFor()
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('BlockHeight') !== true) return route.continue()
    const ledger = { __typename: 'Ledger', blockHeight: 1e9 }
    return route.fulfill({ json: { data: { ledger } } })
  })
  await dialog.getByText('It expired before it was signed').waitFor()
  expect(await dialog.getByRole('button', { name: /^Sign with/ }).isDisabled()).toBe(true)
  await audit()
  await page.unroute('**/graphql')
  await dialog.getByRole('button', { name: 'Prepare again' }).click()
  await dialog.getByText(/You can sign it for about/).waitFor()
  await dialog.getByRole('button', { name: /^Sign with/ }).click()
  await dialog.getByText('Confirmed', { exact: true }).waitFor({ timeout: scaled(60_000) })
})

test('after a refusal of the signed transaction, no other is offered while it could still land', async (steps) => {
  const { page, audit } = steps
  await watchStatements(page)
  await openOwnAgent(world, steps, 'refused')
  await page.route('**/relay/submit', (route) =>
    route.fulfill({ status: 400, json: { error: 'Refused', details: { code: 'INVALID_REQUEST' } } }),
  )
  await review(page, '10')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Sign with/ }).click()
  await dialog.getByRole('heading', { name: 'The gateway refused it' }).waitFor()
  await dialog.getByText(/It can land in the next \d+ blocks/).waitFor()
  await audit()
  expect(await takeStatements(page)).toEqual([])
})

test('an amount with a comma is refused with the reason, and what a deposit lacks is named', async (steps) => {
  const { page, audit } = steps
  await openOwnAgent(world, steps, 'comma')
  const form = page.getByRole('form', { name: 'Deposit' })
  for (const [text, reason] of [
    ['12,5', 'Use a point for decimals'],
    ['1,250', 'nothing between thousands'],
    ['0', 'Enter an amount above 0.'],
    ['1.2345678', 'USDC has at most 6 decimals.'],
  ] as const) {
    await form.getByLabel('Deposit (USDC)').fill(text)
    await form.getByRole('button', { name: 'Deposit' }).click()
    await form.getByRole('alert').getByText(reason).waitFor()
  }
  expect(await page.getByRole('dialog').count()).toBe(0)
  await form.getByLabel('Deposit (USDC)').fill('12,5')
  await form.getByRole('button', { name: 'Deposit' }).click()
  await audit()
  await form.getByLabel('Deposit (USDC)').fill('6000')
  await form.getByRole('button', { name: 'Deposit' }).click()
  await form.getByRole('alert').getByText('Your wallet has 5,000 USDC.').waitFor()
  // A balance that is not true any more.
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('WalletBalance') !== true) return route.continue()
    const walletBalance = { __typename: 'WalletBalance', lamports: '1', usdc: '7000000000' }
    return route.fulfill({ json: { data: { walletBalance } } })
  })
  await page.reload()
  await form.getByLabel('Deposit (USDC)').fill('6000')
  await form.getByRole('button', { name: 'Deposit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/has 5000 USDC, and 6000 USDC are needed/).waitFor()
  await dialog.getByText('Add USDC to your wallet.').waitFor()
  await audit()
  // Another attempt does not help before.
  const close = dialog.getByRole('button', { name: 'Close without sending' })
  expect(await dialog.getByRole('button', { name: 'Try again' }).getAttribute('class')).not.toMatch(/primary/)
  expect(await close.getAttribute('class')).toMatch(/primary/)
  await close.click()
})

test('a button is busy and keeps the focus while the code of transactions loads', async (steps) => {
  const { page, audit } = steps
  await openOwnAgent(world, steps, 'slow code')
  const code = Promise.withResolvers<void>()
  await page.route(/\/assets\/host-.*\.js$/, (route) => code.promise.then(() => route.continue()))
  const deposit = page.getByRole('button', { name: 'Deposit', exact: true })
  await page.getByLabel('Deposit (USDC)').fill('10')
  await deposit.focus()
  for (const key of ['Enter', 'Space', 'Enter']) {
    await page.keyboard.press(key)
    await expect.poll(() => deposit.getAttribute('aria-busy')).toBe('true')
    expect(await deposit.isDisabled()).toBe(true)
  }
  await audit()
  const focused = () => page.evaluate('document.activeElement.textContent')
  expect(await focused()).toBe('Deposit')
  code.resolve()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Sign with/ }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await focused()).toBe('Deposit')
  expect(await deposit.isEnabled()).toBe(true)
})

const HOSTILE: Readonly<Record<string, string>> = {
  'unfinished transactions': JSON.stringify([
    null,
    { wallet: {}, title: [], transaction: 5 },
    {
      wallet: '<img src=x>',
      title: '<b>Deposit</b> '.repeat(10),
      transaction: { id: 'ab', signedTx: '!', signature: 1, lastValidBlockHeight: -1 },
    },
    {
      wallet: 'nobody',
      title: `Deposit ${'9'.repeat(150)} USDC`,
      transaction: { id: 'no-id', signedTx: '!', signature: null, lastValidBlockHeight: -1 },
    },
  ]),
  wallet: '{"name":{"a":1}}',
  session: '{"token":1,"wallet":{},"expiresAt":"2999-01-01T00:00:00Z"}',
  'throw-away wallet': '{}',
}

test('whatever is in the storage of the tab, the pages open, and an unknown transaction can be ended', async ({
  page,
  open,
  audit,
}) => {
  await open('/health')
  await page.evaluate((hostile) => {
    for (const [name, text] of Object.entries(hostile)) sessionStorage.setItem(name, text)
  }, HOSTILE)
  await open('/')
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  const banner = page.getByRole('status', { name: 'Transactions' })
  await banner.getByRole('button', { name: 'Show' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The gateway cannot say whether it landed').waitFor()
  await audit()
  await dialog.getByRole('button', { name: 'I have checked it' }).click()
  await expect.poll(() => banner.count()).toBe(0)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  expect(await banner.count()).toBe(0)
})

test('without storage the pages open, and say that a reload would lose the transaction', async (steps) => {
  const { page, audit } = steps
  await page.addInitScript(refuseStorage)
  await openOwnAgent(world, steps, 'no storage')
  const { promise: audited, resolve: goOn } = Promise.withResolvers<void>()
  await page.route('**/relay/submit', async (route) => {
    await audited
    return route.continue()
  })
  await review(page, '10')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Sign with/ }).click()
  await dialog.getByText('Keep this page open.').waitFor()
  await audit()
  goOn()
  await dialog.getByText('Confirmed', { exact: true }).waitFor({ timeout: scaled(60_000) })
})
