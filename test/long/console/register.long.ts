import { expect } from 'vitest'
import { publishDocument } from '../../../src/compose/localnet/sample-documents.ts'
import { useConsole } from './support/console-world.ts'
import { browserWallet, connectWallet } from './support/wallet.ts'

const { world, test } = useConsole({ SEED_AGENTS: '0' })

const card = { name: 'card.json', mimeType: 'application/json', buffer: Buffer.from('{"name":"Scout"}') }
/** Runs in the page. What a file field has when its dialog opens. */
const clickedValue = (field: object): string => {
  const input = field as { value: string; dispatchEvent(event: Event): unknown }
  input.dispatchEvent(new Event('click', { bubbles: true }))
  return input.value
}
const CARD_HASH = /^[0-9a-f]{64}$/

test('an agent is registered with an invite code by a throw-away wallet without SOL', async ({
  page,
  open,
  variant,
  audit,
}) => {
  await open('/register')
  const box = page.getByRole('main')
  await box.getByRole('button', { name: 'Use a throw-away wallet' }).click()
  const form = page.getByRole('form', { name: 'Register an agent' })
  await form.getByLabel('Name').fill(`Scout ${variant.name}`)
  await form.getByLabel('Category').selectOption('RESEARCH')
  await form.getByLabel('Card URL').fill('https://agents.example/card.json')
  await form.getByLabel('Card file').setInputFiles(card)
  const hash = form.getByLabel('Card hash')
  await expect.poll(() => hash.inputValue()).toMatch(CARD_HASH)
  await form.getByText('Computed from card.json.').waitFor()
  const before = await hash.inputValue()
  // The same file again, which was changed meanwhile: browsers tell that only of an empty field.
  expect(await form.getByLabel('Card file').evaluate(clickedValue)).toBe('')
  await form.getByLabel('Card file').setInputFiles({ ...card, buffer: Buffer.from('{"name":"Other"}') })
  await expect.poll(() => hash.inputValue()).not.toBe(before)
  await hash.fill(before)
  expect(await form.getByText('Computed from card.json.').count()).toBe(0)
  await form.getByRole('textbox', { name: 'Invite code' }).fill('AAAAA-AAAAA-AAAAA-AAAAA')
  await form.getByText('The invite code is unknown').waitFor()
  await form.getByRole('textbox', { name: 'Invite code' }).fill(world.inviteCode.toLowerCase())
  await form.getByText('This code works').waitFor()
  await form.getByRole('button', { name: 'Review the registration' }).click()
  const dialog = page.getByRole('dialog')
  const signed = dialog.getByRole('region', { name: 'What you sign' })
  await signed.getByText('Registers an agent that belongs to your wallet.').waitFor()
  expect(await signed.innerText()).toContain(`Scout ${variant.name}`)
  const costs = dialog.getByRole('region', { name: 'Costs' })
  expect(await costs.getByText('the gateway').count()).toBe(2)
  expect(await costs.innerText()).not.toContain('your wallet')
  await audit()
  await dialog.getByRole('button', { name: 'Sign with Throw-away wallet' }).click()
  await dialog.getByText('Confirmed').waitFor()
  await audit()
  await dialog.getByRole('link', { name: 'Go to my agent' }).click()
  await page.getByRole('heading', { name: `Scout ${variant.name}` }).waitFor()
  // The gateway pays for changes too, until the owner says otherwise.
  const suspend = page.getByRole('button', { name: 'Suspend' })
  await suspend.click()
  await dialog.getByText(/^Network fee, paid by the gateway/).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('checkbox', { name: /Let the gateway pay/ }).uncheck()
  await suspend.click()
  await dialog
    .getByRole('alert')
    .getByText(/has no SOL/)
    .waitFor()
  await dialog.getByRole('button', { name: 'Close without sending' }).click()
})

test('an agent is registered by a wallet that pays itself, after a review of the costs that it may cancel', async ({
  page,
  context,
  open,
  variant,
  audit,
}) => {
  const wallet = browserWallet(`register ${variant.name}`)
  await wallet.install(context)
  await open('/register')
  await connectWallet(page, wallet, false)
  const form = page.getByRole('form', { name: 'Register an agent' })
  await form.getByLabel('Name').fill('Payer')
  await form.getByLabel('Card URL').fill('https://agents.example/card.json')
  await form.getByLabel('Card file').setInputFiles(card)
  await form.getByRole('radio', { name: /Your wallet/ }).check()
  const review = form.getByRole('button', { name: 'Review the registration' })
  const dialog = page.getByRole('dialog')
  await review.click()
  await dialog
    .getByRole('alert')
    .getByText(/^The fee payer \w+ has no SOL/)
    .waitFor()
  await audit()
  await dialog.getByRole('button', { name: 'Close without sending' }).click()
  await page.getByRole('button', { name: 'Get 1 SOL and 5,000 USDC' }).click()
  await page.getByText('1 SOL', { exact: true }).waitFor()
  await review.click()
  const sol = dialog.getByRole('region', { name: 'Balances' }).getByRole('row', { name: 'SOL' })
  await sol.getByText('0.996').waitFor()
  const after = await sol.getByRole('cell').last().innerText()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => dialog.count()).toBe(0)
  await review.click()
  await dialog.getByRole('button', { name: `Sign with ${wallet.name}` }).click()
  await dialog.getByText('Confirmed').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('heading', { name: 'This wallet has the agent Payer' }).waitFor()
  expect(await world.balance(wallet.address)).toBe(after)
})

