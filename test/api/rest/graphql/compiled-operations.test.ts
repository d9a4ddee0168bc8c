import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { buildSchema, getOperationAST, type GraphQLObjectType, parse } from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { operation } from '../../../../rest/execute.ts'
import { operations } from '../../../../rest/documents/documents.ts'
import { createGraphQLContext } from '../../../../schema/context.ts'
import { DomainError, isDomainError } from '../../../../src/domain/errors.ts'
import { createAppOfTest, useTestApp } from '../../../support/app.ts'
import { insertAgents, insertHistory, insertStakes, keyOf, stakeRow } from '../../../support/factories.ts'
import { walletOf } from '../../../support/wallet.ts'

const t = useTestApp()
beforeAll(async () => {
  const labels = ['Weather Scout', 'Weather Bot', 'Trader']
  await insertAgents(t.kysely, labels)
  await insertStakes(t.kysely, [stakeRow('Trader', { deposited_amount: '18446744073709551615' })])
  await t.services.webhooks.create(wallet.pubkey, '127.0.0.1', {
    url: 'https://receiver.example.com',
    eventTypes: ['agent.closed'],
  })
  await insertHistory(t.kysely, 'Trader', [{}, { event_type: 'tier_updated', delta: null }])
})

const agent = { pda: keyOf('agent Trader') }

const NOBODYS = '0f8fad5b-d9cb-469f-a165-70867728950e'
const wallet = walletOf('compiled')

const OWNER_INPUTS = [
  { input: { ownerPubkey: 'x' } },
  { input: { ownerPubkey: agent.pda, sponsored: true } },
  { input: {} },
]
const AMOUNT_INPUTS = [
  { input: { ownerPubkey: 'x', amount: '1' } },
  { input: { ownerPubkey: agent.pda, amount: '18446744073709551616' } },
  { input: { ownerPubkey: agent.pda, amount: 1.5 } },
  { input: { ownerPubkey: agent.pda } },
]
const REGISTRATION = {
  ownerPubkey: agent.pda,
  name: 'New',
  serviceCategory: 'research',
  agentCardUrl: 'https://agents.example',
  agentCardHash: 'ab'.repeat(32),
}

