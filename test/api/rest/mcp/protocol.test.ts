import { beforeAll, describe, expect, test } from 'vitest'
import { mergeOutbox } from '../../../../src/ledger/indexer/write/write-events.ts'
import { FIXED_NOW, NO_LEDGER, useTestApp } from '../../../support/app.ts'
import { keyOf, insertAgents } from '../../../support/factories.ts'
import { connectV2, NEWEST, MCP_HEADERS } from '../../../support/mcp.ts'
import { perFile } from '../../../support/lifetime.ts'

const t = useTestApp({ listens: true, ledger: NO_LEDGER })
beforeAll(() => insertAgents(t.kysely, ['one', 'two']))
const client = perFile(() => connectV2(t.url))

/** Posts a message of protocol 2026-07-28 and returns the status and the response. */
async function post(
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
  version = NEWEST,
): Promise<{ status: number; error?: { code: number }; result?: Record<string, unknown> }> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await fetch(`${t.url}/mcp`, {
    method: 'POST',
    headers: {
      ...MCP_HEADERS,
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  })
  return { status: response.status, ...((await response.json()) as object) }
}

async function emit(id: string, agent: string): Promise<void> {
  const event = { id, type: 'agent.updated' as const, slot: 7 }
  const occurred_at = new Date(FIXED_NOW).toISOString()
  const body = JSON.stringify({ ...event, pda: keyOf(agent), timestamp: occurred_at, data: {} })
  await mergeOutbox(t.kysely, [{ ...event, event_id: id, agent_pda: keyOf(agent), body, occurred_at }])
}

test('the newest version is negotiated, and the server names what it offers', async () => {
  expect(client.getNegotiatedProtocolVersion()).toBe(NEWEST)
  expect(client.getServerCapabilities()).toMatchObject({
    tools: { listChanged: false },
    prompts: { listChanged: false },
    resources: { listChanged: false, subscribe: true },
    completions: {},
  })
})

test('annotations say which tools change nothing, prepare, attach, or send', async () => {
  const { tools } = await client.listTools()
  const named = (...names: string[]) =>
    names.map((name) => tools.find((tool) => tool.name === name)!.annotations)
  const sending = ['submit_transaction', 'submit_sponsored_registration']
  const preparing = tools.map(({ name }) => name).filter((name) => name.startsWith('prepare_'))
  expect(new Set(named(...sending).map((each) => JSON.stringify(each)))).toEqual(
    new Set(['{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true}']),
  )
  for (const each of named(...preparing))
    expect(each).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    })
  expect(named('verify_credential')).toEqual([
    { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  ])
  const changing = new Set([...sending, ...preparing, 'verify_credential'])
  const others = tools.filter(({ name }) => !changing.has(name))
  expect(others).toHaveLength(9)
  for (const { annotations } of others)
    expect(annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    })
})

test('tools that send say what to do after a lost result', async () => {
  const { tools } = await client.listTools()
  for (const name of ['submit_transaction', 'submit_sponsored_registration'])
    expect(tools.find((tool) => tool.name === name)!.description).toMatch(
      /If the result is lost.*transaction_status.*repeat this call.*Never prepare it again before/,
    )
})

test('lists can be cached for an hour by all, an agent for seconds', async () => {
  const lists = ['tools/list', 'prompts/list', 'resources/templates/list', 'server/discover']
  for (const method of lists)
    expect((await post(method)).result).toMatchObject({ ttlMs: 3_600_000, cacheScope: 'public' })
  const uri = `agent://${keyOf('agent one')}`
  const { result } = await post('resources/read', { uri }, { 'mcp-name': uri })
  expect(result).toMatchObject({ ttlMs: 5_000, cacheScope: 'public' })
})

test('results link to the agents that they describe', async () => {
  const { content } = await client.callTool({
    name: 'list_agents',
    arguments: { sort: 'name', order: 'asc' },
  })
  const links = [
    ['one', 'agent one'],
    ['two', 'agent two'],
  ].map(([name, label]) => ({
    type: 'resource_link',
    uri: `agent://${keyOf(label!)}`,
    name,
    mimeType: 'application/json',
  }))
  expect(content).toEqual([{ type: 'text', text: expect.any(String) }, ...links])
})

test('arguments have the names of the other interfaces, and filter', async () => {
  const list = async (args: Record<string, unknown>) => {
    const { structuredContent } = await client.callTool({ name: 'list_agents', arguments: args })
    return (structuredContent as { agents: { name: string }[] }).agents.map(({ name }) => name)
  }
  expect(await list({ owner: keyOf('owner two') })).toEqual(['two'])
  expect(await list({ sort: 'name', order: 'asc', limit: 1, offset: 1 })).toEqual(['two'])
  expect(await list({ maxReputation: 249 })).toEqual([])
})