test('the form says what is wrong before it asks the gateway, and an invitation link fills in the code', async ({
  page,
  open,
}) => {
  await open('/register?code=ABCDE')
  await page.getByRole('main').getByRole('button', { name: 'Use a throw-away wallet' }).click()
  const form = page.getByRole('form', { name: 'Register an agent' })
  expect(await form.getByRole('textbox', { name: 'Invite code' }).inputValue()).toBe('ABCDE')
  await form.getByLabel('Name').fill('a'.repeat(33))
  await form.getByLabel('Card URL').fill('http://agents.example/card.json')
  await form.getByRole('button', { name: 'Review the registration' }).click()
  await form.getByText('The name has 33 bytes. At most 32 are allowed.').waitFor()
  await form.getByText('Enter a URL that begins with https').waitFor()
  await form.getByText('Choose the card file, or enter its hash').waitFor()
  await expect.poll(() => form.getByLabel('Name').evaluate((field) => field.matches(':focus'))).toBe(true)
  // What was typed is there after a reload, but another invitation is newer.
  await page.evaluate(`history.replaceState(null, '', location.pathname + '?code=FGHIJ')`)
  await page.reload()
  await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('a'.repeat(33))
  expect(await form.getByRole('textbox', { name: 'Invite code' }).inputValue()).toBe('FGHIJ')
  // The card gets the name of the form, and keeps what was typed.
  await form.getByLabel('Name').fill('Fair Weather')
  await page.getByRole('button', { name: 'Write a card' }).click()
  const card = page.getByRole('form', { name: 'Write a card' })
  await expect.poll(() => card.getByLabel('Name').evaluate((at) => at.matches(':focus'))).toBe(true)
  await card.getByLabel('Description').fill('It says the weather.')
  await page.keyboard.press('Escape')
  await form.getByLabel('Name').fill('Better Weather')
  await page.getByRole('button', { name: 'Write a card' }).click()
  expect(await card.getByLabel('Name').inputValue()).toBe('Better Weather')
  expect(await card.getByLabel('Description').inputValue()).toBe('It says the weather.')
})

test('a card is checked before the registration, and the verdict goes when the URL or the hash changes', async ({
  page,
  open,
  audit,
}) => {
  await open('/register')
  await page.getByRole('main').getByRole('button', { name: 'Use a throw-away wallet' }).click()
  const form = page.getByRole('form', { name: 'Register an agent' })
  const [url, hash] = [form.getByLabel('Card URL'), form.getByLabel('Card hash')]
  const check = form.getByRole('button', { name: 'Check the card' })
  const verdict = form.locator('.notice')
  const reads = async (...texts: (string | RegExp)[]): Promise<void> => {
    for (const text of texts) await verdict.getByText(text).waitFor()
    await audit()
  }
  await url.fill('https://agents.example/card.json')
  await check.click()
  await reads('Unreachable', 'agents.example is reserved for documentation (RFC 2606)')
  // The document is JSON, but no card of A2A.
  await url.fill(publishDocument(world.gateway.dataDir, card.buffer))
  expect(await verdict.count()).toBe(0)
  await check.click()
  await reads('Unchecked', 'Invalid', /Enter its hash to compare it/, 'supportedInterfaces is missing')
  await form.getByLabel('Card file').setInputFiles(card)
  await expect.poll(() => hash.inputValue()).toMatch(CARD_HASH)
  expect(await verdict.count()).toBe(0)
  await check.click()
  await reads('Matched', 'Invalid', 'description is missing')
  const published = await hash.inputValue()
  await hash.fill('ab'.repeat(32))
  expect(await verdict.count()).toBe(0)
  await check.click()
  await reads('Mismatched', published, 'ab'.repeat(32))
  await hash.fill('abc')
  await check.click()
  await form.getByRole('alert').getByText('hash must be a SHA-256 hash of 64 hex digits').waitFor()
  await hash.fill(published)
  expect(await form.getByRole('alert').count()).toBe(0)
})

test('a written card with a wrong endpoint is neither published nor used, and a right one is', async ({
  page,
  open,
}) => {
  await open('/register')
  await page.getByRole('main').getByRole('button', { name: 'Use a throw-away wallet' }).click()
  await page.getByRole('button', { name: 'Write a card' }).click()
  const form = page.getByRole('form', { name: 'Write a card' })
  const fields = {
    Name: 'Scout',
    Description: 'Looks.',
    Endpoint: 'https://[',
    'What the skill does': 'Looks.',
  }
  for (const [label, text] of Object.entries(fields)) await form.getByLabel(label, { exact: true }).fill(text)
  const publish = form.getByRole('button', { name: 'Publish the card' })
  await publish.click()
  await form.getByText('Enter a text.').waitFor()
  await form.getByLabel('Skill', { exact: true }).fill('Look')
  await publish.click()
  await form.getByText('It must be a URL that begins with https.').waitFor()
  expect(await form.getByRole('alert').count()).toBe(1)
  await expect.poll(() => form.getByLabel('Endpoint').evaluate((at) => at.matches(':focus'))).toBe(true)
  await form.getByLabel('Endpoint').fill('https://agents.example/a2a')
  expect(await form.getByRole('alert').count()).toBe(0)
  await publish.click()
  const registration = page.getByRole('form', { name: 'Register an agent' })
  await expect.poll(() => registration.getByLabel('Card hash').inputValue()).toMatch(CARD_HASH)
})
