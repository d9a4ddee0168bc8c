import { Keypair } from '@solana/web3.js'
import { expect } from 'vitest'
import { saveFile, useConsole } from './support/console-world.ts'
import { browserWallet } from './support/wallet.ts'

const wallet = browserWallet('list')
const { test } = useConsole({ SEED_AGENTS: '0' })

test(
  'a wallet connects, signs in, stays signed in after a reload, and signs out',
  async ({ page, open, audit }) => {
    await open('/')
    await page.getByRole('button', { name: 'Connect wallet' }).click()
    await page.getByRole('button', { name: wallet.name }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await audit()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('You are signed in.').waitFor()
    await page.reload()
    await page.getByRole('button', { name: wallet.address.slice(0, 5) }).click()
    await page.getByText('You are signed in.').waitFor()
    // Connected again, not only signed in.
    await expect.poll(() => page.getByRole('button', { name: wallet.name }).count()).toBe(0)
    await audit()
    await page.getByRole('button', { name: 'Sign out and disconnect' }).click()
    await page.getByRole('button', { name: wallet.name }).waitFor()
  },
  { prepare: (context) => wallet.install(context) },
)

test('on the localnet a throw-away wallet connects, signs in and stays the same after a reload', async ({
  page,
  open,
}) => {
  await open('/webhooks')
  const panel = page.getByRole('region', { name: 'Your wallet' })
  await panel.getByRole('button', { name: 'Use a throw-away wallet' }).click()
  const address = await panel.getByRole('button', { name: /^Copy wallet address/ }).getAttribute('title')
  const { name, content } = await saveFile(panel.getByRole('button', { name: 'Save the key of this wallet' }))
  expect(name).toBe(`${address}.json`)
  const secretKey = JSON.parse(content) as number[]
  expect(Keypair.fromSecretKey(Uint8Array.from(secretKey)).publicKey.toBase58()).toBe(address)
  await panel.getByRole('button', { name: 'Sign in' }).click()
  await panel.waitFor({ state: 'detached' })
  await open('/mine')
  await page.getByRole('heading', { name: 'This wallet has no agent' }).waitFor()
  await page
    .getByRole('banner')
    .getByRole('button', { name: address!.slice(0, 5) })
    .waitFor()
})
