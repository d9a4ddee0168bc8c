import { describe, expect, test } from 'vitest'
import { FIXED_NOW, useTestApp } from '../../support/app.ts'
import { keyOf } from '../../support/factories.ts'
import type { OpenApi } from '../../support/openapi.ts'
import { walletOf } from '../../support/wallet.ts'
import { steppingClock } from '../../support/wallet-client.ts'
import { MCP_HEADERS } from '../../support/mcp.ts'

const clock = steppingClock(FIXED_NOW)
const wallet = walletOf('owner')
const t = useTestApp({ clock })

interface Refusal {
  error: string
  details?: { code: string }
}

async function send(method: string, url: string, payload: string): Promise<[status: number, body: Refusal]> {
  const headers = { ...MCP_HEADERS, ...wallet.headers(method, url, clock.step()) }
  const response = await t.app.inject({ method: method as 'POST', url, headers, payload })
  return [response.statusCode, response.json()]
}

const KEY = keyOf('somebody')
const WEBHOOK = { url: 'https://receiver.example.com/hook', eventTypes: ['agent.closed'] }
const ID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const INSTRUCTION = { programId: KEY, keys: [], data: '' }
const PREPARE = { instructions: [INSTRUCTION], signerPubkeys: [KEY] }
const WEBHOOK_MEMBERS = 'url, eventTypes, filterAgentPda'
const PREPARE_MEMBERS = 'instructions, signerPubkeys, priorityLevel, sponsored'
const VERIFY = `/agents/${KEY}/credentials/verify`

describe('an unknown member of a body is 400 with the nearest known name', () => {
  const strictAccount = { pubkey: KEY, isSigner: true, isWritable: true, is_signer: false }
  test.each<[path: string, body: object, unknown: string, meant: string, known: string]>([
    ['/webhooks', { ...WEBHOOK, filterAgentPDA: KEY }, 'filterAgentPDA', 'filterAgentPda', WEBHOOK_MEMBERS],
    [
      '/webhooks',
      { ...WEBHOOK, filter_agent_pda: KEY },
      'filter_agent_pda',
      'filterAgentPda',
      WEBHOOK_MEMBERS,
    ],
    ['/webhooks', { ...WEBHOOK, colour: 1 }, 'colour', '', WEBHOOK_MEMBERS],
    ['/webhooks', { ...WEBHOOK, '': null }, '', '', WEBHOOK_MEMBERS],
    ['/webhooks', { ...WEBHOOK, ['x'.repeat(10_000)]: 1 }, `${'x'.repeat(64)}…`, '', WEBHOOK_MEMBERS],
    [`/webhooks/${ID}`, { activ: false }, 'activ', 'active', `${WEBHOOK_MEMBERS}, active`],
    [`/webhooks/${ID}/recover`, { from: '2026-11-20T00:00:00Z' }, 'from', '', 'since, until'],
    ['/relay/prepare', { ...PREPARE, priority: 'high' }, 'priority', 'priorityLevel', PREPARE_MEMBERS],
    ['/relay/prepare', { instruction: [INSTRUCTION] }, 'instruction', 'instructions', PREPARE_MEMBERS],
    [
      '/relay/prepare',
      { ...PREPARE, instructions: [{ ...INSTRUCTION, programID: KEY }] },
      'instructions[0].programID',
      'programId',
      'programId, keys, data',
    ],
    [
      '/sponsor/register',
      { instructions: [INSTRUCTION, { ...INSTRUCTION, keys: [strictAccount] }] },
      'instructions[1].keys[0].is_signer',
      'isSigner',
      'pubkey, isSigner, isWritable',
    ],
    [
      '/sponsor/register/submit',
      { id: ID, signedTransaction: '' },
      'signedTransaction',
      '',
      'id, signedTx, signerPubkey, inviteCode',
    ],
    ['/relay/estimate-fees', { accounts: [] }, 'accounts', 'accountKeys', 'accountKeys'],
    [
      VERIFY,
      { credentialURL: 'https://a.test/' },
      'credentialURL',
      'credentialUrl',
      'credentialUrl, credential',
    ],
  ])('%s, case %#', async (path, body, unknown, meant, known) => {
    const method = path === `/webhooks/${ID}` ? 'PATCH' : 'POST'
    const hint = meant && `Did you mean "${meant}"? `
    const error = `Unknown member "${unknown}". ${hint}Known members: ${known}`
    const refusal = { error, details: { code: 'UNKNOWN_MEMBER' } }
    expect(await send(method, path, JSON.stringify(body))).toEqual([400, refusal])
  })

  test('members of an inline credential are free', async () => {
    const [status, body] = await send('POST', VERIFY, '{"credential":{"anything":{"goes":1}}}')
    expect([status, body.error]).toEqual([404, 'Agent not found'])
  })

  test('OpenAPI documents that bodies have no other members', async () => {
    const document: OpenApi = (await t.app.inject('/openapi.json')).json()
    const open: unknown[] = []
    const walk = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return
      if ('properties' in schema && (schema as Record<string, unknown>)['additionalProperties'] !== false)
        open.push(path)
      for (const [name, each] of Object.entries(schema)) walk(each, `${path}.${name}`)
    }
    let bodies = 0
    for (const [path, item] of Object.entries(document.paths)) {
      for (const operation of Object.values(item)) {
        const { requestBody } = operation as { requestBody?: object }
        if (requestBody !== undefined) bodies += 1
        walk(requestBody, path)
      }
    }
    expect(open).toEqual([])
    expect(bodies).toBeGreaterThan(8)
  })
})

