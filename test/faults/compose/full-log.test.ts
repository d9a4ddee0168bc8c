import { Connection, Keypair, PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js'
import { expect, test } from 'vitest'
import { MAX_TRANSACTION_VERSION, associatedTokenAccount } from '@agent-registry/solana'
import { registryInstruction } from '@agent-registry/program'
import { createLocalnetRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { loadLocalnetKeys } from '../../../src/platform/keys.ts'
import { eventually } from '../../support/eventually.ts'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { addresses, keyOf, programId, registrationArgs } from '../../support/ledger/registry-world.ts'
import { startReceiver } from '../../support/receiver.ts'
import { perFile } from '../../support/lifetime.ts'
import { openSse } from '../../support/subscriptions.ts'
import { walletOf } from '../../support/wallet.ts'
import { callJson, readJson } from '../../support/http.ts'

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
const memo = new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from('a') })

const gateway = perFile(() => startGatewayInProcess({ SEED_AGENTS: '0' }))
const receiver = perFile(() => startReceiver())
const connection = perFile(() => new Connection(gateway.runtime.rpcUrl, 'confirmed'))

const confirm = (signature: string) => connection.confirmTransaction(signature, 'confirmed')

test('after 50 memos that fill the log, a withdrawal has history, a webhook delivery and a live event', async () => {
  const keypair = Keypair.generate()
  const owner = keyOf(keypair)
  const agent = addresses.agent(owner)
  const usdcMint = keyOf(loadLocalnetKeys(gateway.dataDir).usdcMint)
  await confirm(await connection.requestAirdrop(keypair.publicKey, 1e9))
  await confirm(
    await createLocalnetRpc(gateway.runtime.rpcUrl).call<string>('localnet_mintUsdc', [owner, 600_000_000]),
  )
  const build = (name: string, args: Record<string, unknown>) => {
    const ownerToken = associatedTokenAccount(owner, usdcMint)
    return registryInstruction(programId, name, { payer: owner, owner, agent, usdcMint, ownerToken }, args)
  }
  const send = async (...instructions: TransactionInstruction[]): Promise<string> => {
    const signature = await connection.sendTransaction(new Transaction().add(...instructions), [keypair])
    await confirm(signature)
    return signature
  }
  const amount = 600_000_000n
  await send(build('register_agent', registrationArgs('Quiet')), build('deposit', { amount }))

  const changes = `${gateway.runtime.baseUrl}/agents/${agent}/history?event_type=tier_updated`
  const tierChanges = async () => (await readJson<{ history: object[] }>(changes)).history
  await eventually(async () => expect((await tierChanges())[0]).toMatchObject({ new_value: 'standard' }))

  const path = '/webhooks'
  const created = await callJson(
    gateway.runtime.baseUrl + path,
    { url: receiver.url(), eventTypes: ['stake.withdrawal_requested'] },
    walletOf('a').headers('POST', path, Date.now()),
  )
  expect(created.status).toBe(201)
  const query =
    'subscription ($agentPda: Pubkey) { registryEvents(filter: { agentPda: $agentPda }) { type } }'
  const stream = await openSse(gateway.runtime.baseUrl, query, { agentPda: agent })

  const memos = Array.from({ length: 50 }, () => memo)
  const signature = await send(...memos, build('request_withdrawal', { amount }))
  const { meta } = (await connection.getTransaction(signature, {
    maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
  }))!
  expect(meta?.logMessages).toContain('Log truncated')

  const parts = [await stream.next(), await stream.next()]
  stream.cut()
  expect(parts.map((part) => part?.data?.registryEvents)).toEqual([
    { type: 'STAKE_WITHDRAWAL_REQUESTED' },
    { type: 'AGENT_TIER_UPDATED' },
  ])
  const [delivery] = await receiver.received(1)
  expect(JSON.parse(String(delivery?.body))).toMatchObject({ type: 'stake.withdrawal_requested', pda: agent })
  await eventually(async () => expect((await tierChanges())[0]).toMatchObject({ new_value: 'observer' }))
})
