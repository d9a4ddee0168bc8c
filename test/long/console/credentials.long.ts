import { createRegistry, signerFromSecretKey } from '@agent-registry/client'
import { Keypair } from '@solana/web3.js'
import { beforeAll, expect, vi } from 'vitest'
import { loadContexts } from '../../../src/identity/credentials/contexts/load.ts'
import { issueCredential } from '../../../src/identity/credentials/issue-credential.ts'
import { loadLocalnetKeys } from '../../../src/platform/keys.ts'
import { BROWSER_PATH } from './support/browser-path.ts'
import { useConsole } from './support/console-world.ts'
import { browserWallet, connectWallet } from './support/wallet.ts'
import { scaled } from '../../support/machine-speed.ts'

const wallet = browserWallet('credentials')
const other = browserWallet('no agent')
const { world, test } = useConsole()
/** A hosted credential, about another agent. */
let hostedUrl: string
beforeAll(async () => {
  if (BROWSER_PATH === undefined) return
  const registry = createRegistry(world.origin)
  const card = { cardUrl: 'https://example.org/card.json', card: '{}' }
  const { pda } = await registry.agents.register(
    { name: 'Proof Keeper', category: 'research', ...card, inviteCode: world.inviteCode },
    await signerFromSecretKey(wallet.seed),
  )
  await registry.agents.get(pda, { waitMs: 10_000 })
  const { agents } = await registry.agents.list({ name: 'Kestrel Auditor' }).page()
  const read = async () => (await registry.credentials.list(agents[0]!.pda))[0]?.credential_url
  hostedUrl = (await vi.waitUntil(read, { timeout: scaled(15_000), interval: 200 }))!
})

const issue = async (keypair: Keypair): Promise<string> =>
  JSON.stringify(
    await issueCredential({
      keypair,
      type: 'SecurityAuditCredential',
      subjectDid: `did:sol:${wallet.address}`,
      suite: 'eddsa-jcs-2022',
      id: 'urn:uuid:0f8fad5b-d9cb-469f-a165-70867728950e',
      now: Date.now() - 60_000,
      validUntil: null,
      contexts: loadContexts(null),
    }),
  )

test(
  'the owner of an agent verifies a credential by its text and by its URL, with six checks in words',
  async ({ page, open, audit }) => {
    await open('/credentials')
    await page.getByRole('heading', { name: 'Sign in as the owner of the agent' }).waitFor()
    await audit()
    await connectWallet(page, wallet)
    await page.getByRole('link', { name: 'Proof Keeper' }).waitFor()
    const main = page.getByRole('main')
    await main.getByRole('button', { name: 'Verify' }).click()
    await main.getByText('Enter the URL of the credential.').waitFor()
    await main.getByLabel('What do you have?').selectOption('text')
    const text = main.getByLabel('Text of the credential')
    expect(await text.getAttribute('aria-invalid')).not.toBe('true')
    await text.fill('{')
    await main.getByRole('button', { name: 'Verify' }).click()
    await main.getByText('The text is not JSON').waitFor()

    const { sampleAuditor } = loadLocalnetKeys(world.gateway.dataDir)
    await text.fill(await issue(sampleAuditor))
    await main.getByRole('button', { name: 'Verify' }).click()
    await main.getByRole('heading', { name: '6 of 6 checks passed' }).waitFor()
    await main.getByText('Valid and trusted').waitFor()
    await audit()

    await text.fill(await issue(Keypair.fromSeed(wallet.seed)))
    expect(await main.getByRole('heading', { name: '6 of 6 checks passed' }).count()).toBe(0)
    await main.getByRole('button', { name: 'Verify' }).click()
    const partly = main.getByRole('region', { name: '5 of 6 checks passed' })
    await partly.getByRole('heading', { name: /^Trust\W+failed/ }).waitFor()
    await partly.getByText('only the operator of this service can add the issuer').waitFor()

    // Anybody can name any issuer. All of its host is shown, within the page.
    const issuer = `did:web:${['a', 'b', 'c'].map((letter) => letter.repeat(60)).join('.')}.example`
    await text.fill(JSON.stringify({ ...(JSON.parse(await issue(sampleAuditor)) as object), issuer }))
    await main.getByRole('button', { name: 'Verify' }).click()
    await main.getByText(issuer, { exact: true }).waitFor()
    await audit()

    await main.getByLabel('What do you have?').selectOption('url')
    await main.getByLabel('URL of the credential').fill('ipfs://bafkreinothing')
    await main.getByRole('button', { name: 'Verify' }).click()
    await main.getByRole('alert').getByText('Credential could not be fetched').waitFor()
    await audit()
    await main.getByLabel('URL of the credential').fill(hostedUrl)
    await main.getByRole('button', { name: 'Verify' }).click()
    const foreign = main.getByRole('region', { name: '5 of 6 checks passed' })
    await foreign.getByRole('heading', { name: /^Subject\W+failed/ }).waitFor()
    await foreign.getByText('It was not attached to your agent.').waitFor()
  },
  { prepare: (context) => wallet.install(context) },
)

test(
  'a wallet without an agent is told what to do',
  async ({ page, open }) => {
    await open('/credentials')
    await connectWallet(page, other)
    await page.getByRole('heading', { name: 'Your wallet has no agent' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Register an agent' }).click()
    await page.getByRole('heading', { level: 1, name: 'Register an agent' }).waitFor()
  },
  { prepare: (context) => other.install(context) },
)
