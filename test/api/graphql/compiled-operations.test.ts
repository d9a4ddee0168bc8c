import { afterAll, beforeAll, expect, test } from 'vitest'
import { operation } from '../../../rest/execute.ts'
import * as documents from '../../../rest/generated/graphql.ts'
import { createGraphQLContext } from '../../../schema/context.ts'
import { isDomainError } from '../../../src/domain/errors.ts'
import { createTestApp, type TestApp } from '../../support/app.ts'
import {
  agentRow,
  insertAgents,
  insertHistory,
  insertStakes,
  keyOf,
  stakeRow,
} from '../../support/factories.ts'
import { walletOf } from '../../support/wallet.ts'

let t: TestApp
beforeAll(async () => {
  t = await createTestApp()
  const labels = ['Weather Scout', 'Weather Bot', 'Trader']
  await insertAgents(
    t.kysely,
    labels.map((label) => agentRow(label)),
  )
  await insertStakes(t.kysely, [stakeRow('Trader', { deposited_amount: '18446744073709551615' })])
  await t.services.webhooks.create(wallet.pubkey, '127.0.0.1', {
    url: 'https://receiver.example.com',
    eventTypes: ['agent.closed'],
  })
  await insertHistory(t.kysely, 'Trader', [{}, { event_type: 'tier_updated', delta: null }])
})
afterAll(() => t.close())

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
  ListAgentsDocument: [
    { by_name: false },
    { by_name: true, name: 'Wether', order: 'asc', limit: 1 },
    {
      by_name: false,
      tier: 'observer',
      status: 'inactive',
      category: null,
      include_mismatched: true,
      sort: 'name',
    },
    { by_name: false, limit: null, offset: null, sort: null, tier: null },
    { by_name: false, limit: 0 },
    { by_name: false, owner: 'x' },
    { by_name: false, limit: 'ten' },
    { by_name: false, tier: 'gold' },
    {},
  ],
  GetAgentDocument: [agent, { pda: keyOf('nobody') }, { pda: 'x' }, { pda: 1 }, {}],
  GetAgentHistoryDocument: [
    agent,
    { ...agent, event_type: 'tier_updated' },
    { ...agent, limit: -1 },
    { pda: 'x' },
  ],
  ListStakesDocument: [{}, { owner: keyOf('owner Trader'), limit: 1 }, { agent_pda: 'x' }],
  GetStakeDocument: [{ pda: keyOf('stake Trader') }, { pda: keyOf('stake nobody') }],
  ResolveDidDocument: [{ did: `did:sol:${keyOf('owner Trader')}` }, { did: 'did:sol:x' }, { did: 1 }, {}],
  ResolveIdentifierDocument: [{ did: `did:sol:${keyOf('owner Trader')}` }, { did: 'did:sol:x' }],
  GetDidDocumentDocument: [
    { did: `did:sol:${keyOf('owner Trader')}` },
    { did: `did:sol:${keyOf('nobody')}` },
  ],
  ListCredentialsDocument: [
    agent,
    { ...agent, type: 'SecurityAudit', active: true },
    { pda: 'x' },
    { ...agent, type: '' },
  ],
  VerifyCredentialDocument: [agent, { ...agent, credential: {} }, {}],
  GetHealthDocument: [{}],
  GetDetailedHealthDocument: [{}],
  GetReadinessDocument: [{}],
  GetInfoDocument: [{}],
  PrepareTransactionDocument: [
    {},
    { input: {} },
    { input: { instructions: [{ programId: 'x', keys: [], data: '' }], signerPubkeys: ['x'] } },
    { input: { instructions: [{ programId: 'x' }] } },
    { input: { priorityLevel: 'urgent' } },
  ],
  PrepareSuspendAgentDocument: OWNER_INPUTS,
  PrepareReactivateAgentDocument: OWNER_INPUTS,
  PrepareDeactivateAgentDocument: OWNER_INPUTS,
  PrepareCloseAgentDocument: OWNER_INPUTS,
  PrepareCloseDeactivationRecordDocument: OWNER_INPUTS,
  PrepareCancelWithdrawalDocument: OWNER_INPUTS,
  PrepareCompleteWithdrawalDocument: OWNER_INPUTS,
  PrepareCloseStakeDocument: OWNER_INPUTS,
  PrepareDepositDocument: AMOUNT_INPUTS,
  PrepareRequestWithdrawalDocument: AMOUNT_INPUTS,
  PrepareRegisterAgentDocument: [
    { input: { ...REGISTRATION, ownerPubkey: 'x' } },
    { input: { ...REGISTRATION, agentCardHash: 'x' } },
    { input: { ...REGISTRATION, inviteCode: 'x' } },
    { input: { ...REGISTRATION, serviceCategory: 'x' } },
    {},
  ],
  PrepareUpdateAgentDocument: [
    { input: { ownerPubkey: agent.pda } },
    { input: { ownerPubkey: agent.pda, capabilities: '-1' } },
    { input: { ownerPubkey: agent.pda, agentCardUrl: 'https://agents.example' } },
  ],
  PrepareSponsoredTransactionDocument: [{}, { input: {} }, { input: { signerPubkeys: [1] } }],
  GetEligibilityDocument: [{}, { wallet: agent.pda, code: 'x' }, { wallet: 'x', code: 'x' }],
  RegisterSponsoredDocument: [{}, { input: {} }],
  SubmitSponsoredRegistrationDocument: [{}, { input: {} }],
  SubmitTransactionDocument: [{}, { id: 'x', signedTx: '' }, { id: 1 }],
  GetTransactionDocument: [{ id: 'x' }, { id: '00000000-0000-0000-0000-000000000000' }, {}],
  ListWebhookEventTypesDocument: [{}],
  ListWebhooksDocument: [{}],
  CreateWebhookDocument: [
    {},
    { input: {} },
    { input: { url: 'https://receiver.example.com', eventTypes: ['x'] } },
    { input: { url: 1 } },
  ],
  UpdateWebhookDocument: [
    { id: NOBODYS, input: {} },
    { id: NOBODYS, input: { eventTypes: null } },
    { id: 'x', input: null },
  ],
  DeleteWebhookDocument: [{ id: NOBODYS }, {}],
  RotateWebhookSecretDocument: [{ id: NOBODYS }, {}],
  ListWebhookDeliveriesDocument: [
    { id: NOBODYS },
    { id: NOBODYS, limit: 0 },
    { id: 'x', limit: null, offset: null },
  ],
  PingWebhookDocument: [{ id: NOBODYS }],
  ResendWebhookDeliveryDocument: [{ id: NOBODYS, deliveryId: NOBODYS }, { id: NOBODYS }],
  RecoverWebhookDocument: [{ id: NOBODYS }, { id: NOBODYS, since: 1 }],
  CreateSignInChallengeDocument: [{ origin: 'https://evil.example' }, { wallet: 'x' }, { origin: 1 }],
  CreateSessionDocument: [{}, { message: 'x' }, { message: 'x', signature: 'y' }, { message: 1 }],
  GetSessionDocument: [{}],
  EndSessionDocument: [{}, { all: true }, { all: 'x' }],
  EstimateFeesDocument: [{}, { accountKeys: [] }, { accountKeys: ['x'] }, { accountKeys: 'x' }],
}

const compiled = Object.entries(documents).filter(([name]) => name.endsWith('Document'))

test('every operation has test cases', () => {
  expect(compiled.map(([name]) => name).sort()).toEqual(Object.keys(CASES).sort())
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
    // Only the texts of GraphQL's own variable errors may differ.
    return isDomainError(error) ? { code: error.code, message: error.message } : 'refused by GraphQL'
  }
}

test.each(compiled)('%s has the same result compiled and interpreted', async (name, document) => {
  const variants = (['jit', 'execute'] as const).map((executor) =>
    operation<unknown, Record<string, unknown>>(document as never, executor),
  )
  for (const variables of CASES[name] ?? []) {
    const [jit, interpreted] = await Promise.all(variants.map((run) => outcome(run(contextOf(), variables))))
    expect(jit).toEqual(interpreted)
  }
})

test('the service also works without compiled operations', async () => {
  const slow = await createTestApp({ executor: 'execute' })
  try {
    await insertAgents(slow.kysely, [agentRow('Any')])
    expect((await slow.app.inject('/agents?name=Any')).json()).toMatchObject({
      total: 1,
      agents: [{ name: 'Any' }],
    })
  } finally {
    await slow.close()
  }
})