/** Every operation of rest/, with valid and invalid variables. */
const CASES: Record<string, Record<string, unknown>[]> = {
  ListAgents: [
    {},
    { name: 'Wether', order: 'asc', limit: 1 },
    {
      tier: 'observer',
      status: 'inactive',
      category: null,
      include_mismatched: true,
      sort: 'name',
    },
    { limit: null, offset: null, sort: null, tier: null },
    { limit: 0 },
    { owner: 'x' },
    { limit: 'ten' },
    { tier: 'gold' },
    {},
  ],
  GetAgent: [agent, { pda: keyOf('nobody') }, { pda: 'x' }, { pda: 1 }, {}],
  GetAgentHistory: [agent, { ...agent, event_type: 'tier_updated' }, { ...agent, limit: -1 }, { pda: 'x' }],
  ListStakes: [{}, { owner: keyOf('owner Trader'), limit: 1 }, { agent_pda: 'x' }],
  GetStake: [{ pda: keyOf('stake Trader') }, { pda: keyOf('stake nobody') }],
  ResolveDid: [{ did: `did:sol:${keyOf('owner Trader')}` }, { did: 'did:sol:x' }, { did: 1 }, {}],
  ResolveIdentifier: [{ did: `did:sol:${keyOf('owner Trader')}` }, { did: 'did:sol:x' }],
  GetDidDocument: [{ did: `did:sol:${keyOf('owner Trader')}` }, { did: `did:sol:${keyOf('nobody')}` }],
  ListCredentials: [
    agent,
    { ...agent, type: 'SecurityAudit', active: true },
    { pda: 'x' },
    { ...agent, type: '' },
  ],
  VerifyCredential: [
    agent,
    { ...agent, source: { credential: {} } },
    { ...agent, source: { credential: {}, credentialUrl: 'x' } },
    { ...agent, source: {} },
    {},
  ],
  GetHealth: [{}],
  GetDetailedHealth: [{}],
  GetReadiness: [{}],
  GetInfo: [{}],
  PrepareTransaction: [
    {},
    { input: {} },
    { input: { instructions: [{ programId: 'x', keys: [], data: '' }], signerPubkeys: ['x'] } },
    { input: { instructions: [{ programId: 'x' }] } },
    { input: { priorityLevel: 'urgent' } },
  ],
  PrepareSuspendAgent: OWNER_INPUTS,
  PrepareReactivateAgent: OWNER_INPUTS,
  PrepareDeactivateAgent: OWNER_INPUTS,
  PrepareCloseAgent: OWNER_INPUTS,
  PrepareCloseDeactivationRecord: OWNER_INPUTS,
  PrepareCancelWithdrawal: OWNER_INPUTS,
  PrepareCompleteWithdrawal: OWNER_INPUTS,
  PrepareCloseStake: OWNER_INPUTS,
  PrepareDeposit: AMOUNT_INPUTS,
  PrepareRequestWithdrawal: AMOUNT_INPUTS,
  PrepareRegisterAgent: [
    { input: { ...REGISTRATION, ownerPubkey: 'x' } },
    { input: { ...REGISTRATION, agentCardHash: 'x' } },
    { input: { ...REGISTRATION, inviteCode: 'x' } },
    { input: { ...REGISTRATION, serviceCategory: 'x' } },
    {},
  ],
  PrepareUpdateAgent: [
    { input: { ownerPubkey: agent.pda } },
    { input: { ownerPubkey: agent.pda, capabilities: '-1' } },
    { input: { ownerPubkey: agent.pda, agentCardUrl: 'https://agents.example' } },
  ],
  PrepareSponsoredTransaction: [{}, { input: {} }, { input: { signerPubkeys: [1] } }],
  GetEligibility: [{}, { wallet: agent.pda, code: 'x' }, { wallet: 'x', code: 'x' }],
  RegisterSponsored: [{}, { input: {} }],
  SubmitSponsoredRegistration: [{}, { input: {} }],
  SubmitTransaction: [{}, { id: 'x', signedTx: '' }, { id: 1 }],
  GetTransaction: [{ id: 'x' }, { id: '00000000-0000-0000-0000-000000000000' }, {}],
  ListWebhookEventTypes: [{}],
  ListWebhooks: [{}],
  CreateWebhook: [
    {},
    { input: {} },
    { input: { url: 'https://receiver.example.com', eventTypes: ['x'] } },
    { input: { url: 1 } },
  ],
  UpdateWebhook: [
    { id: NOBODYS, input: {} },
    { id: NOBODYS, input: { eventTypes: null } },
    { id: 'x', input: null },
  ],
  DeleteWebhook: [{ id: NOBODYS }, {}],
  RotateWebhookSecret: [{ id: NOBODYS }, {}],
  ListWebhookDeliveries: [{ id: NOBODYS }, { id: NOBODYS, limit: 0 }, { id: 'x', limit: null, offset: null }],
  PingWebhook: [{ id: NOBODYS }],
  ResendWebhookDelivery: [{ id: NOBODYS, deliveryId: NOBODYS }, { id: NOBODYS }],
  RecoverWebhook: [{ id: NOBODYS }, { id: NOBODYS, since: 1 }],
  CreateSignInChallenge: [{ origin: 'https://evil.example' }, { wallet: 'x' }, { origin: 1 }],
  CreateSession: [{}, { message: 'x' }, { message: 'x', signature: 'y' }, { message: 1 }],
  GetSession: [{}],
  EndSession: [{}, { all: true }, { all: 'x' }],
  LookupAgent: [{ query: 'Trader' }, { query: agent.pda }, { query: 'did:sol:x' }, {}],
  LookupAgents: [{ query: 'Trader' }, { query: 'did:sol:x' }, {}],
  VerifyAgent: [{ owner: keyOf('owner Trader') }, { owner: 'x', min_tier: 'gold' }],
  VerifyAgentTool: [
    { owner: keyOf('owner Trader') },
    { owner: keyOf('nobody'), minTier: 'basic' },
    { owner: keyOf('owner Trader'), minReputation: 2_000 },
  ],
  SelectAgents: [{}, { minReputation: 1, limit: 1 }, { limit: 0 }],
  CheckReputation: [{ owner: keyOf('owner Trader') }, { owner: 'x' }],
  ResolveAgentDid: [{ did: `did:sol:${keyOf('owner Trader')}` }, { did: 'x' }],
  CheckCredentials: [{ owner: keyOf('owner Trader') }, { owner: keyOf('nobody') }],
  PrepareSponsoredRegistration: [{ ...REGISTRATION, inviteCode: 'x' }, {}],
  VerifyHostedCredential: [{ ...agent, credentialUrl: 'x' }, {}],
  ListOwnWebhooks: [{}],
  AgentResource: [agent, { pda: keyOf('nobody') }],
  DidDocumentResource: [{ did: `did:sol:${keyOf('owner Trader')}` }, { did: 'x' }],
  EstimateFees: [{}, { accountKeys: [] }, { accountKeys: ['x'] }, { accountKeys: 'x' }],
}

