import { generateSigner } from '@agent-registry/client'
import { beforeAll, expect } from 'vitest'
import { BROWSER_PATH } from './support/browser-path.ts'
import { useConsole } from './support/console-world.ts'
import { graphql } from './support/registry-data.ts'

const AGENT = '{ agents(first: 1) { nodes { pda name owner did history { nodes { signature } } } } }'
const PREPARE = `mutation ($owner: Pubkey!, $code: String) { prepareRegisterAgent(input: { ownerPubkey: $owner,
  name: "Waiting", serviceCategory: OTHER, agentCardUrl: "https://example.org/card.json",
  agentCardHash: "${'ab'.repeat(32)}", inviteCode: $code }) { id } }`

interface Found {
  pda: string
  name: string
  owner: string
  did: string
  signature: string
}
type Agent = Found & { history: { nodes: { signature: string }[] } }

/** The last word of a name with another letter before its last one. */
const misspelt = (name: string): string =>
  name
    .split(' ')
    .at(-1)!
    .replace(/.(.)$/, (_, last: string) => (last === 'x' ? `z${last}` : `x${last}`))

const { world, test } = useConsole({ SEED_AGENTS: '6' })
let agent: Found
/** Of a prepared transaction. */
let id: string
beforeAll(async () => {
  if (BROWSER_PATH === undefined) return
  const { agents } = await graphql<{ agents: { nodes: Agent[] } }>(world, AGENT)
  const [first] = agents.nodes
  agent = { ...first!, signature: first!.history.nodes[0]!.signature }
  const variables = { owner: (await generateSigner()).address, code: world.inviteCode }
  const prepared = await graphql<{ prepareRegisterAgent: { id: string } }>(world, PREPARE, variables)
  id = prepared.prepareRegisterAgent.id
})

test('the search leads from an address, an owner, a DID, a signature, an id and a name to the right page', async ({
  page,
  open,
  audit,
}) => {
  const all: [typed: string, path: string][] = [
    [agent.pda, `/agents/${agent.pda}`],
    [agent.owner, `/agents/${agent.pda}`],
    [agent.did, `/agents/${agent.pda}`],
    [` ${agent.signature} `, `/tx/${agent.signature}`],
    [id, `/tx/${id}`],
    ['nobody', '/agents?name=nobody'],
  ]
  await open('/health')
  const search = page.getByRole('button', { name: /^Search/ })
  const box = page.getByRole('dialog', { name: 'Search' }).getByRole('combobox')
  for (const [typed, path] of all) {
    await search.click()
    await box.fill(typed)
    await box.press('Enter')
    await page.waitForURL(`**/console${path}`)
  }
  await page.getByRole('heading', { name: 'No agent matches' }).waitFor()
  // Half of a later word, with a typing error.
  await search.click()
  await box.fill(misspelt(agent.name))
  await page.getByRole('option', { name: agent.name }).waitFor()
  await page.getByRole('option', { name: /^Search all names/ }).click()
  await page.getByText(/^No name has “.+”. Did you mean one of these\?$/).waitFor()
  await page.getByRole('main').getByRole('link', { name: agent.name }).waitFor()
  await search.click()
  await box.fill(agent.signature)
  await page.getByRole('option', { name: /Open the transaction/ }).waitFor()
  await audit()
  await page.getByRole('option', { name: /Open the transaction/ }).click()
  await page.getByRole('heading', { name: 'Instructions' }).waitFor()
})

test('the search opens pages, actions and agents with the keyboard, and gives the focus back', async ({
  page,
  open,
}) => {
  await open('/health')
  await page.getByRole('heading', { name: 'Everything works' }).waitFor()
  const theme = page.getByRole('combobox', { name: 'Theme' })
  await theme.focus()
  await page.keyboard.press('Control+k')
  const menu = page.getByRole('dialog', { name: 'Search' })
  const box = menu.getByRole('combobox')
  expect(await box.evaluate('document.activeElement?.getAttribute("role")')).toBe('combobox')
  await menu.getByRole('option', { name: /^Webhooks/ }).waitFor()
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'hidden' })
  expect(await theme.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)

  await page.keyboard.press('Control+k')
  await page.keyboard.type('dark')
  await page.keyboard.press('Enter')
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
  expect(await theme.inputValue()).toBe('dark')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('use system')
  await page.keyboard.press('Enter')

  await page.keyboard.press('Control+k')
  await page.keyboard.type('connect')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Connect a wallet' }).getByRole('button', { name: 'Close' }).click()

  // Keys go to a dialog until it has closed.
  await expect.poll(() => page.locator('dialog[open]').count()).toBe(0)
  await page.getByRole('button', { name: /^Search/ }).click()
  await box.pressSequentially(agent.name.slice(0, 6))
  await menu.getByRole('option', { name: agent.name }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/agents/${agent.pda}`)

  await page.keyboard.press('Control+k')
  for (const _ of [1, 2, 3, 4, 5, 6]) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Developers', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await menu.getByRole('option', { name: /^Developers/ }).waitFor()
})
