import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { createLocalnetRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { useConsole } from './support/console-world.ts'
import { graphql, openOwnAgent } from './support/registry-data.ts'
import type { BrowserWallet } from './support/wallet.ts'

/** A letter of no width joins the two pictures. */
const JOINED = '👩\u200D💻 Coder'
const WEEK_SECONDS = 7 * 86_400

const { world, test } = useConsole({ SEED_AGENTS: '0' })

async function sign(page: Page, wallet: BrowserWallet, expected: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByText(expected).first().waitFor()
  await dialog.getByRole('button', { name: `Sign with ${wallet.name}` }).click()
  await dialog.getByText('Confirmed').waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
}

test('an owner deposits, requests a withdrawal, cancels it, is paid after the cooldown, and closes the stake', async (steps) => {
  const { page, audit } = steps
  const wallet = await openOwnAgent(world, steps, 'stake')
  const stake = page.getByRole('region', { name: 'Stake' })
  const deposit = stake.getByRole('form', { name: 'Deposit' })
  await deposit.getByLabel('Deposit (USDC)').fill('ten')
  await deposit.getByRole('button', { name: 'Deposit' }).click()
  await deposit.getByText('Use only digits and one point').waitFor()
  await deposit.getByLabel('Deposit (USDC)').fill('700')
  await deposit.getByRole('button', { name: 'Deposit' }).click()
  const balances = page.getByRole('dialog').getByRole('region', { name: 'Balances' })
  await balances.getByText('5,000').waitFor()
  await balances.getByText('4,300').waitFor()
  const sol = balances.getByRole('row', { name: 'SOL' }).getByRole('cell').last()
  // The rent arrives after the balances. Until then the cell shows a dash.
  await sol.filter({ hasText: /\d/ }).waitFor()
  const after = await sol.innerText()
  await sign(page, wallet, 'Moves USDC from your wallet')
  await page
    .getByRole('region', { name: 'Wallet balance' })
    .getByText(`${after} SOL`, { exact: true })
    .waitFor()
  await stake.getByText(/Your tier is (Basic|Standard)/).waitFor()
  const withdraw = stake.getByRole('form', { name: 'Withdraw' })
  await withdraw.getByRole('button', { name: 'Use all' }).click()
  await withdraw.getByRole('button', { name: 'Withdraw' }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .getByText(/It is payable 7 days after the request. Your tier falls to Observer at once./)
    .waitFor()
  await sign(page, wallet, 'Asks for a withdrawal of stake')
  await stake
    .getByRole('timer')
    .getByText(/Payable in \d+ days/)
    .waitFor()
  await stake.getByRole('button', { name: 'Cancel the withdrawal' }).click()
  await sign(page, wallet, 'Cancels the withdrawal')
  await withdraw.getByLabel('Withdraw (USDC)').fill('701')
  await withdraw.getByRole('button', { name: 'Withdraw' }).click()
  await withdraw.getByText('At most 700 USDC can be withdrawn.').waitFor()
  await withdraw.getByLabel('Withdraw (USDC)').fill('700')
  await withdraw.getByRole('button', { name: 'Withdraw' }).click()
  await sign(page, wallet, 'Asks for a withdrawal of stake')
  const payOut = stake.getByRole('button', { name: 'Pay out' })
  await payOut.waitFor()
  expect(await payOut.isDisabled()).toBe(true)
  await audit()
  const rpc = createLocalnetRpc(world.gateway.runtime.rpcUrl)
  await rpc.call('localnet_warp', [WEEK_SECONDS + 60])
  // The page asks for the time of the ledger every ten seconds.
  await payOut.click()
  await sign(page, wallet, 'Pays the withdrawal to your wallet')
  const wallets = page.getByRole('region', { name: 'Wallet balance' })
  await wallets.getByText('5,000 USDC', { exact: true }).waitFor()
  const status = page.getByRole('region', { name: 'Status' })
  await status.getByRole('button', { name: 'Deactivate' }).click()
  await sign(page, wallet, 'Deactivates your agent permanently')
  await status.getByRole('button', { name: 'Close the stake' }).click()
  await sign(page, wallet, 'Removes the empty stake')
  await status.getByRole('button', { name: 'Close the agent' }).waitFor()
})

test('an owner updates, suspends, reactivates, deactivates and closes an agent', async (steps) => {
  const { page, audit } = steps
  const wallet = await openOwnAgent(world, steps, 'status')
  const details = page.getByRole('form', { name: 'Details' })
  await details.getByRole('button', { name: 'Review the update' }).click()
  await details.getByText('Nothing differs from the registry').waitFor()
  await details.getByLabel('Version').fill('2.1')
  await details.getByRole('checkbox', { name: 'Sell' }).check()
  await page.getByRole('button', { name: 'Write a card' }).click()
  const card = page.getByRole('form', { name: 'Write a card' })
  await card.getByLabel('Description').fill('Audits.')
  await card.getByLabel('Endpoint').fill('https://agents.example/a2a')
  await card.getByLabel('Skill', { exact: true }).fill('Audit')
  await card.getByLabel('What the skill does').fill('Reads code.')
  await card.getByRole('button', { name: 'Publish the card' }).click()
  await expect.poll(() => details.getByLabel('Card URL').inputValue()).toMatch(/^ipfs:/)
  await details.getByRole('button', { name: 'Review the update' }).click()
  await sign(page, wallet, 'Changes the details of your agent')
  await expect.poll(() => details.getByLabel('Version').inputValue()).toBe('2.1')
  const status = page.getByRole('region', { name: 'Status' })
  await status.getByRole('button', { name: 'Suspend' }).click()
  await sign(page, wallet, 'Suspends your agent')
  await audit()
  await status.getByRole('button', { name: 'Reactivate' }).click()
  await sign(page, wallet, 'Makes your agent active again')
  await status.getByRole('button', { name: 'Suspend' }).waitFor()
  await status.getByRole('button', { name: 'Deactivate' }).click()
  await page.getByRole('dialog').getByText('Deactivation is permanent').waitFor()
  await sign(page, wallet, 'Deactivates your agent permanently')
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1')
  await status.getByRole('button', { name: 'Close the agent' }).click()
  await sign(page, wallet, 'Removes the account of your agent')
  await page.getByRole('heading', { name: 'This wallet has no agent' }).waitFor()
})

test('my agent shows its stake, its details and the review of a transaction', async (steps) => {
  const { page, open, audit } = steps
  await open('/mine')
  await page.getByRole('heading', { name: 'Connect the wallet of your agent' }).waitFor()
  const wallet = await openOwnAgent(world, steps, 'view')
  const deposit = page.getByRole('form', { name: 'Deposit' })
  await deposit.getByLabel('Deposit (USDC)').fill('12.5')
  const size = page.viewportSize()!
  await page.setViewportSize({ ...size, height: 480 })
  await deposit.getByRole('button', { name: 'Deposit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('region', { name: 'Balances' }).getByText('4,987.5').waitFor()
  await dialog.getByText('Storage deposit, paid by your wallet').waitFor()
  await dialog.getByText('Registry program').waitFor()
  // A review that is higher than the window begins with its title.
  expect(await dialog.evaluate((at) => at.scrollTop)).toBe(0)
  await page.setViewportSize(size)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const button = deposit.getByRole('button', { name: 'Deposit' })
  await expect.poll(() => button.evaluate((at) => at.matches(':focus'))).toBe(true)
  await page.evaluate('walletRefuses = true')
  await deposit.getByRole('button', { name: 'Deposit' }).click()
  await dialog.getByRole('button', { name: `Sign with ${wallet.name}` }).click()
  await dialog.getByRole('alert').getByText('The user refused').waitFor()
  await dialog.getByRole('button', { name: 'Close without sending' }).click()
  // A gateway that prepares something else than what the owner asked for.
  await page.route('**/relay/prepare', async (route) => {
    const response = await route.fetch({
      url: `${world.origin}/relay/prepare/deactivate-agent`,
      postData: { ownerPubkey: wallet.address },
    })
    await route.fulfill({ response })
  })
  await page.getByRole('button', { name: 'Suspend' }).click()
  await dialog.getByRole('heading', { name: 'The gateway prepared something else' }).waitFor()
  await dialog.getByText('Nothing was signed.').waitFor()
  await audit()
  expect(await dialog.getByRole('button', { name: /Sign with/ }).count()).toBe(0)
  await dialog.getByRole('button', { name: 'Close without sending' }).click()
  await page.unroute('**/relay/prepare')
  await deposit.getByRole('button', { name: 'Deposit' }).click()
  await dialog.getByText('Storage deposit, paid by your wallet').waitFor()
})

test('a name with a joined emoji is changed as it is written, and is no obstacle to other changes', async (steps) => {
  const { page } = steps
  const wallet = await openOwnAgent(world, steps, 'joined')
  const form = page.getByRole('form', { name: 'Details' })
  const change = async (label: string, value: string): Promise<void> => {
    await form.getByLabel(label, { exact: true }).fill(value)
    await form.getByRole('button', { name: 'Review the update' }).click()
    await sign(page, wallet, 'Changes the details of your agent')
  }
  const nameOf = async () =>
    (
      await graphql<{ agentByOwner: { name: string } }>(
        world,
        '{ agentByOwner(owner: "' + wallet.address + '") { name } }',
      )
    ).agentByOwner.name
  // 30 bytes. Its letter of no width is shown with three more.
  const long = JOINED.padEnd(24, '.')
  await change('Name', long)
  await expect.poll(nameOf).toBe(long)
  await expect.poll(() => form.getByLabel('Name', { exact: true }).inputValue()).toBe(long)
  await change('Version', '2.0')
  expect(await nameOf()).toBe(long)
})
