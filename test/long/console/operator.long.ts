import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { useConsole } from './support/console-world.ts'

const { world, test } = useConsole({ SEED_AGENTS: '3' })

test('an operator sees money and deliveries, creates and revokes a code, and stops trusting an issuer', async ({
  page,
  open,
  audit,
}) => {
  await open('/operator')
  const token = page.getByLabel('Token', { exact: true })
  await token.fill('short')
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByText('A token has at least 32 characters and no spaces.').waitFor()
  await token.fill('x'.repeat(40))
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByRole('heading', { name: 'Only an operator can do this' }).waitFor()
  await audit()
  await page.getByRole('button', { name: 'Enter another token' }).click()
  await token.fill(readFileSync(join(world.gateway.dataDir, 'operator-token'), 'utf8'))
  await page.getByRole('button', { name: 'Open', exact: true }).click()

  const part = (name: string) => page.getByRole('region', { name, exact: true })
  await part('Fee payer')
    .getByText(/Budget of 24 hours: [\d.,]+ SOL of 10 SOL/)
    .waitFor()
  await part('Webhooks').getByText('No receiver fails.').waitFor()
  await part('Indexer').getByText('Everything was read.').waitFor()

  const codes = part('Invite codes')
  await codes.getByLabel('Registrations').fill('0.5')
  await codes.getByText('Enter a whole number from 1 to 1,000,000.').waitFor()
  await codes.getByRole('button', { name: 'Create code' }).click()
  await codes.getByLabel('Registrations').fill('7')
  await codes.getByRole('button', { name: 'Create code' }).click()
  const shown = await codes.getByRole('region', { name: 'New invite code' }).innerText()
  expect(shown).toMatch(/^(?:[0-9A-Z]{5}-){3}[0-9A-Z]{5}$/)
  const row = codes.getByRole('row').filter({ hasText: '0 of 7' }).first()
  await row.getByText('Valid').waitFor()
  await row.getByRole('button', { name: /^Revoke/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke code' }).click()
  await row.getByText('Revoked').waitFor()
  expect(await codes.getByRole('region', { name: 'New invite code' }).count()).toBe(0)

  const issuers = part('Trusted issuers')
  await issuers
    .getByRole('button', { name: /^Stop trusting/ })
    .first()
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop trusting' }).click()
  await issuers.getByText('Not trusted', { exact: true }).waitFor()
  await issuers.getByRole('button', { name: /^Trust did/ }).click()
  await issuers
    .getByRole('button', { name: /^Stop trusting/ })
    .first()
    .waitFor()
  await audit()
  // This tab keeps the token.
  await page.reload()
  await part('Fee payer').waitFor()
  await page.getByRole('button', { name: 'Forget the token' }).click()
  await token.waitFor()
})
