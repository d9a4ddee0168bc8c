import * as v2 from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { keyOf } from './factories.ts'

export interface ToolResult<Structured> {
  readonly isError?: boolean
  readonly content: { readonly type: string; readonly text: string; readonly uri?: string }[]
  readonly structuredContent: Structured
  readonly _meta?: Record<string, unknown>
}

/** What the clients of both SDKs offer in the same form. */
export type McpClient = Pick<
  v2.Client,
  'listTools' | 'listPrompts' | 'listResourceTemplates' | 'readResource' | 'getPrompt' | 'close'
> & {
  call<Structured = Record<string, unknown>>(
    name: string,
    args: Record<string, unknown>,
  ): Promise<ToolResult<Structured>>
}

export const NEWEST = '2026-07-28'
const INFO = { name: 'test', version: '1.0.0' }

/** The client of the SDK 2.x. `mode` decides the protocol version. */
export async function connectV2(
  baseUrl: string,
  mode: v2.VersionNegotiationMode = { pin: NEWEST },
): Promise<v2.Client> {
  const client = new v2.Client(INFO, { versionNegotiation: { mode } })
  await client.connect(new v2.StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`)))
  return client
}

async function connectV1(baseUrl: string, path: string): Promise<Client> {
  const client = new Client(INFO)
  const url = new URL(baseUrl + path)
  await client.connect(path === '/mcp' ? new StreamableHTTPClientTransport(url) : new SSEClientTransport(url))
  return client
}

/** Real clients, by the SDK, the transport and how they choose the protocol version. */
export const MCP_CLIENTS = {
  'SDK 1.x over Streamable HTTP': (baseUrl: string) => connectV1(baseUrl, '/mcp'),
  'SDK 1.x over SSE': (baseUrl: string) => connectV1(baseUrl, '/mcp/sse'),
  'SDK 2.x with the newest version only': (baseUrl: string) => connectV2(baseUrl),
  'SDK 2.x with any version': (baseUrl: string) => connectV2(baseUrl, 'auto'),
  'SDK 2.x with older versions only': (baseUrl: string) => connectV2(baseUrl, 'legacy'),
} as const

export async function connectMcp(kind: keyof typeof MCP_CLIENTS, baseUrl: string): Promise<McpClient> {
  const client = (await MCP_CLIENTS[kind](baseUrl)) as v2.Client
  return Object.assign(client, {
    call: async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })) as never,
  })
}

/** What POST /mcp requires. */
export const MCP_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

export const toolCall = (name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})

/** What opens a stream of notifications at POST /mcp. */
export const LISTEN_HEADERS = {
  Accept: MCP_HEADERS.accept,
  'MCP-Protocol-Version': NEWEST,
  'MCP-Method': 'subscriptions/listen',
}
export const listenMessage = {
  jsonrpc: '2.0',
  id: 1,
  method: LISTEN_HEADERS['MCP-Method'],
  params: {
    notifications: { resourceSubscriptions: [`agent://${keyOf('agent')}`] },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': NEWEST,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}
