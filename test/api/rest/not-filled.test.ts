import { beforeAll, expect, test } from 'vitest'
import { useTestApp } from '../../support/app.ts'
import { keyOf } from '../../support/factories.ts'
import { scriptedIndexer } from '../../support/ledger/indexer.ts'
import { ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'
import { MCP_HEADERS, toolCall } from '../../support/mcp.ts'

const PDA = keyOf('agent')
const MESSAGE = 'The registry has not been read from the ledger yet. Try again later'

const ledger = new ScriptedLedger()
const t = useTestApp({ ledger: ledger.rpc(), tablesFilled: false })
beforeAll(async () => {
  ledger.advance(50)
})

const READS = [
  '/agents',
  `/agents/${PDA}`,
  `/agents/${PDA}/history`,
  `/agents/${PDA}/credentials`,
  '/stakes',
  `/stakes/${PDA}`,
  `/did/did:sol:${PDA}`,
]
const graphql = () =>
  t.app.inject({ method: 'POST', url: '/graphql', payload: { query: '{ agents { totalCount } }' } })
const mcp = () =>
  t.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: MCP_HEADERS,
    payload: toolCall('list_agents'),
  })

test('reads are refused until the tables were filled once, in REST, GraphQL and MCP', async () => {
  for (const url of READS) {
    const response = await t.app.inject(url)
    expect([url, response.statusCode, response.json()]).toEqual([
      url,
      503,
      { error: MESSAGE, details: { code: 'REGISTRY_NOT_READY' } },
    ])
    expect(response.headers['retry-after']).toBe('5')
  }
  expect((await graphql()).json()).toMatchObject({
    errors: [{ message: MESSAGE, extensions: { code: 'REGISTRY_NOT_READY' } }],
  })
  expect((await mcp()).body).toContain(MESSAGE)
  expect((await t.app.inject('/health')).statusCode).toBe(200)
})

test('an empty registry that was read is an empty list, also when the indexer has stopped', async () => {
  const indexer = scriptedIndexer(t.database.orm, ledger)
  await indexer.whenIdle()
  await indexer.stop()
  const response = await t.app.inject('/agents')
  expect([response.statusCode, response.json()]).toMatchObject([200, { total: 0 }])
  expect((await graphql()).json()).toMatchObject({ data: { agents: { totalCount: 0 } } })
  expect((await mcp()).body).not.toContain(MESSAGE)
  // Nothing is read from the database for this any more.
  await t.kysely.updateTable('indexer_state').set({ filled_at: null }).execute()
  expect((await t.app.inject(`/stakes/${PDA}`)).statusCode).toBe(404)
})
