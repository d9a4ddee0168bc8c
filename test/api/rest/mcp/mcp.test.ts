import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Connection, Keypair } from '@solana/web3.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { signed } from '../../../support/transactions/relay-world.ts'
import { runCommand } from '../../../support/cli.ts'
import { startGatewayInProcess } from '../../../support/gateway-in-process.ts'
import { connectMcp, MCP_CLIENTS } from '../../../support/mcp.ts'
import { eventually } from '../../../support/eventually.ts'
import { perFile } from '../../../support/lifetime.ts'

const gateway = perFile(() => startGatewayInProcess({ SEED_AGENTS: '3' }))

/** The members of tool results that the tests read. */
interface Structured {
  id: string
  serializedTx: string
  verified: boolean
  checks: object[]
  total: number
  agents: { owner: string }[]
  agent: { pda: string }
  didDocument: { '@context': string[] }
}

describe.each(Object.keys(MCP_CLIENTS) as (keyof typeof MCP_CLIENTS)[])('%s', (kind) => {
  const client = perFile(() => connectMcp(kind, gateway.runtime.baseUrl))
  // The client checks results against the output schemas of tools that it has listed.
  beforeAll(() => client.listTools())
  const call = (name: string, args: Record<string, unknown>) => client.call<Structured>(name, args)

  test('every tool has a description, an input schema and an output schema', async () => {
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name).sort()).toEqual([
      'check_credentials',
      'check_eligibility',
      'check_reputation',
      'list_agents',
      'list_webhooks',
      'lookup_agent',
      'prepare_cancel_withdrawal',
      'prepare_close_agent',
      'prepare_close_deactivation_record',
      'prepare_close_stake',
      'prepare_complete_withdrawal',
      'prepare_deactivate_agent',
      'prepare_deposit',
      'prepare_reactivate_agent',
      'prepare_register_agent',
      'prepare_sponsored_registration',
      'prepare_suspend_agent',
      'prepare_update_agent',
      'prepare_withdrawal',
      'resolve_did',
      'submit_sponsored_registration',
      'submit_transaction',
      'transaction_status',
      'verify_agent',
      'verify_credential',
    ])
    for (const tool of tools) {
      expect(tool.description).toBeTruthy()
      expect(tool.inputSchema.type).toBe('object')
      expect(tool.outputSchema?.type).toBe('object')
    }
  })

  test('an agent can be registered, signed by its owner, submitted and verified', async () => {
    const number = Object.keys(MCP_CLIENTS).indexOf(kind)
    const owner = Keypair.generate()
    const ownerKey = owner.publicKey.toBase58()
    const connection = new Connection(gateway.runtime.rpcUrl, 'confirmed')
    await connection.confirmTransaction(await connection.requestAirdrop(owner.publicKey, 1_000_000_000))

    const before = await call('verify_agent', { owner: ownerKey })
    expect(before.structuredContent).toMatchObject({ verified: false, agent: null })

    const { structuredContent: prepared } = await call('prepare_register_agent', {
      ownerPubkey: ownerKey,
      name: `Tool ${number}`,
      serviceCategory: 'research',
      agentCardUrl: 'https://tools.example.org/card.json',
      agentCardHash: 'ab'.repeat(32),
    })
    const signedTx = signed(prepared, owner)
    const sent = await call('submit_transaction', { id: prepared.id, signedTx })
    expect(sent.structuredContent).toMatchObject({
      id: prepared.id,
      status: 'confirmed',
      error: null,
      signature: expect.any(String),
    })
    const status = await call('transaction_status', { id: prepared.id })
    expect(status.structuredContent).toEqual(sent.structuredContent)

    await eventually(async () => {
      const { structuredContent: verdict } = await call('verify_agent', {
        owner: ownerKey,
        minReputation: 250,
      })
      expect(verdict).toMatchObject({
        verified: true,
        did: `did:sol:${ownerKey}`,
        agent: { name: `Tool ${number}`, serviceCategory: 'research', tier: 'observer' },
      })
    })
    const demanding = await call('verify_agent', { owner: ownerKey, minTier: 'premium' })
    expect(demanding.structuredContent.verified).toBe(false)
    expect(demanding.structuredContent.checks).toContainEqual({
      check: 'tier',
      passed: false,
      detail: 'tier is observer, required is at least premium',
    })

    const suspension = await call('prepare_suspend_agent', { ownerPubkey: ownerKey })
    expect(suspension.structuredContent).toMatchObject({ id: expect.any(String), feePayer: ownerKey })
    const closing = await call('prepare_close_stake', { ownerPubkey: ownerKey })
    expect(closing).toMatchObject({ isError: true, _meta: { code: 'STAKE_NOT_FOUND', status: 404 } })

    for (const query of [ownerKey, `did:sol:${ownerKey}`, `Tool ${number}`]) {
      const { structuredContent: found } = await call('lookup_agent', { query })
      expect(found.agents.map((each) => each.owner)).toContain(ownerKey)
    }
    const reputation = await call('check_reputation', { owner: ownerKey })
    expect(reputation.structuredContent).toMatchObject({ tier: 'observer', history: { nodes: [] } })
    const audited = await call('check_credentials', { owner: ownerKey, type: 'SecurityAudit' })
    expect(audited.structuredContent).toMatchObject({ owner: ownerKey, credentials: { nodes: [] } })
    const { structuredContent: resolved } = await call('resolve_did', { did: `did:sol:${ownerKey}` })
    expect(resolved.didDocument['@context'][0]).toBe('https://www.w3.org/ns/did/v1')
    const document = await client.readResource({ uri: `did:sol:${ownerKey}` })
    const [content] = document.contents as { text: string; mimeType: string }[]
    expect(content!.mimeType).toBe('application/did+ld+json')
    expect(JSON.parse(content!.text)).toEqual(resolved.didDocument)
    const { pda } = resolved.agent
    const resource = await client.readResource({ uri: `agent://${pda}` })
    expect(JSON.parse((resource.contents as { text: string }[])[0]!.text)).toEqual(resolved.agent)
  })

  test('an error of a service is a tool error with the same text and code', async () => {
    const nobody = Keypair.generate().publicKey.toBase58()
    const missing = await call('check_reputation', { owner: nobody })
    expect(missing).toMatchObject({
      isError: true,
      content: [{ text: 'Agent not found' }],
      _meta: { code: 'AGENT_NOT_FOUND', status: 404 },
    })
    const malformed = await call('resolve_did', { did: 'did:web:example.org' })
    expect(malformed).toMatchObject({ isError: true, _meta: { code: 'INVALID_DID', status: 400 } })
    const poor = await call('prepare_deposit', { ownerPubkey: nobody, amount: '1000000' })
    expect(poor).toMatchObject({ isError: true, _meta: { code: 'SIMULATION_FAILED', status: 422 } })
    expect(poor.content[0]!.text).toContain('Transaction simulation failed')
    const nothing = await call('prepare_update_agent', { ownerPubkey: nobody })
    expect(nothing.content[0]!.text).toContain('Provide at least one field to change')
    await expect(client.readResource({ uri: `agent://${nobody}` })).rejects.toMatchObject({
      code: -32_602,
      data: { code: 'AGENT_NOT_FOUND', status: 404 },
    })
  })

  test('an unknown argument is refused with the nearest known name, and a missing one with its name', async () => {
    const misspelled = await call('list_agents', { min_reputation: 900 })
    expect(misspelled).toMatchObject({ isError: true, _meta: { code: 'UNKNOWN_MEMBER', status: 400 } })
    expect(misspelled.content[0]!.text).toBe(
      'Unknown member "min_reputation". Did you mean "minReputation"? Known members: owner, tier, status, category, minReputation, maxReputation, includeMismatched, sort, order, limit, offset',
    )
    const missing = await call('verify_agent', {})
    expect(missing).toMatchObject({
      isError: true,
      content: [{ text: 'owner is required' }],
      _meta: { code: 'FIELD_REQUIRED', status: 400 },
    })
    const { tools } = await client.listTools()
    for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ additionalProperties: false })
  })
})

