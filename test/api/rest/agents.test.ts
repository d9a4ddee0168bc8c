import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'

let t: TestApp
beforeAll(async () => {
  t = await createTestApp()
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
afterAll(() => t.close())

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

const names = async (query: string): Promise<string[]> => (await list(query)).agents.map(({ name }) => name)

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
  expect(response.statusCode).toBe(404)
  expect(response.json()).toEqual({ error: 'Agent not found', details: { code: 'AGENT_NOT_FOUND' } })
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

describe('filters', () => {
  test.each([
    ['?tier=premium', ['Weather Scout']],
    ['?status=active', ['Älterer Агент', 'Weather Scout']],
    ['?status=suspended', ['Weather Warden']],
    ['?status=deactivated', ['Trader']],
    ['?status=inactive', ['Trader', 'Weather Warden']],
    ['?category=commerce', ['Trader']],
    [`?owner=${keyOf('owner Trader')}`, ['Trader']],
    [`?owner=${keyOf('nobody')}`, []],
    ['?min_reputation=500', ['Weather Warden', 'Weather Scout']],
    ['?max_reputation=100', ['Älterer Агент', 'Trader']],
    ['?min_reputation=100&max_reputation=500', ['Trader', 'Weather Warden']],
    ['?min_reputation=1000&max_reputation=1000', []],
    ['?include_mismatched=true&min_reputation=1000', ['Impostor']],
    ['?include_mismatched=false&min_reputation=1000', []],
    ['?tier=observer&status=deactivated&category=commerce', ['Trader']],
    ['?tier=observer&category=financial', []],
  ])('%s', async (query, expected) => {
    const page = await list(query)
    expect(page.agents.map(({ name }) => name)).toEqual(expected)
    expect(page.total).toBe(expected.length)
  })

  test('include_mismatched also changes the total', async () => {
    expect((await list('?include_mismatched=true')).total).toBe(5)
  })
})

describe('search by name', () => {
  test('finds misspelled names, the most similar first, with their similarity', async () => {
    const page = await list('?name=Weather+Scot')
    expect(page.total).toBe(2)
    expect(page.agents.map(({ name }) => name)).toEqual(['Weather Scout', 'Weather Warden'])
    expect(page.agents[0]?.name_similarity).toBeCloseTo(0.6875, 4)
    expect(page.agents.every(({ name_similarity: similarity }) => similarity! >= 0.3)).toBe(true)
  })

  test.each(['%%', '😀', ' ', '__'])('finds nothing for %j, which has no trigrams', async (name) => {
    const page = await list(`?name=${encodeURIComponent(name)}`)
    expect([page.total, page.agents]).toEqual([0, []])
  })

  test('sort replaces the order by similarity, and order reverses it', async () => {
    expect(await names('?name=Weather+Scot&sort=reputation&order=asc')).toEqual([
      'Weather Warden',
      'Weather Scout',
    ])
    expect(await names('?name=Weather+Scot&order=asc')).toEqual(['Weather Warden', 'Weather Scout'])
  })

  test('can be combined with other filters, which change the total', async () => {
    expect(await list('?name=Weather&status=suspended')).toMatchObject({ total: 1, agents: [{}] })
  })

  test.each(['%27%3B+drop+table+agents', '%25', '_', '%2A', '%F0%9F%92%A9', '%22'])(
    'treats %s as plain text',
    async (name) => {
      expect(await list(`?name=${name}`)).toMatchObject({ total: 0, agents: [] })
    },
  )
})

describe('order and pages', () => {
  test.each([
    ['?sort=reputation', ['Weather Scout', 'Weather Warden', 'Trader', 'Älterer Агент']],
    ['?sort=reputation&order=asc', ['Älterer Агент', 'Trader', 'Weather Warden', 'Weather Scout']],
    ['?sort=created_at&order=asc', ['Weather Scout', 'Weather Warden', 'Trader', 'Älterer Агент']],
    ['?sort=name&order=asc', ['Trader', 'Weather Scout', 'Weather Warden', 'Älterer Агент']],
    ['?sort=name', ['Älterer Агент', 'Weather Warden', 'Weather Scout', 'Trader']],
    ['?order=asc', ['Weather Scout', 'Weather Warden', 'Trader', 'Älterer Агент']],
    ['?limit=2', ['Älterer Агент', 'Trader']],
    ['?limit=2&offset=2', ['Weather Warden', 'Weather Scout']],
    ['?limit=200&offset=3', ['Weather Scout']],
  ])('%s', async (query, expected) => {
    expect(await names(query)).toEqual(expected)
  })

  test.each(['', '&name=Weather', '&min_reputation=0'])(
    'an offset beyond the end keeps the total (%s)',
    async (filter) => {
      const { total } = await list(`?limit=1${filter}`)
      for (const offset of [100, 2147483647])
        expect(await list(`?offset=${offset}${filter}`)).toEqual({ total, limit: 50, offset, agents: [] })
      expect(total).toBeGreaterThan(0)
    },
  )
})

test('the list of an empty table is empty', async () => {
  const empty = await createTestApp()
  try {
    const expected = { total: 0, limit: 50, offset: 0, agents: [] }
    expect((await empty.app.inject('/agents')).json()).toEqual(expected)
    expect((await empty.app.inject('/agents?name=x')).json()).toEqual(expected)
  } finally {
    await empty.close()
  }
})
