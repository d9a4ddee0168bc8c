import { hash } from 'node:crypto'
import type { Client } from 'graphql-ws'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databaseReader } from '../../../src/registry/registry.ts'
import { createTestApp, NO_LEDGER, type TestApp } from '../../support/app.ts'
import { type BlockedReads, blockReads, poolOf } from '../../support/blocked-reads.ts'
import { eventually } from '../../support/eventually.ts'
import { keyOf } from '../../support/factories.ts'
import { MCP_HEADERS, toolCall } from '../../support/mcp.ts'
import { firstOf, openSocket } from '../../support/operation-socket.ts'

async function outcome(response: Promise<Response>): Promise<string> {
  const text = await (await response).text()
  return /overloaded/.test(text) ? 'shed' : text
}

describe('requests signed by a wallet are refused last', () => {
  const SUBMIT = 'mutation { submitTransaction(id: "x", signedTx: "y") { id } }'
  const LIST = '{ webhooks { nodes { id } } }'
  const READ = `{ agent(pda: "${keyOf('agent One')}") { pda } }`
  let t: TestApp
  let blocked: BlockedReads
  let socket: Client
  /** As many requests of low priority are in flight as may be. */
  async function fillLow(): Promise<void> {
    const overload = { inFlight: 11, queueDelayMs: Infinity }
    t = await createTestApp({ listens: true, ledger: NO_LEDGER, overload, registry: databaseReader })
    blocked = await blockReads(t.database)
    socket = await openSocket(t.url)
    const pool = await poolOf(t.database)
    for (let i = 0; i <= pool.options.max; i += 1) void fetch(`${t.url}/agents?offset=${i}`)
    await eventually(() => expect(pool.waitingCount).toBe(1))
  }
  beforeAll(fillLow)
  afterAll(async () => {
    await socket.dispose()
    await blocked.release()
    await t.close()
  })
  const post = (path: string, body: unknown): Promise<Response> =>
    fetch(t.url + path, { method: 'POST', headers: MCP_HEADERS, body: JSON.stringify(body) })
  const graphql = (body: object) => outcome(post('/graphql', body))

  test('in GraphQL, if every root field submits a transaction or needs a signature', async () => {
    expect(await graphql({ query: SUBMIT })).toMatch(/TRANSACTION_NOT_FOUND/)
    expect(await graphql({ query: LIST })).toMatch(/X-Wallet/i)
    expect(await graphql({ query: `query a ${READ} query b ${LIST}`, operationName: 'b' })).toMatch(
      /X-Wallet/i,
    )
    expect(await outcome(fetch(`${t.url}/graphql?query=${encodeURIComponent(LIST)}`))).toMatch(/X-Wallet/i)
    for (const query of [
      READ,
      `query a ${READ} query b ${LIST}`,
      LIST.replace('webhooks', `a: agent(pda: "x") { pda } webhooks`),
      LIST.replace(/webhooks .* }(?= })/, '... on Query { $& }'),
      `{ webhooks: agent(pda: "x") { pda } }`,
      'webhooks {',
    ])
      expect({ query, outcome: await graphql({ query, operationName: 'a' }) }).toEqual({
        query,
        outcome: 'shed',
      })
    expect(await graphql({ query: READ, extensions: { webhooks: 1 } })).toBe('shed')
    expect(await outcome(fetch(`${t.url}/graphql?query=${encodeURIComponent(READ)}`))).toBe('shed')
  })

  test('in GraphQL, with the hash of a persisted document as with its text', async () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', LIST) } }
    expect(await graphql({ query: LIST, extensions })).toMatch(/X-Wallet/i)
    expect(await graphql({ extensions })).toMatch(/X-Wallet/i)
  })

  test('in GraphQL over a WebSocket', async () => {
    expect(await firstOf(socket, SUBMIT)).toMatch(/Transaction not found/)
    expect(await firstOf(socket, READ)).toMatch(/overloaded/)
  })

  test('in MCP, only the tool submit_transaction', async () => {
    const submit = await outcome(post('/mcp', toolCall('submit_transaction', { id: 'x', signedTx: 'y' })))
    expect(JSON.parse(submit)).toMatchObject({ result: { isError: true, _meta: { status: 404 } } })
    expect(await outcome(post('/mcp', toolCall('list_agents', {})))).toBe('shed')
    expect(await outcome(post('/mcp', { jsonrpc: '2.0', id: 1, method: 'submit_transaction' }))).toBe('shed')
  })
})
