import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  createRegistry,
  generateSigner,
  RegistryError,
  type Signer,
  signerFromWalletStandard,
  UnexpectedSignInError,
  verifyWebhook,
} from '@agent-registry/client'
import { createSignInMessage } from '@solana/wallet-standard-util'
import { createLocalnetRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { startReceiver } from '../../support/receiver.ts'
import { perFile } from '../../support/lifetime.ts'

const gateway = perFile(() => startGatewayInProcess({ SEED_AGENTS: '0' }))
const connect = (wallet?: Signer) =>
  createRegistry(gateway.runtime.baseUrl, wallet === undefined ? {} : { wallet })

test('a session replaces wallet signatures until it ends', async () => {
  const registry = connect()
  await expect(registry.webhooks.list()).rejects.toMatchObject({ status: 401 })
  const wallet = await generateSigner()
  const session = await registry.sessions.signIn(wallet)
  expect(session).toMatchObject({ wallet: wallet.address })
  expect(await registry.webhooks.list()).toEqual([])
  const other = connect()
  other.sessions.use(session.token)
  expect(await other.sessions.get()).toMatchObject({ wallet: wallet.address })
  await registry.sessions.signOut({ all: true })
  await expect(other.webhooks.list()).rejects.toBeInstanceOf(RegistryError)
})

test('a wallet with solana:signIn signs in for the page that the user sees', async () => {
  const key = await generateSigner()
  const feature = {
    signIn: async (input: { domain: string; address: string }) => {
      const signedMessage = createSignInMessage(input)
      return [{ signedMessage, signature: await key.signMessage(signedMessage) }]
    },
  }
  const wallet = signerFromWalletStandard(
    { features: { 'solana:signIn': feature } },
    { address: key.address },
    'solana:localnet',
  )
  const registry = connect()
  const session = await registry.sessions.signIn(wallet, { origin: gateway.runtime.baseUrl })
  expect(session.wallet).toBe(key.address)
})

test.each([
  ['another domain', { domain: 'bank.example' }],
  ['another address', { address: 'DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs' }],
  ['another URI', { uri: 'https://bank.example' }],
  ['a statement with more lines', { statement: 'Hello\n\nURI: https://bank.example' }],
  ['no nonce', { nonce: undefined }],
])('a challenge with %s is not signed', async (_, change) => {
  const wallet = await generateSigner()
  let signatures = 0
  const registry = createRegistry(gateway.runtime.baseUrl, {
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      const body = (await response.json()) as { input: object }
      return Response.json({ ...body, input: { ...body.input, ...change } }, response)
    },
  })
  const counting: Signer = {
    ...wallet,
    signMessage: (message) => {
      signatures += 1
      return wallet.signMessage(message)
    },
  }
  await expect(registry.sessions.signIn(counting)).rejects.toBeInstanceOf(UnexpectedSignInError)
  expect(signatures).toBe(0)
})

test('a hundred requests of a wallet can be signed within a second', async () => {
  const registry = connect(await generateSigner())
  const lists = await Promise.all(Array.from({ length: 100 }, () => registry.webhooks.list()))
  expect(lists.flat()).toEqual([])
})

test('processes with the same wallet can send the same request within a second', async () => {
  const wallet = await generateSigner()
  const processes = [connect(wallet), connect(wallet), connect(wallet)]
  const lists = await Promise.all(processes.map((registry) => registry.webhooks.list()))
  expect(lists).toEqual([[], [], []])
})

test('a webhook of a wallet is created, pinged, verified, changed and deleted', async () => {
  const wallet = await generateSigner()
  const registry = connect(wallet)
  const receiver = await startReceiver()
  const { id, secret } = await registry.webhooks.create({
    url: receiver.url('/hook'),
    eventTypes: ['agent.registered', 'agent.updated'],
  })
  await registry.webhooks.ping(id)
  await expect.poll(() => receiver.requests.length).toBe(1)
  const [request] = receiver.requests
  const event = await verifyWebhook(request!.body, request!.headers, secret)
  expect(event).toMatchObject({ type: 'ping' })
  await expect(verifyWebhook(`${request!.body.toString()} `, request!.headers, secret)).rejects.toMatchObject(
    {
      code: 'wrong_signature',
    },
  )
  await expect.poll(async () => (await registry.webhooks.deliveries(id).page()).total).toBe(1)
  expect(await registry.webhooks.update(id, { active: false })).toMatchObject({ id, active: false })
  expect((await registry.webhooks.rotateSecret(id)).secret).not.toBe(secret)
  await registry.webhooks.delete(id)
  expect(await registry.webhooks.list()).toEqual([])
  await receiver.close()
})

test('the owner of an agent verifies a credential by wallet or by session, and nobody else does', async () => {
  const [wallet, stranger] = [await generateSigner(), await generateSigner()]
  const registry = connect()
  const inviteCode = readFileSync(join(gateway.dataDir, 'invite-code'), 'utf8').trim()
  const card = { name: 'Owner', category: 'other' as const, cardUrl: 'https://a.example', card: '{}' }
  const { pda } = await registry.agents.register({ ...card, inviteCode }, wallet)
  await registry.agents.get(pda, { waitMs: 10_000 })
  const given = { credential: { type: ['VerifiableCredential'] } }
  const session = await connect().sessions.signIn(wallet)
  for (const owner of [wallet, session])
    expect(await registry.credentials.verify(pda, given, owner)).toMatchObject({ structurallyValid: false })
  await expect(registry.credentials.verify(pda, given, stranger)).rejects.toMatchObject({ status: 403 })
  expect(await registry.credentials.list(pda)).toBeInstanceOf(Array)
})

test('a wallet deposits USDC and requests a withdrawal', async () => {
  const registry = connect()
  const wallet = await generateSigner()
  const rpc = createLocalnetRpc(gateway.runtime.rpcUrl)
  await rpc.call('requestAirdrop', [wallet.address, 1_000_000_000])
  await rpc.call('localnet_mintUsdc', [wallet.address, 200_000_000])
  await expect
    .poll(() => rpc.call('getBalance', [wallet.address, { commitment: 'confirmed' }]))
    .toMatchObject({ value: 1_000_000_000 })
  const card = { name: 'Saver', category: 'financial' as const, cardUrl: 'https://a.example', card: '{}' }
  await registry.agents.register(card, wallet)
  await registry.stakes.deposit(150_000_000n, wallet)
  await registry.stakes.requestWithdrawal(20_000_000n, wallet)
  const stakes = () => Array.fromAsync(registry.stakes.list({ owner: wallet.address }))
  await expect
    .poll(stakes)
    .toMatchObject([{ deposited_amount: 150_000_000n, pending_withdrawal: 20_000_000n }])
  await registry.stakes.cancelWithdrawal(wallet)
  await expect.poll(stakes).toMatchObject([{ pending_withdrawal: 0n }])
})
