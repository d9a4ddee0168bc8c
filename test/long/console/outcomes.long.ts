import { createRegistry, signerFromSecretKey } from '@agent-registry/client'
import PQueue from 'p-queue'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { BROWSER_PATH } from './support/browser-path.ts'
import { useConsole } from './support/console-world.ts'
import { graphql } from './support/registry-data.ts'
import { type Fault, FAULTS, hitSubmits, takeStatements, watchStatements } from './support/submits.ts'
import { browserWallet, connectWallet } from './support/wallet.ts'
import { scaled } from '../../support/machine-speed.ts'

/** Runs of each action with each fault. Each run has its own wallet. */
const RUNS = Number(process.env.OUTCOME_RUNS ?? 1)
const PAGES = Number(process.env.OUTCOME_PAGES ?? 3)
/** The longest delay of a submit. */
const MAX_DELAY_MS = Number(process.env.OUTCOME_DELAY_MS ?? 4_000)
const OUTCOME_WAIT_MS = 180_000
const INDEX_WAIT = { timeout: scaled(60_000), interval: 200 }

const ACTIONS = ['register', 'deposit', 'withdrawal'] as const
type Action = (typeof ACTIONS)[number]

interface Result {
  readonly fault: Fault
  readonly action: Action
  readonly executed: number
  readonly said: 'confirmed' | 'expired' | 'failed'
  /** Denials that the page showed, although the transaction landed or could still land. */
  readonly wrong: readonly string[]
}

const { world } = useConsole({ SEED_AGENTS: '0' })

const START: Record<Action, (page: Page) => Promise<void>> = {
  register: async (page) => {
    await page.goto(`${world.origin}/console/register`)
    const form = page.getByRole('form', { name: 'Register an agent' })
    await form.getByLabel('Name').fill('Scout')
    await form.getByLabel('Card URL').fill('https://agents.example/card.json')
    await form.getByLabel('Card hash').fill('ab'.repeat(32))
    await form.getByRole('radio', { name: /Your wallet/ }).check()
    await form.getByRole('button', { name: 'Review the registration' }).click()
  },
  deposit: async (page) => {
    await page.goto(`${world.origin}/console/mine`)
    await page.getByLabel('Deposit (USDC)').fill('10')
    await page.getByRole('button', { name: 'Deposit', exact: true }).click()
  },
  withdrawal: async (page) => {
    await page.goto(`${world.origin}/console/mine`)
    await page.getByLabel('Withdraw (USDC)').fill('4')
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click()
  },
}

const EVENTS: Record<Action, string> = {
  register: 'AGENT_REGISTERED',
  deposit: 'STAKE_DEPOSITED',
  withdrawal: 'STAKE_WITHDRAWAL_REQUESTED',
}

/** How often the ledger has done it. */
async function executions(pda: string, action: Action): Promise<number> {
  type Found = { registryEvents: { nodes: { type: string }[] } }
  const { registryEvents: found } = await graphql<Found>(
    world,
    'query ($pda: Pubkey!) { registryEvents(filter: { agentPda: $pda }, first: 50) { nodes { type } } }',
    { pda },
  )
  return found.nodes.filter(({ type }) => type === EVENTS[action]).length
}

/** Waits until the dialog, or the banner of a page that was reloaded, tells the outcome. */
async function outcomeOf(page: Page): Promise<Result['said']> {
  const dialog = page.getByRole('dialog')
  const ends = dialog
    .getByText('Confirmed', { exact: true })
    .or(dialog.getByRole('button', { name: 'Try again' }))
  const banner = page.getByRole('status', { name: 'Transactions' })
  const ended = banner.getByText(/^(Confirmed|Failed|Expired)/)
  await ends.or(ended).first().waitFor({ timeout: OUTCOME_WAIT_MS })
  if (await banner.isVisible()) await banner.getByRole('button', { name: 'Show' }).click()
  const text = await dialog.innerText()
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  return text.includes('Confirmed') ? 'confirmed' : text.includes('expired') ? 'expired' : 'failed'
}

async function run(fault: Fault, number: number): Promise<Result[]> {
  const wallet = browserWallet(`outcome ${fault} ${number}`)
  await graphql(world, `mutation { fundLocalnetWallet(wallet: "${wallet.address}") { lamports } }`)
  const context = await world.browser.newContext({ viewport: { width: 1280, height: 900 } })
  context.setDefaultTimeout(60_000)
  await wallet.install(context)
  const page = await context.newPage()
  await watchStatements(page)
  await page.goto(`${world.origin}/console/`)
  await connectWallet(page, wallet, false)
  const results: Result[] = []
  for (const [i, action] of ACTIONS.entries()) {
    const times = 1 + ((number + i) % 3)
    const delayMs = Math.floor(MAX_DELAY_MS * Math.random())
    // Before the page loads code: the browser loses requests that wait while its routes change.
    const submits = await hitSubmits(page, fault, { times: fault === 'reloaded' ? 1 : times, delayMs })
    await START[action](page)
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Sign with/ })
      .click()
    const said = await outcomeOf(page)
    await submits.delivered()
    expect(submits.count()).toBeGreaterThan(0)
    const denials = await takeStatements(page)
    results.push({ fault, action, said, executed: said === 'confirmed' ? 1 : 0, wrong: denials })
    if (said !== 'confirmed') break
  }
  const registry = createRegistry(world.origin)
  const pda = (await registry.agents.ofOwner((await signerFromSecretKey(wallet.seed)).address))?.pda ?? ''
  const counted: Result[] = []
  for (const result of results) {
    if (result.said === 'confirmed') await vi.waitUntil(() => executions(pda, result.action), INDEX_WAIT)
    const executed = pda === '' ? 0 : await executions(pda, result.action)
    // An expiry may be told if it is true.
    const wrong = result.said === 'confirmed' || executed > 0 ? result.wrong : []
    counted.push({ ...result, executed, wrong })
  }
  await context.close()
  return counted
}

test.skipIf(BROWSER_PATH === undefined && process.env.CI === undefined)(
  'whatever is lost between page and gateway, nothing is done twice, and the page says nothing wrong',
  async () => {
    const queue = new PQueue({ concurrency: PAGES })
    const numbers = Array.from({ length: RUNS }, (_, i) => i)
    const runs = FAULTS.flatMap((fault) => numbers.map((number) => queue.add(() => run(fault, number))))
    const results = (await Promise.all(runs)).flat()
    const rows = FAULTS.flatMap((fault) =>
      ACTIONS.map((action) => {
        const cell = results.filter((each) => each.fault === fault && each.action === action)
        const count = (has: (each: Result) => boolean): number => cell.filter(has).length
        return {
          fault,
          action,
          runs: cell.length,
          confirmed: count(({ said }) => said === 'confirmed'),
          'expired or failed': count(({ said }) => said !== 'confirmed'),
          'done twice': count(({ executed }) => executed > 1),
          wrong: count(
            ({ said, executed, wrong }) => wrong.length > 0 || (said === 'confirmed') !== executed > 0,
          ),
        }
      }),
    )
    // oxlint-disable-next-line no-console
    if (process.env.OUTCOME_RUNS !== undefined) console.table(rows)
    expect(results.flatMap(({ wrong }) => wrong)).toEqual([])
    expect(rows.filter((row) => row['done twice'] > 0 || row.wrong > 0)).toEqual([])
    expect(results.length).toBe(RUNS * FAULTS.length * ACTIONS.length)
  },
)
