import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { Keypair, type TransactionInstruction } from '@solana/web3.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { registryIdl, registryInstruction } from '@agent-registry/program'
import { createLocalSigner } from '../../../src/platform/keys.ts'
import { checkPolicyTable, SPONSOR_POLICY } from '../../../src/transactions/sponsor-policy.ts'
import { inviteCodeHash } from '../../../src/transactions/invite-codes.ts'
import { agentRow } from '../../support/factories.ts'
import type { AgentWallet } from '../../support/ledger/registry-world.ts'
import {
  addresses,
  keyOf,
  programId,
  signed,
  type TestResponse,
  toJson,
} from '../../support/transactions/relay-world.ts'
import { registrationOf } from '../../support/transactions/parties.ts'
import { newClient, type SponsoredBody, useSponsorWorld } from '../../support/transactions/sponsor-world.ts'

const world = useSponsorWorld()
let inviteCode: string
let agent: AgentWallet
beforeAll(async () => {
  inviteCode = await world.code(1_000)
  agent = await world.wallet('Mine')
  await world.markSponsored(agent.owner)
})

const owner = Keypair.generate()
const sponsored = (
  instructions: TransactionInstruction[],
  signers = [keyOf(agent.keypair)],
  client?: string,
) =>
  world.send<SponsoredBody>(
    '/relay/prepare/sponsored',
    { instructions: instructions.map(toJson), signerPubkeys: signers },
    client,
  )
const statusAndError = ({ status, body }: TestResponse<{ error?: string }>) => [status, body.error]
describe('POST /sponsor/register refuses', () => {
  test.each([
    [{}, 'instructions array is required'],
    [{ instructions: 'x' }, 'instructions array is required'],
  ])('%j', async (body, error) => {
    expect(statusAndError(await world.send('/sponsor/register', body))).toEqual([400, error])
  })

  test('a missing field, by name', async () => {
    const instructions = [toJson(registrationOf(keyOf(owner), keyOf(world.feePayer)))]
    const [signerPubkey, code] = [keyOf(owner), inviteCode]
    const post = async (body: object) => statusAndError(await world.send('/sponsor/register', body))
    expect(await post({ instructions, inviteCode: code })).toEqual([400, 'signerPubkey is required'])
    expect(await post({ instructions, signerPubkey })).toEqual([400, 'inviteCode is required'])
    expect(await post({ instructions, signerPubkey, inviteCode: '' })).toEqual([
      400,
      'inviteCode is required',
    ])
    expect(await post({ instructions, signerPubkey, inviteCode: 1 })).toEqual([
      400,
      'inviteCode must be text, got 1',
    ])
    expect(await post({ instructions, signerPubkey: 'x', inviteCode: code })).toEqual([
      400,
      'signerPubkey must be a base-58 public key of 32 bytes, got "x"',
    ])
  })
})

describe('POST /relay/prepare/sponsored', () => {
  test('pays the fee of a wallet without lamports in REST and GraphQL', async () => {
    const before = await world.balance()
    const poor = Keypair.generate()
    const { body } = await world.register({ owner: poor, inviteCode })
    await world.submitRegistration(body, poor, inviteCode)
    const key = keyOf(poor)
    const update = registryInstruction(
      programId,
      'update_agent',
      { owner: key, agent: addresses.agent(key) },
      { name: 'Renamed' },
    )
    const afterRegistration = await world.balance()
    expect(afterRegistration).toBeLessThan(before)
    const prepared = await sponsored([update], [key])
    expect([prepared.status, prepared.body.sponsored, prepared.body.feePayer]).toEqual([
      200,
      true,
      keyOf(world.feePayer),
    ])
    const done = await world.submit(prepared.body.id, signed(prepared.body, poor))
    expect(done.body).toMatchObject({ status: 'confirmed', sponsored: true })
    const cost = afterRegistration - (await world.balance())
    expect(cost).toBeGreaterThanOrEqual(10_000)
    expect(cost).toBeLessThan(12_000)

    const suspend = registryInstruction(programId, 'suspend_agent', {
      authority: key,
      agent: addresses.agent(key),
    })
    const { data, errors } = await world.graphql(
      'mutation ($input: PrepareTransactionInput!) { prepareTransaction(input: $input) { id serializedTx sponsored } }',
      { input: { instructions: [toJson(suspend)], signerPubkeys: [key], sponsored: true } },
    )
    expect(errors).toBeUndefined()
    const flagged = (data as { prepareTransaction: SponsoredBody }).prepareTransaction
    expect(flagged.sponsored).toBe(true)
    const suspended = await world.submit(flagged.id, signed(flagged, poor))
    expect(suspended.body.status).toBe('confirmed')
  })

  test('the wallet pays for the accounts of a first deposit', async () => {
    const deposit = agent.instruction('deposit', { payer: agent.owner }, { amount: 5_000_000n })
    const before = await world.balance()
    const { status, body } = await sponsored([deposit])
    expect(status).toBe(200)
    expect((await world.submit(body.id, signed(body, agent.keypair))).body).toMatchObject({
      status: 'confirmed',
    })
    expect(before - (await world.balance())).toBeLessThan(12_000)
    const request = agent.instruction('request_withdrawal', {}, { amount: 1_000_000n })
    const cancel = agent.instruction('cancel_withdrawal')
    const both = await sponsored([request, cancel])
    expect(both.status).toBe(200)
    expect((await world.submit(both.body.id, signed(both.body, agent.keypair))).body.status).toBe('confirmed')
  })
})