test('a registration that the service pays for needs an invite code and no SOL', async () => {
  const client = await connectMcp('SDK 2.x with the newest version only', gateway.runtime.baseUrl)
  const inviteCode = readFileSync(join(gateway.dataDir, 'invite-code'), 'utf8').trim()
  const owner = Keypair.generate()
  const wallet = owner.publicKey.toBase58()
  const registration = {
    ownerPubkey: wallet,
    name: 'Sponsored',
    serviceCategory: 'research',
    agentCardUrl: 'https://tools.example.org/card.json',
    agentCardHash: 'ab'.repeat(32),
  }
  const refused = await client.call('prepare_sponsored_registration', { ...registration, inviteCode: 'x' })
  expect(refused).toMatchObject({ isError: true, _meta: { code: 'INVITE_CODE_INVALID', status: 403 } })
  const eligible = await client.call('check_eligibility', { wallet, code: inviteCode })
  expect(eligible.structuredContent).toMatchObject({ eligible: true, reason: null })

  const { structuredContent: prepared } = await client.call<Structured>('prepare_sponsored_registration', {
    ...registration,
    inviteCode,
  })
  const request = { id: prepared.id, signedTx: signed(prepared, owner) }
  const wrongTool = await client.call('submit_transaction', request)
  expect(wrongTool).toMatchObject({ isError: true, _meta: { code: 'SPONSORED_REGISTRATION' } })
  const sent = await client.call('submit_sponsored_registration', {
    ...request,
    signerPubkey: wallet,
    inviteCode,
  })
  expect(sent.structuredContent).toMatchObject({ status: 'confirmed', error: null })
  const again = await client.call('check_eligibility', { wallet, code: inviteCode })
  expect(again.structuredContent).toMatchObject({ eligible: false })
  await client.close()
})

