import { Connection, Keypair, PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_TRANSACTION_VERSION, associatedTokenAccount } from '@agent-registry/solana'
import { registryInstruction } from '@agent-registry/program'
import { loadLocalnetKeys } from '../../../src/platform/keys.ts'
import { eventually } from '../../support/eventually.ts'
import { type GatewayInProcess, startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { addresses, keyOf, programId, registrationArgs } from '../../support/ledger/registry-world.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { openSse } from '../../support/subscriptions.ts'
import { walletOf } from '../../support/wallet.ts'

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
const memo = new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from('a') })

let gateway: GatewayInProcess
let receiver: Receiver
let connection: Connection
beforeAll(async () => {
  ;[gateway, receiver] = await Promise.all([startGatewayInProcess({ SEED_AGENTS: '0' }), startReceiver()])
  connection = new Connection(gateway.runtime.rpcUrl, 'confirmed')
})
afterAll(async () => {
  await gateway.remove()
  await receiver.close()
})

const rpc = async (method: string, params: unknown[]): Promise<string> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json', 'x-localnet-control': '1' }
  const response = await fetch(gateway.runtime.rpcUrl, { method: 'POST', headers, body })
  return ((await response.json()) as { result: string }).result
}
const confirm = (signature: string) => connection.confirmTransaction(signature, 'confirmed')

test('after 50 memos that fill the log, a withdrawal has history, a webhook delivery and a live event', async () => {
  const keypair = Keypair.generate()
  const owner = keyOf(keypair)
  const agent = addresses.agent(owner)
  const usdcMint = keyOf(loadLocalnetKeys(gateway.dataDir).usdcMint)
  await confirm(await connection.requestAirdrop(keypair.publicKey, 1e9))
  await confirm(await rpc('localnet_mintUsdc', [owner, 600_000_000]))
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

  const tierChanges = async () => {
    const response = await fetch(`${gateway.runtime.baseUrl}/agents/${agent}/history?event_type=tier_updated`)
    return ((await response.json()) as { history: object[] }).history
  }
  await eventually(async () => expect((await tierChanges())[0]).toMatchObject({ new_value: 'standard' }))

  const path = '/webhooks'
  const headers = { 'content-type': 'application/json' }
  const created = await fetch(gateway.runtime.baseUrl + path, {
    method: 'POST',
    headers: { ...headers, ...walletOf('a').headers('POST', path, Date.now()) },
    body: JSON.stringify({ url: receiver.url(), eventTypes: ['stake.withdrawal_requested'] }),
  })
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
