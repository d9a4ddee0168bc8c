import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Runtime } from '../../src/gateway/runtime-file.ts'
import { createGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'

const REGISTER_AGENT = fileURLToPath(new URL('../../examples/register-agent.ts', import.meta.url))

interface AgentPage {
  total: number
  agents: {
    pda: string
    name: string
    tier: string
    status: string
    reputation_score: number
    name_similarity?: number
  }[]
}

describe('a first start', () => {
  let gateway: GatewayProcess
  let runtime: Runtime
  const get = async <Body>(path: string): Promise<Body> =>
    (await (await fetch(`${runtime.baseUrl}${path}`)).json()) as Body

  beforeAll(async () => {
    gateway = await createGatewayProcess()
    runtime = await gateway.start()
  })
  afterAll(() => gateway.remove())

  test('has sample agents of every kind, registered by transactions', async () => {
    const { total, agents } = await get<AgentPage>('/agents?limit=200')
    expect(total).toBe(24)
    expect(new Set(agents.map((each) => each.tier))).toEqual(
      new Set(['observer', 'basic', 'standard', 'premium']),
    )
    expect(agents.filter((each) => each.status === 'suspended')).toHaveLength(3)
    expect(agents.filter((each) => each.status === 'deactivated')).toHaveLength(1)
    expect(new Set(agents.map((each) => each.reputation_score)).size).toBeGreaterThan(10)
  })

  test('finds an agent by a misspelt name', async () => {
    const { agents } = await get<AgentPage>('/agents?name=Kestral%20Auditer')
    expect(agents[0]).toMatchObject({ name: 'Kestrel Auditor' })
    expect(agents[0]?.name_similarity).toBeGreaterThan(0.3)
  })

  test('reports its ledger, its fee payer and the state of the indexer', async () => {
    expect(await get('/info')).toMatchObject({ network: 'localnet' })
    expect(await get('/health/detailed')).toMatchObject({
      status: 'healthy',
      rpc: { connected: true },
      indexer: { phase: 'live', ready: true },
    })
  })

  test('shows the changes of a plain web3.js client within two seconds', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [REGISTER_AGENT, runtime.rpcUrl])
    const pda = stdout.trim()
    await vi.waitFor(
      async () => expect(await get(`/agents/${pda}`)).toMatchObject({ tier: 'standard' }),
      2_000,
    )
    expect(await get(`/agents/${pda}/history`)).toMatchObject({
      total: 1,
      history: [{ event_type: 'tier_updated', old_value: 'observer', new_value: 'standard' }],
    })
  })

  test('refuses a second gateway on the same folder, and continues to serve', async () => {
    const second = await gateway.cli('localnet')
    expect(second.code).toBe(1)
    expect(second.stderr).toMatch(/gateway\.lock is locked by process \d+/)
    expect(await get('/health')).toMatchObject({ status: 'ok' })
  })

  test('an audit finds no difference, and a rebuild gives the same tables', async () => {
    const before = await get('/agents?limit=200&include_mismatched=true')
    expect(await gateway.cli('audit')).toMatchObject({ code: 0 })
    expect(await gateway.cli('rebuild')).toMatchObject({ code: 0 })
    expect(await gateway.cli('audit')).toMatchObject({ code: 0 })
    expect(await get('/agents?limit=200&include_mismatched=true')).toEqual(before)
  })

  test('stops on SIGTERM and starts again without seeding twice', async () => {
    expect(await gateway.stop()).toBe(0)
    runtime = await gateway.start()
    expect(await get<AgentPage>('/agents?limit=1')).toMatchObject({ total: 25 })
  })
})