test('prompts name the tools in their order, and contain the arguments', async () => {
  const { prompts } = await client.listPrompts()
  expect(prompts.map(({ name, arguments: args }) => [name, args?.map((each) => each.name)])).toEqual([
    ['due_diligence', ['agent', 'purpose', 'minTier']],
    ['register_agent', ['ownerPubkey', 'name', 'serviceCategory', 'agentCardUrl', 'inviteCode']],
  ])
  const textOf = async (name: string, args: Record<string, string>): Promise<string> => {
    const { messages } = await client.getPrompt({ name, arguments: args })
    return (messages[0]!.content as { text: string }).text
  }
  const { tools } = await client.listTools()
  const toolsIn = (text: string) => text.match(/\b[a-z]+(?:_[a-z]+)+\b/g)
  const check = await textOf('due_diligence', { agent: 'Atlas "Freight"', minTier: 'basic' })
  expect(check).toContain('"Atlas \\"Freight\\""')
  expect(toolsIn(check)).toEqual(['lookup_agent', 'verify_agent', 'check_reputation', 'check_credentials'])
  const agent = { ownerPubkey: keyOf('x'), name: 'X', agentCardUrl: 'https://x.example/card.json' }
  const paid = await textOf('register_agent', { ...agent, serviceCategory: 'research' })
  expect(toolsIn(paid)).toEqual([
    'prepare_register_agent',
    'submit_transaction',
    'transaction_status',
    'verify_agent',
  ])
  const sponsored = await textOf('register_agent', {
    ...agent,
    serviceCategory: 'research',
    inviteCode: 'CODE',
  })
  expect(toolsIn(sponsored)?.slice(0, 2)).toEqual([
    'prepare_sponsored_registration',
    'submit_sponsored_registration',
  ])
  const names = tools.map(({ name }) => name)
  for (const name of [check, paid, sponsored].flatMap((text) => toolsIn(text) ?? []))
    expect(names).toContain(name)
})

test('arguments of prompts are completed and checked', async () => {
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'register_agent' },
    argument: { name: 'serviceCategory', value: 'co' },
  })
  expect(completion.values).toEqual(['commerce', 'contentCreation'])
  await expect(
    client.getPrompt({ name: 'due_diligence', arguments: { agent: 'x', minTier: 'best' } }),
  ).rejects.toMatchObject({ code: -32_602 })
})

describe('a message that contradicts its headers or names an unknown version', () => {
  test.each([
    ['another method', { 'mcp-method': 'tools/call' }, NEWEST, -32_020],
    ['another version', { 'mcp-protocol-version': '2025-11-25' }, NEWEST, -32_020],
    ['an unknown version', {}, '2030-01-01', -32_022],
  ])('%s: 400', async (_, headers, version, code) => {
    expect(await post('tools/list', {}, headers as Record<string, string>, version)).toMatchObject({
      status: 400,
      error: { code },
    })
  })
})

describe('a subscription', () => {
  const one = `agent://${keyOf('agent one')}`

  test('receives the changes of its agents, and only those', async () => {
    const other = await connectV2(t.url)
    const updates: string[] = []
    other.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      updates.push(params.uri)
    })
    const subscription = await other.listen({ resourceSubscriptions: [one] })
    expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: [one] })
    await emit('evt_mcp_1', 'agent two')
    await emit('evt_mcp_2', 'agent one')
    await emit('evt_mcp_3', 'agent one')
    await expect.poll(() => updates).toEqual([one, one])
    await subscription.close()
    await expect.poll(() => t.metrics.getSingleMetricAsString('gateway_live_events_streams')).toMatch(/ 0$/)
    await other.close()
  })

  test('reads only the events of its agents', async () => {
    const agentPdas = [keyOf('agent one')]
    const client = { clientIp: '192.0.2.1', disconnected: () => new AbortController().signal }
    const events = await t.services.liveEvents.registryEvents({ agentPdas }, client)
    const first = events.next()
    await emit('evt_mcp_4', 'agent two')
    await emit('evt_mcp_5', 'agent one')
    expect((await first).value).toMatchObject({ id: 'evt_mcp_5' })
    await events.return()
  })

  test.each([
    ['another scheme', ['did:sol:x'], 'resourceSubscriptions accepts agent://{pda}, got \\"did:sol:x\\"'],
    ['an invalid address', ['agent://x'], 'agentPdas'],
  ])('%s: 400', async (_, resourceSubscriptions, problem) => {
    const answer = await post('subscriptions/listen', { notifications: { resourceSubscriptions } })
    expect(answer.status).toBe(400)
    expect(JSON.stringify(answer)).toContain(problem)
  })
})
