import { expect, test } from 'vitest'
import { createAppOfTest, useTestApp } from '../../../support/app.ts'

const HEADERS = { accept: 'application/json, text/event-stream' }
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

const t = useTestApp({})

async function toolsAt(url: string): Promise<string[]> {
  const response = await t.app.inject({ method: 'POST', url, headers: HEADERS, payload: LIST })
  const { result } = response.json<{ result: { tools: { name: string }[] } }>()
  return result.tools.map(({ name }) => name)
}

test('a client can list some toolsets, or only tools that change nothing', async () => {
  expect(await toolsAt('/mcp?toolsets=webhooks')).toEqual(['list_webhooks'])
  expect((await toolsAt('/mcp?toolsets=agents,credentials&readonly=true')).toSorted()).toEqual([
    'check_credentials',
    'check_reputation',
    'list_agents',
    'lookup_agent',
    'resolve_did',
    'verify_agent',
  ])
  const readOnly = await toolsAt('/mcp?readonly=true')
  expect(readOnly).toContain('transaction_status')
  expect(readOnly.filter((name) => /^(prepare|submit|verify_credential)/.test(name))).toEqual([])
  expect((await toolsAt('/mcp')).length).toBeGreaterThan(20)
})

test('a tool that is not listed is unknown', async () => {
  const payload = { ...LIST, method: 'tools/call', params: { name: 'list_webhooks', arguments: {} } }
  const response = await t.app.inject({
    method: 'POST',
    url: '/mcp?toolsets=agents',
    headers: HEADERS,
    payload,
  })
  expect(response.json()).toMatchObject({ error: { code: -32_602 } })
})

test.each([
  ['/mcp?toolsets=agent', 'toolsets', 'agents, credentials, transactions, webhooks'],
  ['/mcp?toolsets=', 'toolsets', 'agents'],
  ['/mcp?readonly=yes', 'readonly', 'true or false'],
])('%s is refused', async (url, parameter, allowed) => {
  const response = await t.app.inject({ method: 'POST', url, headers: HEADERS, payload: LIST })
  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({
    error: expect.stringContaining(allowed) as string,
    details: { parameter },
  })
  const sse = await t.app.inject({ url: url.replace('/mcp', '/mcp/sse') })
  expect(sse.statusCode).toBe(400)
})

test.each([
  { hostNames: ['127.0.0.1'], corsOrigins: ['*'], status: 403, rebound: 403 },
  { hostNames: ['localhost'], corsOrigins: ['*', 'http://evil.example'], status: 200, rebound: 403 },
  { hostNames: ['0.0.0.0'], corsOrigins: ['*'], status: 200, rebound: 200 },
  { hostNames: ['127.0.0.1', 'api.example.org'], corsOrigins: ['*'], status: 200, rebound: 200 },
])(
  'a page of another origin at $hostNames with $corsOrigins: $status',
  async ({ status, rebound, ...options }) => {
    const own = await createAppOfTest({ ...options, database: t.database })
    const send = async (headers: Record<string, string>) =>
      (
        await own.app.inject({
          method: 'POST',
          url: '/mcp',
          headers: { ...HEADERS, ...headers },
          payload: LIST,
        })
      ).statusCode
    expect(await send({ origin: 'http://evil.example', host: 'localhost:3000' })).toBe(status)
    expect(await send({ host: 'localhost:3000' })).toBe(200)
    // Not a page of another origin.
    expect(await send({ origin: 'http://localhost:3000', host: 'localhost:3000' })).toBe(200)
    // A name that a page has bound to the address of the service.
    expect(await send({ host: 'evil.example' })).toBe(rebound)
  },
)
