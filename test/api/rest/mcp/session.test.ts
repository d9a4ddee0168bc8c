import * as v2 from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { FIXED_NOW, GENESIS_LEDGER, useTestApp } from '../../../support/app.ts'
import { NEWEST, type ToolResult, MCP_HEADERS, toolCall } from '../../../support/mcp.ts'
import { bearer, signIn, signInWallet } from '../../../support/sign-in.ts'
import { walletOf } from '../../../support/wallet.ts'

const INFO = { name: 'test', version: '1.0.0' }
const wallet = signInWallet('mcp')
const signer = walletOf('mcp')
const t = useTestApp({ listens: true, ledger: GENESIS_LEDGER })
let token: string
let webhookId: string
beforeAll(async () => {
  const input = { url: 'https://receiver.example.org', eventTypes: ['agent.closed'] }
  webhookId = (await t.services.webhooks.create(signer.pubkey, '127.0.0.1', input)).id
})
beforeEach(async () => {
  token = await signIn(t, wallet)
})

type Headers = Record<string, string>

const CLIENTS = {
  'SDK 1.x over Streamable HTTP': async (headers: Headers) => {
    const client = new Client(INFO)
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${t.url}/mcp`), { requestInit: { headers } }),
    )
    return client
  },
  'SDK 1.x over SSE': async (headers: Headers) => {
    const client = new Client(INFO)
    await client.connect(new SSEClientTransport(new URL(`${t.url}/mcp/sse`), { requestInit: { headers } }))
    return client
  },
  'SDK 2.x with the newest version': async (headers: Headers) => {
    const client = new v2.Client(INFO, { versionNegotiation: { mode: { pin: NEWEST } } })
    const transport = new v2.StreamableHTTPClientTransport(new URL(`${t.url}/mcp`), {
      requestInit: { headers },
    })
    await client.connect(transport)
    return client
  },
} as const
const kinds = Object.keys(CLIENTS) as (keyof typeof CLIENTS)[]

/** Calls tools as this client. Returns the structured content, or the code of the error. */
async function connect(kind: keyof typeof CLIENTS, headers: Headers) {
  const client = (await CLIENTS[kind](headers)) as Client
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const result = (await client.callTool({ name, arguments: args })) as unknown as ToolResult<unknown>
    return result.isError === true ? result._meta?.['code'] : result.structuredContent
  }
  return { call, close: () => client.close() }
}

test('/info names the newest version that /mcp/sse speaks', async () => {
  const { mcp } = (await (await fetch(`${t.url}/info`)).json()).features
  const transport = new SSEClientTransport(new URL(t.url + mcp.endpoint))
  const negotiated = vi.spyOn(transport, 'setProtocolVersion')
  const client = new Client(INFO)
  // A client that asks for a version that the server does not speak gets its newest one.
  const send = transport.send.bind(transport)
  transport.send = (message) =>
    send(
      'method' in message && message.method === 'initialize'
        ? { ...message, params: { ...message.params, protocolVersion: NEWEST } }
        : message,
    )
  await client.connect(transport)
  expect(`MCP ${negotiated.mock.lastCall?.[0]}`).toBe(mcp.spec)
  await client.close()
})

test.each(kinds)('%s: a tool has the wallet of the session, until the session ends', async (kind) => {
  const { call, close } = await connect(kind, bearer(token))
  onTestFinished(() => close())
  expect(await call('list_webhooks')).toMatchObject({ webhooks: [{ id: webhookId, active: true }] })
  const credential = { pda: wallet.address, credentialUrl: 'https://issuer.example.org/1.json' }
  expect(await call('verify_credential', credential)).toBe('AGENT_NOT_FOUND')
  await t.app.inject({ method: 'DELETE', url: '/auth/session', headers: bearer(token) })
  expect(await call('list_webhooks')).toBe('SESSION_INVALID')
  expect(await call('verify_credential', credential)).toBe('SESSION_INVALID')
  expect(await call('list_agents')).toMatchObject({ agents: [] })
})

test.each(kinds)('%s: without a token, only tools that need a wallet fail', async (kind) => {
  const { call, close } = await connect(kind, {})
  onTestFinished(() => close())
  expect(await call('list_webhooks')).toBe('AUTH_HEADERS_MISSING')
  expect(await call('list_agents')).toMatchObject({ agents: [] })
})

test('a signed request to /mcp has its wallet', async () => {
  const response = await t.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { ...signer.headers('POST', '/mcp', FIXED_NOW), ...MCP_HEADERS },
    payload: toolCall('list_webhooks'),
  })
  expect(response.json()).toMatchObject({ result: { structuredContent: { webhooks: [{ id: webhookId }] } } })
})

test('the text of an unexpected error of a service is not sent', async () => {
  vi.spyOn(t.services.webhooks, 'list').mockRejectedValueOnce(new TypeError('a secret'))
  const response = await t.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { ...bearer(token), ...MCP_HEADERS },
    payload: toolCall('list_webhooks'),
  })
  expect(response.json()).toMatchObject({
    result: {
      isError: true,
      content: [{ type: 'text', text: 'Internal server error' }],
      _meta: { code: 'INTERNAL_SERVER_ERROR', status: 500 },
    },
  })
})
