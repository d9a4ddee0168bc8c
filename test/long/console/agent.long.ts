import { beforeAll, expect } from 'vitest'
import type { Page } from 'playwright-core'
import { BROWSER_PATH } from './support/browser-path.ts'
import { saveFile, useConsole } from './support/console-world.ts'
import { createRegistry, signerFromSecretKey } from '@agent-registry/client'
import { addressOf, graphql, registerAgent, sampleOwner } from './support/registry-data.ts'
import { browserWallet } from './support/wallet.ts'
import { scaled } from '../../support/machine-speed.ts'

const { world, test } = useConsole()
beforeAll(async () => {
  if (BROWSER_PATH === undefined) return
  // Summit Underwriter.
  const owner = await sampleOwner(world, 18)
  await createRegistry(world.origin).stakes.requestWithdrawal(200_000_000n, owner)
})

const openAgent = async (page: Page, name: string): Promise<void> => {
  await page.goto(`${world.origin}/console/agents/${await addressOf(world, name)}`)
  await page.getByRole('heading', { level: 1, name }).waitFor()
}
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
/** The gateway checks cards in the background after it starts. */
const reload = (page: Page, state: string) =>
  expect
    .poll(
      async () => {
        const shown = await section(page, 'Agent card').getByText(state, { exact: true }).count()
        if (shown === 0) await page.reload()
        return shown
      },
      { timeout: scaled(20_000), interval: 500 },
    )
    .toBe(1)

test('an agent has its identity, its card with skills, its credentials with six checks, and its tier', async ({
  page,
}) => {
  await openAgent(page, 'Granite Custody')
  await reload(page, 'Matched')
  const card = section(page, 'Agent card')
  await card.getByText('This is the card that the owner recorded on the ledger.').waitFor()
  await card.getByText('Review a ledger').waitFor()
  const link = card.getByRole('link', { name: 'https://agents.example.org/granite-custody/a2a' })
  expect(await link.getAttribute('rel')).toContain('noreferrer')
  await section(page, 'Identity')
    .getByRole('button', { name: /^Copy DID did:sol:/ })
    .click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^did:sol:\w{40,}$/)
  const credentials = section(page, 'Credentials')
  await credentials.getByRole('heading', { name: 'Security audit' }).waitFor()
  await credentials.getByText('All 6 checks passed').first().press('Enter')
  await credentials.getByText('this gateway trusts the issuer').first().waitFor()
  expect(await credentials.getByRole('listitem').filter({ hasText: ': passed.' }).count()).toBeGreaterThan(5)
  const { content } = await saveFile(credentials.getByRole('button', { name: 'Save credentials as CSV' }))
  expect(content).toMatch(/^id,type,issuer,[\s\S]*,SecurityAuditCredential,did:sol:/)
  const stake = section(page, 'Stake and tier')
  await stake.getByText('2,500 USDC').waitFor()
  expect(await stake.locator('[aria-current]').innerText()).toMatch(/Premium\s+From 1,000 USDC/)
})

test('reputation and stake are charts with a table, and the history has pages, a filter and transactions', async ({
  page,
}) => {
  await openAgent(page, 'Cedar Ledger')
  const reputation = section(page, 'Reputation over time')
  await reputation.getByRole('img', { name: /^Reputation over time: now \d+, \d+ values since/ }).waitFor()
  await reputation.getByText('Show as a table').click()
  const rows = reputation.getByRole('table').getByRole('row')
  expect(await rows.last().innerText()).toContain('250')
  const shown = Number.parseInt(await reputation.getByText('of 1,000').innerText(), 10)
  expect(await rows.nth(1).innerText()).toContain(String(shown))
  await section(page, 'Stake over time')
    .getByRole('img', { name: /^Stake in USDC over time/ })
    .waitFor()
  const history = section(page, 'History')
  const events = history.getByRole('list', { name: 'History' }).getByRole('listitem')
  expect(await events.first().innerText()).toContain('The reputation rose')
  await history.getByRole('combobox', { name: 'Show' }).selectOption('Stake and tier')
  await history.getByText('500 USDC deposited. The stake is now 500 USDC.').waitFor()
  await history.getByRole('combobox', { name: 'Show' }).selectOption('Metadata')
  await history.getByText('Registered in the category Financial.').waitFor()
  const transaction = events.last().getByRole('link', { name: /^Transaction/ })
  expect(await transaction.getAttribute('href')).toMatch(/\/console\/tx\/\w{80,90}$/)
  expect(await events.last().innerText()).toMatch(/Slot [\d,]+/)
})

