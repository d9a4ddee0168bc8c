import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { serveApp } from '../../support/clients.ts'
import { toolCall, type ToolResult } from '../../support/mcp.ts'
import { bearer, signIn, signInWallet } from '../../support/sign-in.ts'
import { perFile } from '../../support/lifetime.ts'

const t = perFile(() => serveApp({ ledger: { call: async <Result>() => 'genesis' as Result } }))
let owner: { authorization: string }
let stranger: { authorization: string }
const clients: Client[] = []
beforeAll(async () => {
  owner = bearer(await signIn(t, signInWallet('owner')))
  stranger = bearer(await signIn(t, signInWallet('stranger')))
})
afterEach(async () => {
  vi.restoreAllMocks()
  for (const each of clients.splice(0)) await each.close()
})

/** Opens a session with the client of the SDK. Its path is what a log could contain. */
async function openSession(headers: Record<string, string>) {
  const transport = new SSEClientTransport(new URL(`${t.url}/mcp/sse`), { requestInit: { headers } })
  const client = new Client({ name: 'test', version: '1.0.0' })
  clients.push(client)
  await client.connect(transport)
  const { pathname, search } = (transport as unknown as { _endpoint: URL })._endpoint
  return { client, path: pathname + search }
}

const post = (path: string, headers: Record<string, string>) =>
  t.app.inject({
    method: 'POST',
    url: path,
    headers,
    payload: { ...toolCall('list_webhooks'), id: 'theirs' },
  })

test('a message does not have the wallet of a session, unless it has the Authorization of its stream', async () => {
  const { client, path } = await openSession(owner)
  const list = vi.spyOn(t.services.webhooks, 'list')
  const others = [{}, stranger, { authorization: '' }, { authorization: `${owner.authorization}x` }]
  for (const headers of others) {
    const response = await post(path, headers)
    expect([response.statusCode, response.json()]).toEqual([
      404,
      {
        error: 'MCP session not found: open one at /mcp/sse, and send messages with the same Authorization',
        details: { code: 'MCP_SESSION_NOT_FOUND' },
      },
    ])
  }
  expect(list).not.toHaveBeenCalled()
  const result = (await client.callTool({ name: 'list_webhooks' })) as unknown as ToolResult<unknown>
  expect(result.structuredContent).toEqual({ webhooks: [] })
  expect(list).toHaveBeenCalledOnce()
})

test.each([
  ['none', {}],
  ['any', { authorization: 'Bearer x' }],
])('a message to a session without a wallet may have %s', async (_, headers) => {
  const { client, path } = await openSession({})
  expect((await post(path, headers)).statusCode).toBe(202)
  expect(await client.callTool({ name: 'list_agents' })).toMatchObject({ structuredContent: { total: 0 } })
})
