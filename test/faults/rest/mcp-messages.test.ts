import { once } from 'node:events'
import { expect, test } from 'vitest'
import { serveApp } from '../../support/clients.ts'
import { agentRows } from '../../support/factories.ts'
import { perFile } from '../../support/lifetime.ts'

const t = perFile(() =>
  serveApp({ limits: { reading: { unsentPerClient: 1_048_576 } }, agents: agentRows(50) }),
)
const client = perFile(() => t.client('127.0.0.2'))

const post = (url: string, method: string, params: object) =>
  t.app.inject({
    method: 'POST',
    url,
    headers: { accept: 'application/json, text/event-stream' },
    payload: { jsonrpc: '2.0', id: 1, method, params },
  })

const MANY = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 1]))
test.each([
  ['prompts/get', { name: 'due_diligence', arguments: MANY }],
  ['tools/call', { name: 'list_agents', arguments: MANY }],
])('a %s message with 20,000 arguments is refused before it is parsed', async (method, params) => {
  for (const url of ['/mcp', '/mcp/messages']) {
    const response = await post(url, method, params)
    expect([response.statusCode, response.json()]).toEqual([
      400,
      { error: 'The request has more than 500 values', details: { code: 'INVALID_REQUEST' } },
    ])
  }
})

test('a session that reads no responses is closed when they exceed the limit, not at its next message', async () => {
  const socket = client.open('GET /mcp/sse HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  let text = ''
  while (!text.includes('sessionId=')) text += String((await once(socket, 'data'))[0])
  socket.pause()
  const path = /\/mcp\/messages\?sessionId=[\w-]+/.exec(text)?.[0] ?? ''
  await post(path, 'initialize', {
    protocolVersion: '2024-11-05',
    capabilities: {},
    clientInfo: { name: 'hostile', version: '1' },
  })
  const calls = Array.from({ length: 400 }, () =>
    post(path, 'tools/call', { name: 'list_agents', arguments: { limit: 50 } }),
  )
  expect((await Promise.all(calls))[0]!.statusCode).toBe(202)
  await expect.poll(t.connections).toBe(0)
})