test('a card that differs or cannot be fetched, a credential about itself and an open withdrawal are explained', async ({
  page,
  audit,
}) => {
  await openAgent(page, 'Ember Support')
  await reload(page, 'Unreachable')
  await section(page, 'Agent card')
    .getByText(/^Reason: agents.example.org/)
    .waitFor()
  await audit()
  await openAgent(page, 'Fathom Analytics')
  const credentials = section(page, 'Credentials')
  await credentials.getByText('Not trusted').waitFor()
  await credentials.getByText('5 of 6 checks passed').click()
  await credentials.getByText(/The agent issued it about itself/).waitFor()
  await audit()
  await openAgent(page, 'Summit Underwriter')
  const stake = section(page, 'Stake and tier')
  await stake.getByText(/The owner asked to withdraw 200 USDC/).waitFor()
  await stake.getByText(/It can be paid out in \d+ days/).waitFor()
  expect(await stake.getByRole('listitem').filter({ hasText: 'Standard' }).innerText()).toContain(
    '200 USDC more',
  )
  await audit()
  await openAgent(page, 'Quarry Data')
  await reload(page, 'Mismatched')
  await section(page, 'Agent card')
    .getByText(/Do not rely on it/)
    .waitFor()
})

test('the page follows its agent live, until it is closed and only its history stays', async ({
  page,
  open,
  variant,
  audit,
}) => {
  const { pda, owner, registry } = await registerAgent(world, `Live ${variant.name}`)
  await open(`/agents/${pda}`)
  // Not the link of the navigation.
  await page.locator('#content').getByText('Live', { exact: true }).waitFor()
  await registry.agents.update({ version: '2.0.1', capabilities: 3n }, owner)
  const identity = section(page, 'Identity')
  await identity.getByText('2.0.1').waitFor()
  await identity.getByText('Buy, Sell').waitFor()
  await section(page, 'History').getByText('version is now “2.0.1”').waitFor()
  await registry.agents.suspend(owner)
  await page.getByText('Suspended by its owner.').last().waitFor()
  await audit()
  await registry.agents.deactivate(owner)
  await registry.agents.close(owner)
  await page.getByRole('heading', { level: 1, name: 'Closed agent' }).waitFor()
  await section(page, 'History').getByText('The account of the agent was closed.').waitFor()
})

test('an agent is shown as JSON, as a DID document and as a request, and a wrong address says so', async ({
  page,
  open,
  audit,
}) => {
  await openAgent(page, 'Granite Custody')
  await page.getByRole('button', { name: 'Raw data' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('region', { name: 'Agent' }).getByText('"Granite Custody"').waitFor()
  await dialog.getByRole('tab', { name: 'DID document' }).click()
  await dialog.getByText('"verificationMethod"').waitFor()
  await audit()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'API request' }).click()
  await dialog.getByRole('region', { name: 'curl' }).getByText('query AgentDetails').waitFor()
  await audit()
  await open('/agents/11111111111111111111111111111112')
  await page.getByRole('heading', { name: 'No agent has this address' }).waitFor()
  await audit()
  await open('/agents/nonsense')
  await page.getByText('nonsense is not the address of an agent.').waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
})

const PUBLISH = 'mutation ($card: String!) { publishLocalnetCard(card: $card) { url hash } }'

test('a card of very long words stays within its page', async ({ page }) => {
  const tag = 'w'.repeat(256)
  const card = JSON.stringify({
    name: 'Long words',
    description: 'It has long words.',
    version: '1.0.0',
    supportedInterfaces: [
      { url: 'https://agents.example/a2a', protocolBinding: tag, protocolVersion: '1.0' },
    ],
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'skill', name: 'Skill', description: tag, tags: [tag] }],
  })
  const { publishLocalnetCard } = await graphql<{ publishLocalnetCard: { url: string } }>(world, PUBLISH, {
    card,
  })
  const label = `words ${page.viewportSize()!.width}`
  const signer = await signerFromSecretKey(browserWallet(label).seed)
  await world.airdrop(signer.address)
  const registry = createRegistry(world.origin)
  const registration = { name: label, category: 'other', cardUrl: publishLocalnetCard.url, card } as const
  const { pda } = await registry.agents.register(registration, signer)
  await registry.agents.get(pda, { waitMs: 10_000 })
  await page.goto(`${world.origin}/console/agents/${pda}`)
  await page.getByRole('heading', { level: 1, name: label }).waitFor()
  await reload(page, 'Matched')
  // The page is checked at the end.
  await page.getByText(tag).first().waitFor()
})