test.each([
  ['{', 400],
  ['[]', 400],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/call"}', 200],
  ['{"jsonrpc":"2.0","id":1,"method":"nope"}', 200],
])('POST /mcp with %s returns %i as JSON', async (body, status) => {
  const answer = await fetch(`${gateway.runtime.baseUrl}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body,
  })
  expect(answer.status).toBe(status)
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await answer.json()).toHaveProperty('error')
})

test('GET /mcp is 405, and a message without a session is 404', async () => {
  expect((await fetch(`${gateway.runtime.baseUrl}/mcp`)).status).toBe(405)
  const lost = await fetch(`${gateway.runtime.baseUrl}/mcp/messages?sessionId=nope`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect(lost.status).toBe(404)
  expect(await lost.json()).toEqual({
    error: 'MCP session not found: open one at /mcp/sse, and send messages with the same Authorization',
    details: { code: 'MCP_SESSION_NOT_FOUND' },
  })
})

test.each(['/mcp', '/mcp/sse'])(
  'the example client registers and verifies an agent over %s',
  async (path) => {
    const key = join(gateway.dataDir, `wallet${path.replaceAll('/', '-')}.json`)
    const { stdout: owner } = await runCommand(gateway.env, 'keygen', key)
    await runCommand(gateway.env, 'localnet', 'airdrop', owner.split(' ')[0]!, '1')
    const script = fileURLToPath(new URL('../../../../examples/mcp-client.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [
      script,
      key,
      `${gateway.runtime.baseUrl}${path}`,
    ])
    expect(stdout).toMatch(/^tools: .*prepare_register_agent/)
    expect(stdout).toContain('\nregistration: confirmed\n')
    expect(stdout).toMatch(/\nverified: true, Tool User did:sol:\w+\n$/)
  },
)
