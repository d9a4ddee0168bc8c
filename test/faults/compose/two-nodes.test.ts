import { afterEach, expect, test } from 'vitest'
import type { Runtime } from '../../../src/compose/runtime-file.ts'
import {
  type AgentWallet,
  createRegistryWorld,
  type RegistryWorld,
} from '../../support/ledger/registry-world.ts'
import { type Prepared, type RecordBody, signed, toJson } from '../../support/transactions/relay-world.ts'
import { createProxiedNode, type ProxiedNode } from '../../support/fault-injecting-proxy.ts'
import { createGatewayProcess, type GatewayProcess } from '../../support/gateway-process.ts'
import { perTest } from '../../support/lifetime.ts'
import { scaled } from '../../support/machine-speed.ts'
import { callJson, type JsonResponse } from '../../support/http.ts'

const world = perTest(() => createRegistryWorld({ slotMs: 100 }))
let nodes: ProxiedNode[] = []
let gateway: GatewayProcess
let runtime: Runtime

afterEach(async () => {
  await gateway.remove()
  for (const node of nodes) await node.close()
  nodes = []
})

async function nodeOf({ localnet }: RegistryWorld): Promise<ProxiedNode> {
  const node = await createProxiedNode(localnet)
  nodes.push(node)
  return node
}

async function createGateway(): Promise<void> {
  gateway = await createGatewayProcess({
    ...world.env,
    SOLANA_RPC_URL: nodes.map(({ http }) => http.url).join(','),
    SOLANA_WS_URL: nodes.map(({ socket }) => socket.url).join(','),
    RATE_LIMITS: 'false',
  })
  runtime = await gateway.start()
}

const ask = <Body>(path: string, body?: object): Promise<JsonResponse<Body>> =>
  callJson<Body>(`${runtime.baseUrl}${path}`, body)

async function rename(wallet: AgentWallet, name: string): Promise<RecordBody> {
  const prepared = await ask<Prepared>('/relay/prepare', {
    instructions: [toJson(wallet.instruction('update_agent', {}, { name }))],
    signerPubkeys: [wallet.owner],
  })
  expect(prepared).toMatchObject({ status: 200 })
  const { id } = prepared.body
  const signedTx = signed(prepared.body, wallet.keypair)
  let { status, body: record } = await ask<RecordBody>('/relay/submit', { id, signedTx })
  expect(status).toBe(200)
  while (record.status === 'submitted') {
    const answer = await ask<RecordBody>(`/relay/status/${id}`)
    expect(answer.status).toBe(200)
    record = answer.body
  }
  return record
}

const nodeStates = async (): Promise<string[]> => {
  const text = await (await fetch(`${runtime.baseUrl}/metrics`)).text()
  return [...text.matchAll(/^gateway_ledger_node\{node="\d",state="(\w+)"\} 1$/gm)].map(
    ([, state]) => state ?? '',
  )
}
const audited = async (): Promise<unknown> => {
  const { code, stdout } = await gateway.cli('audit', '--json')
  const { differences, unreadable } = JSON.parse(stdout) as Record<string, unknown>
  return { code, differences, unreadable }
}
const CLEAN = { code: 0, differences: [], unreadable: [] }

test('reads and transactions continue while the first node is down under load, and nothing is lost or duplicated', async () => {
  const [first] = [await nodeOf(world), await nodeOf(world)]
  const wallets = await Promise.all(['Ada', 'Ben', 'Cleo'].map((name) => world.wallet(name)))
  await createGateway()
  await expect.poll(async () => (await ask('/agents')).body).toMatchObject({ total: 3 })
  const renamed = new Map<AgentWallet, number>(wallets.map((wallet) => [wallet, 0]))
  const stop = new AbortController()
  let reads = 0
  const writing = wallets.map(async (wallet) => {
    while (!stop.signal.aborted) {
      const count = (renamed.get(wallet) ?? 0) + 1
      expect(await rename(wallet, `Name ${count}`)).toMatchObject({ status: 'confirmed', error: null })
      renamed.set(wallet, count)
    }
  })
  const reading = (async () => {
    while (!stop.signal.aborted) {
      expect(await ask('/agents?limit=3')).toMatchObject({ status: 200, body: { total: 3 } })
      reads += 1
    }
  })()
  const done = Promise.all([...writing, reading])
  const each = (more: number): Promise<unknown> => {
    const wanted = new Map(wallets.map((wallet) => [wallet, (renamed.get(wallet) ?? 0) + more]))
    const behind = () => wallets.filter((wallet) => (renamed.get(wallet) ?? 0) < (wanted.get(wallet) ?? 0))
    const written = async () => expect.poll(() => behind().length).toBe(0)
    return Promise.race([done, written()])
  }
  try {
    await each(2)
    expect(await nodeStates()).toEqual(['healthy', 'healthy'])
    await first.cut()
    await each(3)
    // A pause ends before the next attempt, so a single look could miss it.
    await expect.poll(nodeStates).toContain('paused')
    const before = first.http.connections
    await first.restore()
    // Each failure doubles the pause of a node, up to a minute.
    await expect.poll(nodeStates, { timeout: scaled(65_000) }).toEqual(['healthy', 'healthy'])
    await each(2)
    expect(first.http.connections).toBeGreaterThan(before)
  } finally {
    stop.abort()
  }
  await done
  expect(reads).toBeGreaterThan(0)
  for (const wallet of wallets) {
    const count = renamed.get(wallet) ?? 0
    await expect
      .poll(async () => (await ask<{ name: string }>(`/agents/${wallet.agent}`)).body.name)
      .toBe(`Name ${count}`)
    const { body } = await ask<{ total: number }>(`/agents/${wallet.agent}/history?limit=200`)
    expect(body.total).toBe(count)
  }
  expect(await audited()).toEqual(CLEAN)
})

test('a second node of another ledger is reported at once, and is never used', async () => {
  const other = await createRegistryWorld({ slotMs: 100 })
  try {
    const [first, second] = [await nodeOf(world), await nodeOf(other)]
    const [wallet] = [await world.wallet('Ours'), await other.wallet('Stranger')]
    await createGateway()
    await expect.poll(nodeStates).toEqual(['healthy', 'refused'])
    expect(gateway.output()).toContain('this ledger node is on another ledger')
    await expect.poll(async () => (await ask('/agents')).body).toMatchObject({ total: 1 })

    await first.cut()
    const instructions = [toJson(wallet.instruction('update_agent', {}, { name: 'Astray' }))]
    const refused = await ask('/relay/prepare', { instructions, signerPubkeys: [wallet.owner] })
    expect(refused).toMatchObject({
      status: 503,
      body: { error: 'The ledger RPC node is not available' },
    })
    await other.wallet('Second stranger')
    expect(await ask('/agents')).toMatchObject({ status: 200, body: { total: 1 } })

    // The database decides the ledger, even if the first node to respond is on another one.
    await gateway.stop()
    runtime = await gateway.start()
    expect((await ask('/agents')).body).toMatchObject({ total: 1, agents: [{ name: 'Ours' }] })
    expect(await nodeStates()).toContain('refused')
    await first.restore()
    await expect.poll(async () => (await rename(wallet, 'Back')).status).toBe('confirmed')
    expect(second.socket.connections).toBe(0)
    expect(await audited()).toEqual(CLEAN)
  } finally {
    await other.close()
  }
})
