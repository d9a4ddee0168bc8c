import { beforeAll, expect, test } from 'vitest'
import { useTestApp } from '../../support/app.ts'
import { insertAgents, insertHistory, keyOf } from '../../support/factories.ts'
import { refused, responseOf } from '../../support/refusal.ts'

const t = useTestApp()
beforeAll(async () => {
  await insertAgents(t.kysely, ['Busy', 'Quiet'])
  await insertHistory(t.kysely, 'Busy', [
    { old_value: '250', new_value: '262', delta: '+12' },
    { event_type: 'tier_updated', old_value: 'observer', new_value: 'basic', delta: null },
    {
      event_type: 'metadata_updated',
      old_value: '{"name":"Bus"}',
      new_value: '{"name":"Busy"}',
      delta: null,
    },
    { event_type: 'status_changed', old_value: 'active', new_value: 'suspended', delta: null },
    { old_value: '262', new_value: '257', delta: '-5' },
  ])
  await insertHistory(t.kysely, 'Closed', [{}])
})

const history = (label: string, query = '') =>
  t.app.inject(`/agents/${keyOf(`agent ${label}`)}/history${query}`)

test('the history is newest first, and only reputation entries have a delta', async () => {
  const agent_pda = keyOf('agent Busy')
  expect((await history('Busy')).json()).toEqual({
    total: 5,
    limit: 50,
    offset: 0,
    history: [
      {
        event_type: 'reputation_updated',
        agent_pda,
        old_value: '262',
        new_value: '257',
        delta: '-5',
        timestamp: '2026-11-20T12:04:00.000Z',
      },
      {
        event_type: 'status_changed',
        agent_pda,
        old_value: 'active',
        new_value: 'suspended',
        timestamp: '2026-11-20T12:03:00.000Z',
      },
      {
        event_type: 'metadata_updated',
        agent_pda,
        old_value: '{"name":"Bus"}',
        new_value: '{"name":"Busy"}',
        timestamp: '2026-11-20T12:02:00.000Z',
      },
      {
        event_type: 'tier_updated',
        agent_pda,
        old_value: 'observer',
        new_value: 'basic',
        timestamp: '2026-11-20T12:01:00.000Z',
      },
      {
        event_type: 'reputation_updated',
        agent_pda,
        old_value: '250',
        new_value: '262',
        delta: '+12',
        timestamp: '2026-11-20T12:00:00.000Z',
      },
    ],
  })
})

test.each([
  ['reputation_updated', 2],
  ['tier_updated', 1],
  ['status_changed', 1],
  ['metadata_updated', 1],
])('event_type=%s returns %i entries, and the total equals their number', async (type, count) => {
  const page = (await history('Busy', `?event_type=${type}`)).json<{ total: number; history: object[] }>()
  expect(page.total).toBe(count)
  expect(page.history).toHaveLength(count)
})

test('pages do not overlap, and a page beyond the end keeps the total', async () => {
  const stamps = async (query: string): Promise<string[]> =>
    (await history('Busy', query))
      .json<{ history: { timestamp: string }[] }>()
      .history.map((e) => e.timestamp)
  expect([...(await stamps('?limit=3')), ...(await stamps('?limit=3&offset=3'))]).toEqual(await stamps(''))
  expect((await history('Busy', '?offset=5')).json()).toEqual({ total: 5, limit: 50, offset: 5, history: [] })
})

test('the history of an agent without entries is empty', async () => {
  const response = await history('Quiet', '?event_type=tier_updated')
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({ total: 0, limit: 50, offset: 0, history: [] })
})

test('the history of a closed agent stays readable, even if a filter matches nothing', async () => {
  expect((await t.app.inject(`/agents/${keyOf('agent Closed')}`)).statusCode).toBe(404)
  expect((await history('Closed')).json()).toMatchObject({ total: 1 })
  expect((await history('Closed', '?event_type=tier_updated')).json()).toMatchObject({ total: 0 })
})

test('an address without agent and history is 404', async () => {
  const response = await history('Nobody')
  expect(responseOf(response)).toEqual(refused(404, 'AGENT_NOT_FOUND', 'Agent not found'))
})
