import { createRegistry, generateSigner, type Signer } from '@agent-registry/client'
import { Connection } from '@solana/web3.js'
import { beforeAll, expect, vi } from 'vitest'
import { BROWSER_PATH } from './support/browser-path.ts'
import { useConsole } from './support/console-world.ts'
import { graphql } from './support/registry-data.ts'
import { scaled } from '../../support/machine-speed.ts'

const { world, test } = useConsole({ SEED_AGENTS: '3' })
let registered: { id: string; signature: string; pda: string; owner: string }
beforeAll(async () => {
  if (BROWSER_PATH === undefined) return
  registered = await register('Ledger Reader')
})

async function register(name: string) {
  const wallet = await generateSigner()
  const card = { cardUrl: 'https://example.org/card.json', card: JSON.stringify({ name }) }
  const { pda, transaction } = await createRegistry(world.origin).agents.register(
    { name, category: 'research', ...card, inviteCode: world.inviteCode },
    wallet,
  )
  return { id: transaction.id, signature: transaction.signature!, pda, owner: wallet.address }
}

const PREPARE = `mutation ($owner: Pubkey!, $name: String!) { prepareRegisterAgent(input: { ownerPubkey: $owner,
  name: $name, serviceCategory: OTHER, agentCardUrl: "https://example.org/card.json",
  agentCardHash: "${'ab'.repeat(32)}" }) { id serializedTx } }`
const SUBMIT = `mutation ($id: String!, $signedTx: String!) { submitTransaction(id: $id, signedTx: $signedTx) { status } }`

/** Prepares a registration that the wallet pays. `submit` signs and sends it. */
async function prepare(wallet: Signer, name: string) {
  const variables = { owner: wallet.address, name }
  type Prepared = { prepareRegisterAgent: { id: string; serializedTx: string } | null }
  const read = async () =>
    (await graphql<Prepared | null>(world, PREPARE, variables))?.prepareRegisterAgent ?? null
  // It fails until the wallet has its SOL.
  const prepared = await vi.waitUntil(read, { timeout: scaled(10_000) })
  const signed = await wallet.signTransaction(Buffer.from(prepared.serializedTx, 'base64'))
  return {
    id: prepared.id,
    submit: () =>
      graphql(world, SUBMIT, { id: prepared.id, signedTx: Buffer.from(signed).toString('base64') }),
    sendItself: () => new Connection(world.gateway.runtime.rpcUrl, 'confirmed').sendRawTransaction(signed),
  }
}

test('a transaction by signature shows its status, decoded instructions, balances and logs', async ({
  page,
  open,
}) => {
  await open(`/tx/${registered.signature}`)
  const status = page.getByRole('region', { name: 'Status' })
  await status.getByRole('heading', { name: /^Confirmed\W+done/ }).waitFor()
  await status.getByText(/It landed in slot [\d,]+ and succeeded/).waitFor()
  await status.getByRole('heading', { name: /^Prepared\W+done/ }).waitFor()
  const details = page.getByRole('region', { name: 'Details' })
  await expect.poll(() => details.innerText()).toMatch(/Network fee\s+0\.0000\d+ SOL/)
  expect(await details.innerText()).toContain('Yes, the service pays')
  const instructions = page.getByRole('region', { name: 'Instructions' })
  await instructions.getByRole('heading', { name: '3. Register agent' }).waitFor()
  expect(await instructions.innerText()).toContain('Ledger Reader')
  await instructions.getByText('8 accounts').click()
  await instructions.getByRole('button', { name: `Copy owner ${registered.owner}` }).waitFor()
  // What the program invoked: it creates the account of the agent.
  await instructions.getByText(/^\d inner instructions?$/).click()
  const created = instructions.getByRole('listitem').filter({ hasText: 'Create account' }).last()
  expect(await created.innerText()).toMatch(/System program[\s\S]*Amount\s+0\.\d+ SOL\s+Size\s+\d+ bytes/)
  await created.getByText('2 accounts').click()
  await created.getByRole('button', { name: `Copy new account ${registered.pda}` }).waitFor()
  expect(await instructions.innerText()).not.toContain('Unknown instruction')
  const table = page.getByRole('table', { name: 'Balances that changed' })
  const agent = table.getByRole('row').filter({ hasText: 'Agent' }).filter({ hasText: '+0.00' })
  await agent.getByRole('button', { name: `Copy account address ${registered.pda}` }).waitFor()
  const now = await world.balance(registered.pda)
  expect(await agent.getByRole('cell').allInnerTexts()).toEqual(['0 SOL', `${now} SOL`, `+${now} SOL`])
  const logs = page.getByRole('region', { name: 'Logs', exact: true })
  expect(await logs.innerText()).toContain('success')
  await instructions.getByRole('link', { name: 'Open the agent' }).click()
  await page.waitForURL(`**/agents/${registered.pda}`)
  await page.goBack()
  await table.waitFor()
})

test('a prepared transaction shows what it will do, and is followed while it lands or fails', async ({
  page,
  open,
  audit,
}) => {
  const wallet = await generateSigner()
  await world.airdrop(wallet.address)
  const [first, second] = [await prepare(wallet, 'Waiting'), await prepare(wallet, 'Too late')]
  await open(`/tx/${first.id}`)
  const status = page.getByRole('region', { name: 'Status' })
  await status.getByRole('heading', { name: /^Submitted\W+in progress/ }).waitFor()
  await status.getByText('It waits for the signature of its wallet.').waitFor()
  await page.getByRole('heading', { name: '3. Register agent' }).waitFor()
  expect(await page.getByRole('region', { name: 'Details' }).innerText()).toContain('Not landed')
  await audit()
  await first.submit()
  await status.getByRole('heading', { name: /^Confirmed\W+done/ }).waitFor()
  await page.getByRole('table', { name: 'Balances that changed' }).waitFor()

  await second.submit()
  await open(`/tx/${second.id}`)
  await status.getByRole('heading', { name: /^Failed\W+failed/ }).waitFor()
  await status.getByText('has an agent already').waitFor()
  await status.getByText('Nothing changed and nothing was paid.').waitFor()
  await page.getByRole('region', { name: 'Logs', exact: true }).waitFor()
})

test('a transaction that its wallet sends itself is shown as confirmed while the page is open', async ({
  page,
  open,
}) => {
  const wallet = await generateSigner()
  await world.airdrop(wallet.address)
  const { id, sendItself } = await prepare(wallet, 'Self sent')
  // Without a socket the page asks again by itself.
  await page.routeWebSocket(/graphql/, (socket) => socket.close())
  await open(`/tx/${id}`)
  const status = page.getByRole('region', { name: 'Status' })
  await status.getByText('It waits for the signature of its wallet.').waitFor()
  const signature = await sendItself()
  await status.getByRole('heading', { name: /^Confirmed\W+done/ }).waitFor({ timeout: scaled(30_000) })
  await page
    .getByRole('region', { name: 'Details' })
    .getByRole('button', { name: `Copy signature ${signature}` })
    .waitFor()
})

test('an unknown transaction is explained', async ({ page, open }) => {
  await open('/tx/0f8fad5b-d9cb-469f-a165-70867728950e')
  await page.getByRole('heading', { name: 'Transaction not found' }).waitFor()
  await page.getByText('prepared but never sent are kept for one day').waitFor()
})