test('every operation has test cases, which set its variables', () => {
  expect([...operations.keys()].sort()).toEqual(Object.keys(CASES).sort())
  for (const { name, document } of operations.values()) {
    const names = getOperationAST(document)?.variableDefinitions?.map(({ variable }) => variable.name.value)
    const given = (CASES[name] ?? []).flatMap((variables) => Object.keys(variables))
    expect([name, given.filter((each) => !names?.includes(each))]).toEqual([name, []])
  }
})

const contextOf = () =>
  createGraphQLContext(t.services, {
    clientIp: '192.0.2.1',
    authenticate: async () => ({ wallet: wallet.pubkey, session: null }),
    count: () => undefined,
  })

async function outcome(run: Promise<unknown>): Promise<unknown> {
  try {
    return { data: JSON.parse(JSON.stringify(await run)) as unknown }
  } catch (error) {
    if (!isDomainError(error)) throw error
    // The texts of GraphQL's own errors of variables differ.
    const { code, message } = error
    return code === 'INVALID_REQUEST' && message.startsWith('Variable ') ? { code } : { code, message }
  }
}

test.each([...operations.values()])(
  '$name has the same result compiled and interpreted',
  async ({ name, document }) => {
    const variants = (['jit', 'execute'] as const).map((executor) =>
      operation<unknown, Record<string, unknown>>(document, executor),
    )
    for (const variables of CASES[name] ?? []) {
      const [jit, interpreted] = await Promise.all(
        variants.map((run) => outcome(run(contextOf(), variables))),
      )
      expect(jit).toEqual(interpreted)
    }
  },
)

test('the service also works without compiled operations', async () => {
  const slow = await createAppOfTest({ executor: 'execute' })
  await insertAgents(slow.kysely, ['Any'])
  expect((await slow.app.inject('/agents?name=Any')).json()).toMatchObject({
    total: 1,
    agents: [{ name: 'Any' }],
  })
})

test('of several failing fields, the first one of the document is reported, whichever fails first', async () => {
  const schema = buildSchema('type Query { items: [Item!] } type Item { a: Int! b: Item! }')
  const itemType = schema.getType('Item') as GraphQLObjectType
  schema.getQueryType()!.getFields()['items']!.resolve = () => ['first', 'second']
  itemType.getFields()['b']!.resolve = (parent) => `${parent} b`
  itemType.getFields()['a']!.resolve = async (parent) => {
    for (let i = 0; i < (parent === 'first b b' ? 50 : 0); i++) await Promise.resolve()
    throw new DomainError('INVALID_REQUEST', { problem: `${parent} fails` })
  }
  const text = '{ items { ...F } } fragment F on Item { late: b { ... { b { a } } a } soon: a late: b { a } }'
  const run = operation(parse(text) as TypedDocumentNode<unknown, {}>, 'jit', schema)
  await expect(run({} as Parameters<typeof run>[0], {})).rejects.toThrow('first b b fails')
})
