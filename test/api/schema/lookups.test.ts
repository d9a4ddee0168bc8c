import { beforeAll, describe, expect, test } from 'vitest'
import { useTestApp } from '../../support/app.ts'
import { credentialRow, insertAgents, insertHistory, insertStakes, keyOf } from '../../support/factories.ts'
import { post, query } from '../../support/graphql.ts'
import { walletOf } from '../../support/wallet.ts'

const pda = keyOf('agent Any')
const stake = keyOf('stake Any')
const NOBODY = keyOf('nobody')
const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const wallet = walletOf('lookups')

const t = useTestApp()
beforeAll(async () => {
  await insertAgents(t.kysely, ['Any'])
  await insertStakes(t.kysely, ['Any'])
  await insertHistory(t.kysely, 'Any', [
    { delta: '-5', old_value: '255', new_value: '250' },
    { event_type: 'tier_updated', delta: null, old_value: 'observer', new_value: 'basic' },
    { event_type: 'status_changed', delta: null, old_value: 'active', new_value: 'suspended' },
  ])
})

test.each([
  ['agent', `agent(pda: "${NOBODY}") { pda }`, 'AGENT_NOT_FOUND'],
  ['agentByOwner', `agentByOwner(owner: "${NOBODY}") { pda }`, 'AGENT_NOT_FOUND'],
  ['agentHistory', `agentHistory(pda: "${NOBODY}") { totalCount }`, 'AGENT_NOT_FOUND'],
  ['agentHistoryPage', `agentHistoryPage(pda: "${NOBODY}") { total }`, 'AGENT_NOT_FOUND'],
  ['credentials', `credentials(pda: "${NOBODY}") { totalCount }`, 'AGENT_NOT_FOUND'],
  ['credentialsPage', `credentialsPage(pda: "${NOBODY}") { total }`, 'AGENT_NOT_FOUND'],
  ['stake', `stake(pda: "${NOBODY}") { pda }`, 'STAKE_NOT_FOUND'],
  ['did', `did(did: "did:sol:${NOBODY}") { did }`, 'DID_NOT_FOUND'],
  ['transaction', `transaction(id: "${UUID}") { id }`, 'TRANSACTION_NOT_FOUND'],
  ['transactionBySignature', `transactionBySignature(signature: "${UUID}") { id }`, 'TRANSACTION_NOT_FOUND'],
  ['webhook', `webhook(id: "${UUID}") { id }`, 'AUTH_HEADERS_MISSING'],
  ['node', 'node(id: "x") { id }', 'INVALID_NODE_ID'],
])('an unknown %s is null with its error, and the other fields are answered', async (field, text, code) => {
  const { data, errors } = await post(t, `{ ${text} agents { totalCount } }`)
  expect(data).toEqual({ [field]: null, agents: { totalCount: 1 } })
  expect(errors).toMatchObject([{ path: [field], extensions: { code } }])
})

describe('an agent', () => {
  test('is found by its owner', async () => {
    const { agentByOwner } = await query<{ agentByOwner: unknown }>(
      t,
      '{ agentByOwner(owner: "' + keyOf('owner Any') + '") { pda } }',
    )
    expect(agentByOwner).toEqual({ pda })
  })

  test.each([
    ['agent', 'pda'],
    ['agentByOwner', 'owner'],
  ])('of %s needs %s', async (field, key) => {
    const refused = async (args: string) => (await post(t, `{ ${field}${args} { pda } }`)).errors
    const extensions = { code: 'INVALID_REQUEST', status: 400 }
    const missing = `Argument "Query.${field}(${key}:)" of type "Pubkey!" is required, but it was not provided.`
    expect(await refused('')).toMatchObject([{ message: missing, extensions }])
    expect(await refused(`(${key}: null)`)).toMatchObject([
      { message: expect.stringContaining('"Pubkey!"') as string, extensions },
    ])
    const other = key === 'pda' ? 'owner' : 'pda'
    expect(await refused(`(${key}: "${pda}", ${other}: "${pda}")`)).toMatchObject([
      { message: expect.stringContaining(`Unknown argument "${other}"`) as string, extensions },
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
    const row = credentialRow('Any')
    const vcHash = row.vc_hash
    await t.kysely.insertInto('agent_credentials').values(row).execute()
    const { agent } = await query<{
      agent: { id: string; stake: { id: string }; credentials: { nodes: { id: string }[] } }
    }>(t, `{ agent(pda: "${pda}") { id stake { id } credentials { nodes { id agentPda } } } }`)
    const ids = [agent.id, agent.stake.id, agent.credentials.nodes[0]!.id]
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

test('an entry of the history has its slot, its signature and typed values', async () => {
  const numbers = 'oldReputation newReputation reputationDelta'
  const fields = `id slot signature ${numbers} oldTier newTier oldStatus newStatus`
  const { agentHistory } = await query<{ agentHistory: { nodes: unknown[] } }>(
    t,
    `{ agentHistory(pda: "${pda}") { nodes { ${fields} } } }`,
  )
  const nothing = {
    oldReputation: null,
    newReputation: null,
    reputationDelta: null,
    oldTier: null,
    newTier: null,
    oldStatus: null,
    newStatus: null,
  }
  expect(agentHistory.nodes).toEqual([
    {
      ...nothing,
      id: expect.stringMatching(/^evt_/),
      slot: 102,
      signature: keyOf('signature Any 2'),
      oldStatus: 'ACTIVE',
      newStatus: 'SUSPENDED',
    },
    {
      ...nothing,
      id: expect.stringMatching(/^evt_/),
      slot: 101,
      signature: keyOf('signature Any 1'),
      oldTier: 'OBSERVER',
      newTier: 'BASIC',
    },
    {
      ...nothing,
      id: expect.stringMatching(/^evt_/),
      slot: 100,
      signature: keyOf('signature Any 0'),
      oldReputation: 255,
      newReputation: 250,
      reputationDelta: -5,
    },
  ])
})
