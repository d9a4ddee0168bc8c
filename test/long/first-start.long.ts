import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createRegistry, signerFromSecretKey } from '@agent-registry/client'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Runtime } from '../../src/compose/runtime-file.ts'
import { createGatewayProcess } from '../support/gateway-process.ts'
import { scaled } from '../support/machine-speed.ts'
import { callJson, readJson } from '../support/http.ts'
import { perFile } from '../support/lifetime.ts'

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

interface IdentifiedAgent {
  pda: string
  cardHashMismatch: boolean
  card: { state: string; reason: string | null; matchedBy: string | null; skills: { id: string }[] }
  credentials: {
    nodes: { type: string; credentialUrl: string; structurallyValid: boolean; proofVerified: boolean }[]
  }
}

const SOON = scaled(60_000)

describe('a first start', () => {
  const gateway = perFile(() => createGatewayProcess())
  let runtime: Runtime
  const get = <Body>(path: string): Promise<Body> => readJson<Body>(`${runtime.baseUrl}${path}`)

  const find = async (name: string): Promise<IdentifiedAgent> => {
    const query = `{ agents(filter: { name: "${name}" includeMismatched: true } first: 1) { nodes {
      pda cardHashMismatch card { state reason matchedBy skills { id } }
      credentials { nodes { type credentialUrl structurallyValid proofVerified } } } } }`
    type Answer = { data: { agents: { nodes: IdentifiedAgent[] } } }
    const { body } = await callJson<Answer>(`${runtime.baseUrl}/graphql`, { query })
    return body.data.agents.nodes[0]!
  }

  beforeAll(async () => {
    runtime = await gateway.start()
  })

  test('has sample agents of every kind, registered by transactions', async () => {
    const { total, agents } = await get<AgentPage>('/agents?limit=200&include_mismatched=true')
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

  test('shows a card that matches, with credentials of a trusted issuer', async () => {
    await vi.waitFor(async () => {
      const { credentials, ...agent } = await find('Kestrel Auditor')
      expect(agent).toMatchObject({
        cardHashMismatch: false,
        card: { state: 'MATCHED', matchedBy: 'RAW', skills: [{ id: 'review-a-ledger' }] },
      })
      expect(credentials.nodes).toHaveLength(2)
      expect(credentials.nodes.every((each) => each.structurallyValid && each.proofVerified)).toBe(true)
    }, SOON)
  })

  test('shows a credential without a trusted proof, a changed card, and a card without a host', async () => {
    await vi.waitFor(async () => {
      expect((await find('Fathom Analytics')).credentials.nodes).toMatchObject([
        { type: 'CapabilityCredential', structurallyValid: true, proofVerified: false },
      ])
      expect(await find('Quarry Data')).toMatchObject({
        cardHashMismatch: true,
        card: { state: 'MISMATCHED' },
      })
      expect((await find('Ember Support')).card).toMatchObject({
        state: 'UNREACHABLE',
        reason: 'agents.example.org is reserved for documentation (RFC 2606)',
      })
    }, SOON)
    expect(await get<AgentPage>('/agents?limit=1')).toMatchObject({ total: 23 })
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
      scaled(2_000),
    )
    expect(await get(`/agents/${pda}/history`)).toMatchObject({
      total: 1,
      history: [{ event_type: 'tier_updated', old_value: 'observer', new_value: 'standard' }],
    })
  })

  test('refuses a second gateway on the same folder, and continues to serve', async () => {
    const second = await gateway.cli('localnet')
    expect(second.code).toBe(1)
    expect(second.stderr).toMatch(/process \d+ already uses \S+: stop it, or set DATA_DIR/)
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
    expect(await get<AgentPage>('/agents?limit=1')).toMatchObject({ total: 24 })
  })

  test('still hosts the documents of the sample agents', async () => {
    const { pda, credentials } = await find('Kestrel Auditor')
    const key = readFileSync(join(gateway.dataDir, 'keys', 'agents', 'agent-11.json'), 'utf8')
    const owner = await signerFromSecretKey(JSON.parse(key) as number[])
    const credentialUrl = credentials.nodes[0]!.credentialUrl
    expect(credentialUrl).toMatch(/^ipfs:\/\/bafkrei[a-z2-7]{52}$/)
    const result = await createRegistry(runtime.baseUrl).credentials.verify(pda, { credentialUrl }, owner)
    expect(result).toMatchObject({ structurallyValid: true, proofVerified: true })
  })
})
