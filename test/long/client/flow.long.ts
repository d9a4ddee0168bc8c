import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateKeyPairSigner } from '@solana/kit'
import { Keypair } from '@solana/web3.js'
import { expect, test } from 'vitest'
import {
  agentAddress,
  createRegistry,
  generateSigner,
  RegistryError,
  type Signer,
  TransactionFailedError,
} from '@agent-registry/client'
import { signerFromKit } from '@agent-registry/client/kit'
import { signerFromKeypair, signerFromWalletAdapter } from '@agent-registry/client/web3js'
import { createLocalnetRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { perFile } from '../../support/lifetime.ts'
import { callJson } from '../../support/http.ts'

const gateway = perFile(() => startGatewayInProcess({ SEED_AGENTS: '3' }))
const registry = perFile(() => createRegistry(gateway.runtime.baseUrl))

const rpc = () => createLocalnetRpc(gateway.runtime.rpcUrl)
async function fund(address: string): Promise<void> {
  await rpc().call('requestAirdrop', [address, 1_000_000_000])
  const balance = async () =>
    (await rpc().call<{ value: number }>('getBalance', [address, { commitment: 'confirmed' }])).value
  await expect.poll(balance).toBeGreaterThan(0)
}

const registration = (name: string) => ({
  name,
  category: 'research' as const,
  cardUrl: 'https://agents.example.org/card.json',
  card: '{"name":"Weather Scout"}',
})

async function registerWith(signer: Signer): Promise<string> {
  await fund(signer.address)
  const { pda, transaction } = await registry.agents.register(registration('Weather Scout'), signer)
  expect(transaction).toMatchObject({ status: 'confirmed', error: null })
  expect(await registry.agents.get(pda, { waitMs: 10_000 })).toMatchObject({
    pda,
    owner: signer.address,
    capabilities: 0n,
  })
  return pda
}

test('a new wallet registers an agent, changes it and reads it', async () => {
  const signer = await generateSigner()
  const pda = await registerWith(signer)
  await registry.agents.update({ capabilities: 63n, version: '2.0.0' }, signer)
  await expect.poll(() => registry.agents.get(pda)).toMatchObject({ capabilities: 63n, version: '2.0.0' })
  const history = await registry.agents.history(pda).page()
  expect(history.history.map((each) => each.event_type)).toContain('metadata_updated')
  await registry.agents.suspend(signer)
  await registry.agents.reactivate(signer)
  await expect.poll(() => registry.agents.ofOwner(signer.address)).toMatchObject({ pda, status: 'active' })
})

test('signers of kit, web3.js and wallet adapters register agents', async () => {
  const keypair = Keypair.generate()
  const adapter = {
    publicKey: keypair.publicKey,
    signTransaction: async <Tx extends { sign(signers: Keypair[]): void }>(transaction: Tx): Promise<Tx> => {
      transaction.sign([keypair])
      return transaction
    },
  }
  await Promise.all([
    generateKeyPairSigner().then((signer) => registerWith(signerFromKit(signer))),
    signerFromKeypair(Keypair.generate()).then(registerWith),
    registerWith(signerFromWalletAdapter(adapter)),
  ])
})

test('with an invite code, a wallet without SOL registers an agent', async () => {
  const inviteCode = readFileSync(join(gateway.dataDir, 'invite-code'), 'utf8').trim()
  const signer = await generateSigner()
  const { pda, transaction } = await registry.agents.register(
    { ...registration('Guest'), inviteCode },
    signer,
  )
  expect(transaction).toMatchObject({ status: 'confirmed', sponsored: true })
  // The gateway sponsors other transactions of this agent, too.
  await registry.agents.get(pda, { waitMs: 10_000 })
  const update = await registry.agents.update({ version: '2' }, signer, { sponsored: true })
  expect(update).toMatchObject({ status: 'confirmed', sponsored: true })
})

test('a list is read page by page', async () => {
  const names: string[] = []
  for await (const { name } of registry.agents.list({ limit: 2, include_mismatched: true })) names.push(name)
  const { total, agents } = await registry.agents.list({ limit: 2, include_mismatched: true }).page(2)
  expect(new Set(names).size).toBeGreaterThanOrEqual(3)
  expect(names.length).toBe(total)
  expect(agents.map(({ name }) => name)).toEqual(names.slice(2, 4))
  const stakes = await Array.fromAsync(registry.stakes.list())
  expect(stakes.every(({ deposited_amount }) => typeof deposited_amount === 'bigint')).toBe(true)
})

test('errors have the status, the code, the parameter and the request id', async () => {
  const error = await registry.agents
    .list({ tier: 'gold' as 'basic' })
    .page()
    .catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(RegistryError)
  expect(error).toMatchObject({ status: 400, code: 'INVALID_ENUM', parameter: 'tier' })
  expect((error as RegistryError).requestId).toMatch(/./)
})

test('a refused simulation has the error of the program and its logs', async () => {
  const signer = await generateSigner()
  await fund(signer.address)
  const error = await registry.agents
    .update({ version: '1' }, signer)
    .catch((caught: unknown) => caught as RegistryError)
  expect(error).toMatchObject({ status: 422, programError: { name: 'InvalidAccountOwner' } })
  expect((error as RegistryError).logs.join('\n')).toContain('AnchorError')
})

test('a transaction that fails on the ledger rejects with its code', async () => {
  const record = { id: 'a', signature: 's', slot: null, status: 'failed' as const }
  const failed = { ...record, error: { code: 'blockhash_expired' as const, message: 'expired' } }
  const app = createRegistry(gateway.runtime.baseUrl, {
    fetch: async () => Response.json(failed),
  })
  const error = await app.transactions.resume('a').catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(TransactionFailedError)
  expect(error).toMatchObject({ id: 'a', code: 'blockhash_expired' })
})

test('live events continue after a cut connection, without gaps and repetitions', async () => {
  const ended = new AbortController()
  const cuts: AbortController[] = []
  let connections = 0
  const cutting: typeof fetch = (input, init) => {
    if (new Headers(init?.headers).get('accept') !== 'text/event-stream') return fetch(input, init)
    connections += 1
    const cut = new AbortController()
    cuts.push(cut)
    return fetch(input, { ...init, signal: AbortSignal.any([init!.signal!, cut.signal]) })
  }
  const live = createRegistry(gateway.runtime.baseUrl, { fetch: cutting })
  const types = ['agent.registered', 'agent.updated'] as const
  const first = await generateSigner()
  const agent = await agentAddress(first.address)
  const events = live.events({ types, agent, signal: ended.signal })
  const started = events.next()
  await expect.poll(() => connections).toBe(1)
  // Before the first event.
  cuts.at(-1)!.abort()
  const pda = await registerWith(first)
  expect((await started).value).toMatchObject({ type: 'agent.registered', agentPda: pda })
  cuts.at(-1)!.abort()
  await registry.agents.update({ version: '2' }, first)
  await registry.agents.update({ version: '3' }, first)
  const later = [(await events.next()).value, (await events.next()).value]
  expect(later.map((each) => [each?.type, each?.agentPda])).toEqual([
    ['agent.updated', pda],
    ['agent.updated', pda],
  ])
  expect(connections).toBe(3)
  ended.abort()
  expect((await events.next()).done).toBe(true)
})

interface LatestEvent {
  data: { registryEvents: { nodes: { id: string }[] } }
}

test('live events of names with separators of lines and digits arrive unchanged', async () => {
  const name = 'A\u2028B\u2029\u202E 9999999999999999'
  const ended = new AbortController()
  const signer = await generateSigner()
  await fund(signer.address)
  const agent = await agentAddress(signer.address)
  const query = '{ registryEvents(first: 1) { nodes { id } } }'
  const { body } = await callJson<LatestEvent>(`${gateway.runtime.baseUrl}/graphql`, { query })
  const after = body.data.registryEvents.nodes[0]!.id
  const events = registry.events({ agent, after, signal: ended.signal })
  await registry.agents.register(registration(name), signer)
  expect((await events.next()).value).toMatchObject({ type: 'agent.registered', data: { name } })
  ended.abort()
})

test('an event id that the gateway does not know ends the stream with EVENT_UNKNOWN', async () => {
  const events = registry.events({ after: 'evt_unknown' })
  await expect(events.next()).rejects.toMatchObject({ code: 'EVENT_UNKNOWN', status: 400 })
})