describe('a wallet gets sponsored transactions', () => {
  const prepareBy = async ({ owner: key, instruction }: AgentWallet) =>
    statusAndError(await sponsored([instruction('update_agent', {}, { name: 'Renamed' })], [key]))

  test('if the service sponsored its registration, or if its agent has the tier basic or higher', async () => {
    const own = await world.wallet('Own')
    const refused = [
      403,
      `Wallet ${own.owner} gets no sponsored transactions: the service must have sponsored the registration of its agent, or the agent must have the tier basic or higher`,
    ]
    expect(await prepareBy(own)).toEqual(refused)
    const indexed = agentRow('own', { pda: addresses.agent(own.owner), owner: own.owner, tier: 'observer' })
    await world.t.kysely.insertInto('agents').values(indexed).execute()
    expect(await prepareBy(own)).toEqual(refused)
    await world.t.kysely.updateTable('agents').set({ tier: 'basic' }).where('owner', '=', own.owner).execute()
    expect(await prepareBy(own)).toEqual([200, undefined])
  })

  test('only for its own agent', async () => {
    const other = await world.wallet('Other')
    const suspend = agent.instruction('suspend_agent', {
      authority: agent.owner,
      agent: addresses.agent(other.owner),
    })
    expect(statusAndError(await sponsored([suspend]))).toEqual([
      403,
      `instructions[0].keys[1] cannot be sponsored: agent must be ${addresses.agent(agent.owner)}`,
    ])
  })
})

describe('the daily limits', () => {
  const update = () => [agent.instruction('update_agent', {}, { name: 'Renamed' })]
  const statusesFor = async (client: string) => ({
    registration: (await world.register({ inviteCode, client })).status,
    transaction: (await sponsored(update(), [agent.owner], client)).status,
  })
  const store = async (count: number, row: object): Promise<void> => {
    const rows = Array.from({ length: count }, () => ({
      id: randomUUID(),
      kind: 'transaction' as const,
      wallet: randomUUID(),
      state: 'confirmed' as const,
      reserved_lamports: 0,
      ...row,
    }))
    await world.t.kysely.insertInto('sponsorships').values(rows).execute()
  }
  const registrations = () => ({ kind: 'registration', code_hash: inviteCodeHash(inviteCode) })

  test('of a client count registrations and transactions separately', async () => {
    const [first, second] = ['203.0.113.1', '203.0.113.2']
    await store(5, { client_network: first })
    await store(100, { client_network: second, ...registrations() })
    expect(await statusesFor(first)).toEqual({ registration: 200, transaction: 200 })
    expect(await statusesFor(second)).toEqual({ registration: 429, transaction: 200 })
  })

  test('of the budget, a client and a wallet do not count what was released', async () => {
    const released = { client_network: '203.0.113.3', state: 'released' }
    await store(100, { ...released, wallet: agent.owner, reserved_lamports: 20_000_000 })
    await store(5, { ...released, ...registrations() })
    expect(await statusesFor('203.0.113.3')).toEqual({ registration: 200, transaction: 200 })
  })
})

test('POST /sponsor/register/submit refuses a missing field, by name', async () => {
  const { body } = await world.register({ owner, inviteCode })
  const signedTx = signed(body, owner)
  const whole = { id: body.id, signedTx, signerPubkey: keyOf(owner), inviteCode }
  for (const name of Object.keys(whole))
    expect(
      statusAndError(await world.send('/sponsor/register/submit', { ...whole, [name]: undefined })),
    ).toEqual([400, `${name} is required`])
})

