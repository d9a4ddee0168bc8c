import { beforeAll, describe, expect, test } from 'vitest'
import { createAppOfTest, useTestApp } from '../../support/app.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'
import { refused, responseOf } from '../../support/refusal.ts'

const t = useTestApp()
beforeAll(async () => {
  await insertAgents(t.kysely, [
    agentRow('Weather Scout', {
      tier: 'premium',
      reputation_score: 900,
      capabilities: '18446744073709551615',
      created_at: '2026-11-01T00:00:00.001Z',
      version: '',
    }),
    agentRow('Weather Warden', {
      tier: 'basic',
      status: 'suspended',
      reputation_score: 500,
      created_at: '2026-11-02T00:00:00Z',
    }),
    agentRow('Trader', {
      status: 'deactivated',
      service_category: 'commerce',
      reputation_score: 100,
      created_at: '2026-11-03T00:00:00Z',
    }),
    agentRow('Älterer Агент', { reputation_score: 0, created_at: '2026-11-04T00:00:00Z' }),
    agentRow('Impostor', {
      card_hash_mismatch: true,
      reputation_score: 1000,
      created_at: '2026-11-05T00:00:00Z',
    }),
  ])
})

interface Page {
  total: number
  limit: number
  offset: number
  agents: { name: string; name_similarity?: number }[]
}

async function list(query: string): Promise<Page> {
  const response = await t.app.inject(`/agents${query}`)
  expect({ status: response.statusCode, body: response.body }).toMatchObject({ status: 200 })
  return response.json()
}

// contract.test.ts checks the set of fields.
test('an agent is returned with its values under the names of the contract', async () => {
  const pda = keyOf('agent Weather Scout')
  const response = await t.app.inject(`/agents/${pda}`)
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  // A JSON parser may round this number above 2^53, so the test compares the text.
  expect(response.body).toContain('"capabilities":18446744073709551615,')
  expect(response.json()).toMatchObject({
    pda,
    owner: keyOf('owner Weather Scout'),
    name: 'Weather Scout',
    tier: 'premium',
    status: 'active',
    service_category: 'research',
    reputation_score: 900,
    version: '',
    agent_card_url: 'https://agents.example/Weather%20Scout.json',
    card_hash_mismatch: false,
    created_at: '2026-11-01T00:00:00.001Z',
    updated_at: '2026-11-20T11:00:00.000Z',
  })
})

test('an unknown agent is 404', async () => {
  const response = await t.app.inject(`/agents/${keyOf('nobody')}`)
  expect(responseOf(response)).toEqual(refused(404, 'AGENT_NOT_FOUND', 'Agent not found'))
})

test('by default, the list is sorted by age, newest first, without mismatched cards', async () => {
  const page = await list('')
  expect(page).toMatchObject({ total: 4, limit: 50, offset: 0 })
  expect(page.agents.map(({ name }) => name)).toEqual([
    'Älterer Агент',
    'Trader',
    'Weather Warden',
    'Weather Scout',
  ])
  expect(page.agents[0]).not.toHaveProperty('name_similarity')
})

describe('search by name', () => {
  test('finds misspelled names, the most similar first, with their similarity', async () => {
    const page = await list('?name=Weather+Scot')
    expect(page.total).toBe(2)
    expect(page.agents.map(({ name }) => name)).toEqual(['Weather Scout', 'Weather Warden'])
    expect(page.agents[0]?.name_similarity).toBeCloseTo(0.6875, 4)
    expect(page.agents.every(({ name_similarity: similarity }) => similarity! >= 0.3)).toBe(true)
  })

  test.each(['%%', '😀', ' ', '__', "'; drop table agents", '*', '"'])(
    'finds nothing for %j, which is plain text',
    async (name) => {
      const page = await list(`?name=${encodeURIComponent(name)}`)
      expect([page.total, page.agents]).toEqual([0, []])
    },
  )
})

// agent-list.property.test.ts compares filters, orders and pages with a scan in memory.
test('a page at the greatest offset is empty and keeps the total', async () => {
  const offset = 2147483647
  expect(await list(`?offset=${offset}`)).toEqual({ total: 4, limit: 50, offset, agents: [] })
})

test('the list of an empty table is empty', async () => {
  const empty = await createAppOfTest()
  const expected = { total: 0, limit: 50, offset: 0, agents: [] }
  expect((await empty.app.inject('/agents')).json()).toEqual(expected)
  expect((await empty.app.inject('/agents?name=x')).json()).toEqual(expected)
})
