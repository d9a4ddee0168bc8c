import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../support/app.ts'
import {
  agentRow,
  insertAgents,
  insertHistory,
  insertStakes,
  keyOf,
  stakeRow,
} from '../../support/factories.ts'
import { post, query } from '../../support/graphql.ts'
import { walletOf } from '../../support/wallet.ts'

const pda = keyOf('agent Any')
const stake = keyOf('stake Any')
const NOBODY = keyOf('nobody')
const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const wallet = walletOf('lookups')
const ALWAYS = { from: null, until: null }
const VERDICT = {
  rulesVersion: '0',
  wellFormed: true,
  datesValid: true,
  issuer: 'did:web:issuer.example',
  types: ['SecurityAuditCredential'],
  validity: ALWAYS,
  proofValidity: ALWAYS,
  proofKeys: [],
  signaturesValid: null,
  hasStatus: false,
}

let t: TestApp
beforeAll(async () => {
  t = await createTestApp()
  await insertAgents(t.kysely, [agentRow('Any')])
  await insertStakes(t.kysely, [stakeRow('Any')])
  await insertHistory(t.kysely, 'Any', [
    { delta: '-5', old_value: '255', new_value: '250' },
    { event_type: 'tier_updated', delta: null, old_value: 'observer', new_value: 'basic' },
  ])
})
afterAll(() => t.close())

test.each([
  ['agent', `agent(pda: "${NOBODY}") { pda }`, 'AGENT_NOT_FOUND'],
  ['agent', `agent(owner: "${NOBODY}") { pda }`, 'AGENT_NOT_FOUND'],
  ['agentHistory', `agentHistory(pda: "${NOBODY}") { total }`, 'AGENT_NOT_FOUND'],
  ['agentHistoryConnection', `agentHistoryConnection(pda: "${NOBODY}") { totalCount }`, 'AGENT_NOT_FOUND'],
  ['credentials', `credentials(pda: "${NOBODY}") { total }`, 'AGENT_NOT_FOUND'],
  ['stake', `stake(pda: "${NOBODY}") { pda }`, 'STAKE_NOT_FOUND'],
  ['did', `did(did: "did:sol:${NOBODY}") { did }`, 'DID_NOT_FOUND'],
  ['transaction', `transaction(id: "${UUID}") { id }`, 'TRANSACTION_NOT_FOUND'],
  ['webhook', `webhook(id: "${UUID}") { id }`, 'AUTH_HEADERS_MISSING'],
  ['node', 'node(id: "x") { id }', 'INVALID_NODE_ID'],
])('an unknown %s is null with its error, and the other fields are answered', async (field, text, code) => {
  const { data, errors } = await post(t, `{ ${text} agents { total } }`)
  expect(data).toEqual({ [field]: null, agents: { total: 1 } })
  expect(errors).toMatchObject([{ path: [field], extensions: { code } }])
})

describe('an agent', () => {
  test('is found by its owner', async () => {
    const { agent } = await query<{ agent: unknown }>(
      t,
      '{ agent(owner: "' + keyOf('owner Any') + '") { pda } }',
    )
    expect(agent).toEqual({ pda })
  })

  test.each(['', `(pda: "${pda}", owner: "${pda}")`, '(pda: null)'])('needs one key: %s', async (args) => {
    const { errors } = await post(t, `{ agent${args} { pda } }`)
    expect(errors).toMatchObject([
      { message: 'Provide exactly one of pda and owner', extensions: { status: 400 } },
    ])
  })
})

test('a webhook is returned to its owner only', async () => {
  const { id } = await t.services.webhooks.create(wallet.pubkey, '127.0.0.1', {
    url: 'https://receiver.example.com',
    eventTypes: ['agent.closed'],
  })
  expect(await t.services.webhooks.get(wallet.pubkey, id)).toMatchObject({
    id,
    url: 'https://receiver.example.com/',
  })
  for (const [owner, key] of [
    [walletOf('other').pubkey, id],
    [wallet.pubkey, UUID],
    [wallet.pubkey, 'x'],
  ] as const)
    await expect(t.services.webhooks.get(owner, key)).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' })
})

describe('node', () => {
  test('returns agents, stakes and credentials by the id that other fields return', async () => {
    const vcHash = 'ab'.repeat(32)
    await t.kysely
      .insertInto('agent_credentials')
      .values({
        agent_pda: pda,
        vc_hash: vcHash,
        credential_url: 'https://issuer.example/1',
        source: 'owner',
        type: 'SecurityAuditCredential',
        issuer: 'did:web:issuer.example',
        verdict: VERDICT,
        document: '{}',
        indexed_at: '2026-11-20T10:00:00.000Z',
      })
      .execute()
    const { agent } = await query<{
      agent: { id: string; stake: { id: string }; credentials: { credentials: { id: string }[] } }
    }>(t, `{ agent(pda: "${pda}") { id stake { id } credentials { credentials { id agentPda } } } }`)
    const ids = [agent.id, agent.stake.id, agent.credentials.credentials[0]!.id]
    expect(new Set(ids).size).toBe(3)
    const fields =
      'id __typename ... on Agent { name } ... on Stake { pda } ... on Credential { vcHash agentPda }'
    const nodes = await query(
      t,
      `{ ${ids.map((id, i) => `n${i}: node(id: "${id}") { ${fields} }`).join(' ')} }`,
    )
    expect(nodes).toEqual({
      n0: { __typename: 'Agent', id: ids[0], name: 'Any' },
      n1: { __typename: 'Stake', id: ids[1], pda: stake },
      n2: { __typename: 'Credential', id: ids[2], vcHash, agentPda: pda },
    })
  })

  const encoded = (text: string): string => Buffer.from(text).toString('base64url')
  test.each([`Agent:${NOBODY}:`, `Stake:${NOBODY}:`, `Credential:${NOBODY}:${'00'.repeat(32)}`])(
    '%s, which does not exist, is null without an error',
    async (id) => {
      expect(await query(t, `{ node(id: "${encoded(id)}") { id } }`)).toEqual({ node: null })
    },
  )

  test.each([
    '',
    '!',
    encoded('Agent:x:'),
    encoded(`Webhook:${pda}:`),
    encoded(`Agent:${pda}:x`),
    'a'.repeat(300),
  ])('refuses the id %j', async (id) => {
    const { errors } = await post(t, `{ node(id: "${id}") { id } }`)
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_NODE_ID', status: 400 } }])
  })
})

test('an entry of the history has its slot, its signature and numbers for charts', async () => {
  const fields = 'id slot signature oldReputation newReputation reputationDelta'
  const { agentHistory } = await query<{ agentHistory: { history: unknown[] } }>(
    t,
    `{ agentHistory(pda: "${pda}") { history { ${fields} } } }`,
  )
  expect(agentHistory.history).toEqual([
    {
      id: expect.stringMatching(/^evt_/),
      slot: 101,
      signature: keyOf('signature Any 1'),
      oldReputation: null,
      newReputation: null,
      reputationDelta: null,
    },
    {
      id: expect.stringMatching(/^evt_/),
      slot: 100,
      signature: keyOf('signature Any 0'),
      oldReputation: 255,
      newReputation: 250,
      reputationDelta: -5,
    },
  ])
})
