import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRegistryWorld } from '../../support/ledger/registry-world.ts'
import { kyselyOf } from '../../support/ledger/tables.ts'
import { toJson } from '../../support/transactions/relay-world.ts'
import { createFaultInjectingProxy, type FaultInjectingProxy } from '../../support/fault-injecting-proxy.ts'
import { createIncidentWorld, type IncidentWorld, type Replica } from '../support/incident-world.ts'
import { scaled } from '../../support/machine-speed.ts'
import { perFile } from '../../support/lifetime.ts'
import { callJson, readJson } from '../../support/http.ts'

const SOON = { timeout: scaled(60_000), interval: 100 }

const incident = perFile(() => createIncidentWorld())
let nodes: FaultInjectingProxy[]
let sockets: FaultInjectingProxy
let api: Replica
let indexer: Replica
let ada: Awaited<ReturnType<IncidentWorld['world']['wallet']>>

beforeAll(async () => {
  const { world } = incident
  ada = await world.wallet('Ada')
  // Two proxies of one ledger act as two nodes of a cluster.
  nodes = [
    await createFaultInjectingProxy(world.localnet.rpcUrl),
    await createFaultInjectingProxy(world.localnet.rpcUrl),
  ]
  sockets = await createFaultInjectingProxy(world.localnet.wsUrl)
  const settings = { SOLANA_RPC_URL: nodes.map(({ url }) => url).join(','), SOLANA_WS_URL: sockets.url }
  indexer = await incident.start({ ...settings, ROLES: 'indexer' })
  api = await incident.start({ ...settings, ROLES: 'api' })
})
afterAll(async () => {
  for (const each of [...nodes, sockets]) await each.cut()
})

const statusOf = async (path: string): Promise<number> => (await fetch(`${api.url}${path}`)).status
const reputation = async (): Promise<unknown> =>
  (await readJson<{ reputation_score: number }>(`${api.url}/agents/${ada.agent}`)).reputation_score
const report = (delta: number): Promise<void> => incident.world.report(ada.agent, delta)
async function post(path: string, body: object): Promise<number> {
  return (await callJson(`${api.url}${path}`, body)).status
}
function prepare(): Promise<number> {
  const instruction = ada.instruction('update_agent', {}, { version: '2.0.0' })
  return post('/relay/prepare', { instructions: [toJson(instruction)], signerPubkeys: [ada.owner] })
}

test('when a node is down the next one is used; when all are down reads continue and the alerts fire', async () => {
  await expect.poll(() => statusOf('/ready'), SOON).toBe(200)
  await nodes[0]?.cut()
  await report(1)
  await expect.poll(reputation, SOON).toBe(251)
  expect(await prepare()).toBe(200)
  expect(await indexer.metric('gateway_indexer_failing')).toBe(0)

  await nodes[1]?.cut()
  await sockets.cut()
  await expect.poll(() => indexer.metric('gateway_indexer_failing'), SOON).toBe(1)
  await expect.poll(() => indexer.metric('gateway_indexer_lag_seconds'), SOON).toBeGreaterThan(2)
  expect(await indexer.metric('gateway_indexer_phase{phase="live"}')).toBe(1)
  expect([await statusOf('/ready'), await statusOf('/agents')]).toEqual([200, 200])
  const estimate = await post('/relay/estimate-fees', { accountKeys: [ada.agent] })
  expect([await prepare(), estimate]).toEqual([503, 503])

  await report(1)
  for (const each of [...nodes, sockets]) await each.restore()
  await expect.poll(reputation, SOON).toBe(252)
  await expect.poll(() => indexer.metric('gateway_indexer_failing'), SOON).toBe(0)
  await expect.poll(prepare, SOON).toBe(200)
  await expect.poll(() => statusOf('/ready'), SOON).toBe(200)
})

test('when a node announces nothing the indexer polls, and IndexerPollsOnly fires', async () => {
  await sockets.cut()
  await expect.poll(() => indexer.metric('gateway_indexer_subscribed'), SOON).toBe(0)
  await report(1)
  await expect.poll(reputation, SOON).toBe(253)
  await sockets.restore()
  await expect.poll(() => indexer.metric('gateway_indexer_subscribed'), SOON).toBe(1)
})

test('audit reports a difference with exit code 1, and rebuild repairs it', async () => {
  const kysely = kyselyOf(incident.orm)
  // Stopped, because it could correct the row before the audit.
  await indexer.stop()
  await sql`update agents set reputation_score = 999 where pda = ${ada.agent}`.execute(kysely)
  expect(await api.cli('audit')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`agents ${ada.agent} reputation_score: ledger 253, database 999`),
  })
  await indexer.restart()
  expect(await api.cli('rebuild')).toMatchObject({ code: 0 })
  expect(await api.cli('audit')).toMatchObject({ code: 0 })
  expect(await reputation()).toBe(253)
})

test('without an indexer no process reports the phase live, and a database of another ledger stops the process', async () => {
  await indexer.kill()
  expect(await api.metric('gateway_indexer_phase{phase="live"}')).toBeUndefined()
  const other = await createRegistryWorld()
  const { rpcUrl, wsUrl } = other.localnet
  const started = indexer.restart({ SOLANA_RPC_URL: rpcUrl, SOLANA_WS_URL: wsUrl })
  // It can be ready for a moment before it has read the ledger.
  await started.catch(() => undefined)
  expect(await indexer.ended()).toBe(1)
  expect(indexer.output()).toContain('This database was filled from program')
  await other.close()
})