test('the record of a prepared registration contains no signature', async () => {
  const { body } = await world.register({ inviteCode })
  expect(await world.status(body.id)).toEqual({
    id: body.id,
    status: 'simulated',
    signature: null,
    error: null,
    slot: null,
    sponsored: true,
  })
})

describe('the policy table', () => {
  test('fits the IDL', () => {
    expect(() => checkPolicyTable(SPONSOR_POLICY, registryIdl)).not.toThrow()
  })

  test.each([
    [
      { registration: { ...SPONSOR_POLICY.registration, instruction: 'register' } },
      /no instruction register/,
    ],
    [
      { registration: { ...SPONSOR_POLICY.registration, payer: { name: 'payer', index: 1 } } },
      /register_agent is signed by payer 0, owner 1/,
    ],
    [
      { registration: { ...SPONSOR_POLICY.registration, creates: { name: 'agent', index: 4, bytes: 1 } } },
      /account 4 of register_agent is not agent, writable/,
    ],
    [
      { transaction: { ...SPONSOR_POLICY.transaction, instructions: { deposit: { owner: 1 } } } },
      /deposit is signed by payer 0, owner 1, not owner 1/,
    ],
    [
      {
        transaction: {
          ...SPONSOR_POLICY.transaction,
          instructions: { register_agent: { payer: 0, owner: 1 } },
        },
      },
      /the payer of register_agent pays rent/,
    ],
  ])('stops the service if it does not (%#)', (change, problem) => {
    expect(() => checkPolicyTable({ ...SPONSOR_POLICY, ...change }, registryIdl)).toThrow(problem)
  })
})

test('the signer exposes only its public key', () => {
  const keypair = Keypair.generate()
  const signer = createLocalSigner(keypair)
  const secrets = [
    [...keypair.secretKey.subarray(0, 32)].join(),
    Buffer.from(keypair.secretKey.subarray(0, 32)).toString('hex'),
    Buffer.from(keypair.secretKey.subarray(0, 32)).toString('base64'),
  ]
  const shown = [
    inspect(signer, { depth: null, showHidden: true }),
    JSON.stringify(signer),
    inspect({ ...signer }, { depth: null, getters: true }),
  ].join('\n')
  expect(shown).toContain(keyOf(keypair))
  for (const secret of secrets) expect(shown).not.toContain(secret)
})

const AGENT = {
  name: 'Typed',
  serviceCategory: 'research',
  agentCardUrl: 'https://agents.example/card.json',
  agentCardHash: 'ab'.repeat(32),
}

test('an invite code makes the service pay for a registration from typed input, and later for its agent', async () => {
  const owner = await world.funded()
  const client = newClient()
  const inviteCode = await world.code()
  const input = { ...AGENT, ownerPubkey: keyOf(owner), inviteCode }
  const prepared = await world.send<SponsoredBody>('/relay/prepare/register-agent', input, client)
  expect(prepared).toMatchObject({ status: 200, body: { feePayer: keyOf(world.feePayer), sponsored: true } })
  const landed = await world.submitRegistration(prepared.body, owner, inviteCode, client)
  expect(landed).toMatchObject({ status: 200, body: { status: 'confirmed', sponsored: true } })

  const suspend = { ownerPubkey: keyOf(owner), sponsored: true }
  const later = await world.send<SponsoredBody>('/relay/prepare/suspend-agent', suspend, client)
  expect(later).toMatchObject({ status: 200, body: { feePayer: keyOf(world.feePayer), sponsored: true } })
  const closing = await world.send<SponsoredBody>('/relay/prepare/deactivate-agent', suspend, client)
  expect(closing).toMatchObject({
    status: 403,
    body: { error: expect.stringContaining('cannot be sponsored') },
  })
})

test('a wrong code and a wallet without a sponsored agent are refused', async () => {
  const owner = await world.funded()
  const input = { ...AGENT, ownerPubkey: keyOf(owner), inviteCode: 'WRONG' }
  expect(await world.send('/relay/prepare/register-agent', input)).toMatchObject({ status: 403 })
  const suspend = { ownerPubkey: keyOf(owner), sponsored: true }
  expect(await world.send('/relay/prepare/suspend-agent', suspend)).toMatchObject({ status: 403 })
})