describe('a body with a repeated key is 400', () => {
  const CREDENTIAL = '{"credential":{"type":["A"],"issuer":{"id":"did:sol:a","id":"did:sol:b"}}}'
  const REPEATED = { code: 'REPEATED_MEMBER' }

  test.each<[string, string, string, string]>([
    ['an inline credential', VERIFY, CREDENTIAL, 'id'],
    ['a key that is escaped once', VERIFY, '{"credential":{"issuer":1,"\\u0069ssuer":2}}', 'issuer'],
    ['a body', '/webhooks', '{"url":"https://a.example/","url":"https://b.example/"}', 'url'],
    ['an instruction', '/relay/prepare', '{"instructions":[{"data":"AA==","data":""}]}', 'data'],
    ['GraphQL variables', '/graphql', '{"query":"{health{status}}","variables":{"c":{"id":1,"id":2}}}', 'id'],
    [
      'an MCP message',
      '/mcp',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_agents","name":"x"}}',
      'name',
    ],
  ])('%s', async (_, url, payload, name) => {
    expect(await send('POST', url, payload)).toEqual([
      400,
      { error: `The body has the member "${name}" twice in one object`, details: REPEATED },
    ])
  })

  test.each([
    '{"credential":{"a":{"id":1},"b":{"id":2},"c":[{"id":1},{"id":2}],"id":"\\"id\\":1,\\"id\\":2"}}',
    '{"credential":{"id\\\\":1,"id":2,"{":3,"}":{"{":4}}}',
    ' { "credential" : { "a" : "b" , "b" : "a" } } ',
  ])('the same key in different objects, or in texts, is accepted: %s', async (payload) => {
    const [status, { error }] = await send('POST', VERIFY, payload)
    expect([status, error]).toEqual([404, 'Agent not found'])
  })

  test.each(['{"credential":{"__proto__":{}}}', '{"credential":{"a":{"__pr\\u006fto__":1}}}'])(
    'the key __proto__ is refused: %s',
    async (payload) => {
      const [status, { details }] = await send('POST', VERIFY, payload)
      expect([status, details?.code]).toEqual([400, 'INVALID_JSON'])
    },
  )
})

describe('a body is 400', () => {
  const post = (payload: string) =>
    t.app.inject({
      url: '/graphql',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      payload,
    })

  test.each(['{"__proto__":{}}', '{"constructor":{"prototype":{}}}', '{"query":'])(
    'if it is %s',
    async (body) => {
      const response = await post(body)
      expect([response.statusCode, response.json<Refusal>().error]).toEqual([
        400,
        'The body must be valid JSON: it cannot be parsed, or has a key like __proto__',
      ])
    },
  )

  test('if it is empty', async () => {
    expect((await post('')).statusCode).toBe(400)
  })
})
