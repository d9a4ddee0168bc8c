import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { scaled } from '../../support/machine-speed.ts'
import { useConsole } from './support/console-world.ts'

const { world, test } = useConsole({ SEED_AGENTS: '3' })

const run = (statement: string) => world.gateway.database.orm.em.getConnection().execute(statement)
const MARKS = 'select count(retry_requested_at)::int as marks from dead_letters'

/** Rows of a real database: this ledger has no data that the indexer cannot read. */
const addDeadLetters = () =>
  run(`
    insert into dead_letters (id, kind, signature, slot, reason) values
      ('missing_transaction/lost/', 'missing_transaction', repeat('1', 64), 7, 'no node serves it'),
      ('unknown_event/new/', 'unknown_event', repeat('1', 64), 8, 'the IDL does not have it')
    on conflict do nothing`)

test('an operator sees money and deliveries, creates and revokes a code, and stops trusting an issuer', async ({
  page,
  open,
  audit,
}) => {
  await run('delete from dead_letters')
  await open('/operator')
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Operator' })
  expect(await link.count()).toBe(0)
  const token = page.getByLabel('Token', { exact: true })
  await token.fill('short')
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByText('A token has at least 32 characters and no spaces.').waitFor()
  await token.fill('x'.repeat(40))
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByRole('alert').getByText('The gateway refused this token.').waitFor()
  expect(await link.count()).toBe(0)
  await audit()
  await token.fill(readFileSync(join(world.gateway.dataDir, 'operator-token'), 'utf8'))
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1')

  const part = (name: string) => page.getByRole('region', { name, exact: true })
  await part('Fee payer')
    .getByText(/Budget of 24 hours: [\d.,]+ SOL of 10 SOL/)
    .waitFor()
  await part('Webhooks').getByText('No receiver fails.').waitFor()
  await part('Indexer').getByText('Everything was read.').waitFor()

  await addDeadLetters()
  await page.goto(`${world.origin}/console/`)
  await link.click()
  const letters = part('Indexer').getByRole('table', { name: 'Records not understood' })
  const retry = letters.getByRole('button', { name: 'Retry' })
  await retry.waitFor()
  expect(await retry.getAttribute('aria-label')).toBe('Retry missing_transaction/lost/')
  await part('Indexer').getByText('upgrade the gateway and run rebuild').waitFor()
  await audit()
  await retry.click()
  await part('Indexer').getByText('The ledger nodes are asked again within ten seconds.').waitFor()
  // The ledger does not know it: after the retry, the operator can ask again.
  await expect.poll(() => run(MARKS), { timeout: 60_000 }).toEqual([{ marks: 0 }])

  const codes = part('Invite codes')
  await codes.getByLabel('Registrations').fill('0.5')
  await codes.getByRole('button', { name: 'Create code' }).click()
  await codes.getByText('Enter a whole number from 1 to 1,000,000.').waitFor()
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
    // A read that began before the change can answer after it. The next one is 10 s later.
    .waitFor({ timeout: scaled(30_000) })
  await audit()
  // This tab keeps the token.
  await page.reload()
  await part('Fee payer').waitFor()
  await page.getByRole('button', { name: 'Forget the token' }).click()
  await token.waitFor()
  expect(await link.count()).toBe(0)
})
