import { createRegistry, type Registry, type Signer, signerFromSecretKey } from '@agent-registry/client'
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { loadLocalnetKeys } from '../../../../src/platform/keys.ts'
import type { ConsoleWorld, Steps } from './console-world.ts'
import { type BrowserWallet, browserWallet, connectWallet } from './wallet.ts'
import { callJson } from '../../../support/http.ts'

/** The data of a GraphQL operation. Null if it failed. */
export async function graphql<Data>(
  { origin }: ConsoleWorld,
  query: string,
  variables: object = {},
): Promise<Data> {
  return (await callJson<{ data: Data }>(`${origin}/graphql`, { query, variables })).body.data
}

export async function addressOf(world: ConsoleWorld, name: string): Promise<string> {
  const { agents } = await graphql<{ agents: { nodes: { pda: string; name: string }[] } }>(
    world,
    'query ($name: String!) { agents(filter: { name: $name, includeMismatched: true }) { nodes { pda name } } }',
    { name },
  )
  const found = agents.nodes.find((agent) => agent.name === name)
  if (found === undefined) throw new Error(`no agent has the name ${name}`)
  return found.pda
}

export interface OwnedAgent {
  readonly pda: string
  readonly owner: Signer
  readonly registry: Registry
}

/** Registers an agent by a transaction of its owner. */
export async function registerAgent(world: ConsoleWorld, name: string): Promise<OwnedAgent> {
  const owner = await signerFromSecretKey(createHash('sha256').update(`owner of ${name}`).digest())
  await world.airdrop(owner.address)
  const registry = createRegistry(world.origin)
  const card = { cardUrl: 'https://agents.example.org/card.json', card: '{}' }
  const { pda } = await registry.agents.register({ name, category: 'research', ...card }, owner)
  await registry.agents.get(pda, { waitMs: 10_000 })
  return { pda, owner, registry }
}

/** The wallet of a sample agent, from 0. */
export function sampleOwner({ gateway }: ConsoleWorld, index: number): Promise<Signer> {
  return signerFromSecretKey(loadLocalnetKeys(gateway.dataDir).sampleAgent(index).secretKey)
}

/** Opens the page of an agent whose owner is connected and has SOL and USDC. */
export async function openOwnAgent(
  world: ConsoleWorld,
  { page, context, open, variant }: Steps,
  label: string,
): Promise<BrowserWallet> {
  const wallet = browserWallet(`${label} ${variant.name}`)
  const registry = createRegistry(world.origin)
  const signer = await signerFromSecretKey(wallet.seed)
  await graphql(world, `mutation { fundLocalnetWallet(wallet: "${wallet.address}") { lamports } }`)
  const { pda } = await registry.agents.register(
    { name: 'Harbour Pilot', category: 'logistics', cardUrl: 'https://agents.example/card.json', card: '{}' },
    signer,
  )
  await registry.agents.get(pda, { waitMs: 10_000 })
  await wallet.install(context)
  await open('/mine')
  await connectWallet(page, wallet, false)
  return wallet
}

/** Stores a webhook without the page, connects its wallet, and opens the page of the webhook. */
export async function openWebhook(
  { origin }: ConsoleWorld,
  url: string,
  wallet: BrowserWallet,
  { page, open }: Pick<Steps, 'page' | 'open'>,
): Promise<string> {
  const signer = await signerFromSecretKey(wallet.seed)
  const eventTypes = ['agent.registered' as const]
  const { id } = await createRegistry(origin).webhooks.create({ url, eventTypes }, { wallet: signer })
  await open(`/webhooks/${id}`)
  await connectWallet(page, wallet)
  await page.getByRole('button', { name: 'Send test event' }).waitFor()
  await expect.poll(() => page.title()).toMatch(/^\S+\/events · /)
  return id
}
