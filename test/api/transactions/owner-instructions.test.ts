import { Keypair } from '@solana/web3.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { worldIndexer } from '../../support/ledger/indexer.ts'
import { keyOf, type Prepared, signed, useRelayWorld } from '../../support/transactions/relay-world.ts'
import { perFile } from '../../support/lifetime.ts'

const DAY = 86_400
const CARD = { agentCardUrl: 'https://agents.example/card.json', agentCardHash: 'ab'.repeat(32) }

const world = useRelayWorld({ tablesFilled: false })
const indexer = perFile(() => worldIndexer(world, world.t.database.orm))
let owner: Keypair
beforeAll(async () => {
  owner = await world.funded()
  await world.rpc.call('localnet_mintUsdc', [keyOf(owner), 5_000_000_000])
  await indexer.whenIdle()
})

interface Agent {
  name: string
  version: string
  capabilities: string
  status: string
  stake: { depositedAmount: string; pendingWithdrawal: string } | null
}

/** Signs as the owner, submits, and reads the agent after the indexer has read the transaction. */
async function land(prepared: Prepared): Promise<Agent | null> {
  const { body } = await world.submit(prepared.id, signed(prepared, owner))
  expect(body).toMatchObject({ status: 'confirmed', error: null })
  await indexer.whenIdle()
  const { data } = await world.graphql(
    'query ($owner: Pubkey!) { agentByOwner(owner: $owner) { name version capabilities status stake { depositedAmount pendingWithdrawal } } }',
    { owner: keyOf(owner) },
  )
  return (data as { agentByOwner: Agent | null }).agentByOwner
}

async function rest(instruction: string, input: Record<string, unknown> = {}): Promise<Prepared> {
  const { status, body } = await world.post<Prepared>(`/relay/prepare/${instruction}`, {
    ownerPubkey: keyOf(owner),
    ...input,
  })
  expect({ status, body }).toMatchObject({ status: 200 })
  expect(body).toMatchObject({ feePayer: keyOf(owner) })
  expect(body).not.toHaveProperty('sponsored')
  return body
}

async function graphql(field: string, type: string, input: Record<string, unknown> = {}): Promise<Prepared> {
  const { data, errors } = await world.graphql(
    `mutation ($input: ${type}!) { ${field}(input: $input) { id serializedTx feePayer sponsored } }`,
    { input: { ownerPubkey: keyOf(owner), ...input } },
  )
  expect(errors).toBeUndefined()
  return (data as Record<string, Prepared>)[field]!
}

test('the owner of an agent runs every instruction from typed input, over REST and GraphQL', async () => {
  const registration = { name: 'Typed', serviceCategory: 'research', ...CARD }
  expect(await land(await rest('register-agent', registration))).toMatchObject({ name: 'Typed', stake: null })
  const changes = { version: '2', capabilities: '63' }
  expect(await land(await graphql('prepareUpdateAgent', 'UpdateAgentInput', changes))).toMatchObject(changes)
  expect(await land(await rest('suspend-agent'))).toMatchObject({ status: 'SUSPENDED' })
  expect(await land(await graphql('prepareReactivateAgent', 'OwnerInput'))).toMatchObject({
    status: 'ACTIVE',
  })
  expect(await land(await rest('deposit', { amount: '700000000' }))).toMatchObject({
    stake: { depositedAmount: '700000000', pendingWithdrawal: '0' },
  })
  expect(
    await land(await graphql('prepareRequestWithdrawal', 'StakeAmountInput', { amount: 200_000_000 })),
  ).toMatchObject({ stake: { pendingWithdrawal: '200000000' } })
  expect(await land(await rest('cancel-withdrawal'))).toMatchObject({ stake: { pendingWithdrawal: '0' } })
  await land(await rest('request-withdrawal', { amount: '700000000', priorityLevel: 'low' }))
  const early = await world.post('/relay/prepare/complete-withdrawal', { ownerPubkey: keyOf(owner) })
  expect([early.status, JSON.stringify(early.body)]).toEqual([422, expect.stringContaining('cooldown')])
  world.localnet.warp(7 * DAY + 1)
  expect(await land(await rest('complete-withdrawal'))).toMatchObject({ stake: { depositedAmount: '0' } })
  expect(await land(await rest('deactivate-agent'))).toMatchObject({ status: 'DEACTIVATED' })
  expect(await land(await graphql('prepareCloseStake', 'OwnerInput'))).toMatchObject({ stake: null })
  expect(await land(await rest('close-agent'))).toBeNull()
  world.localnet.warp(31 * DAY)
  expect(await land(await rest('close-deactivation-record'))).toBeNull()
})

describe('refuses', () => {
  type Refusal = [instruction: string, input: object, message: string]

  test.each<Refusal>([
    ['deposit', {}, 'ownerPubkey'],
    ['deposit', { ownerPubkey: 'x', amount: '1' }, 'ownerPubkey must be a base-58 public key'],
    [
      'deposit',
      { ownerPubkey: 'OWNER', amount: '18446744073709551616' },
      'amount must be an integer from 0 to',
    ],
    ['deposit', { ownerPubkey: 'OWNER', amount: '-1' }, 'amount must be an integer from 0 to'],
    ...['1x', '1.0', '', ' 1', '0x1', '0'.repeat(21)].map((amount): Refusal => [
      'deposit',
      { ownerPubkey: 'OWNER', amount },
      `, got "${amount}"`,
    ]),
    ['deposit', { ownerPubkey: 'OWNER', amount: '1', priority: 'low' }, 'Unknown member "priority"'],
    ['update-agent', { ownerPubkey: 'OWNER' }, 'Provide at least one field to change'],
    ['update-agent', { ownerPubkey: 'OWNER', capabilities: 'all' }, 'capabilities must be an integer'],
    ['update-agent', { ownerPubkey: 'OWNER', agentCardUrl: 'https://a.example' }, 'must change together'],
    ['register-agent', { ownerPubkey: 'OWNER', name: 'A', serviceCategory: 'x', ...CARD }, 'serviceCategory'],
    ...['ab', 'xy'.repeat(32), 'ab'.repeat(33)].map((agentCardHash): Refusal => [
      'update-agent',
      { ownerPubkey: 'OWNER', ...CARD, agentCardHash },
      `agentCardHash must be a SHA-256 hash of 64 hex digits, got "${agentCardHash.slice(0, 32)}`,
    ]),
  ])('%s with %j', async (instruction, input, message) => {
    const { status, body } = await world.post<{ error: string }>(
      `/relay/prepare/${instruction}`,
      JSON.parse(JSON.stringify(input).replace('OWNER', keyOf(owner))),
    )
    expect({ status, error: body.error }).toEqual({ status: 400, error: expect.stringContaining(message) })
  })

  test('closing what does not exist', async () => {
    const ownerPubkey = keyOf(await world.funded())
    const agent = await world.post('/relay/prepare/close-agent', { ownerPubkey })
    expect(agent).toMatchObject({ status: 404, body: { error: 'Agent not found' } })
    const stake = await world.post('/relay/prepare/close-stake', { ownerPubkey })
    expect(stake).toMatchObject({ status: 404, body: { error: 'Stake account not found' } })
  })

  test('an invite code and a sponsored fee while sponsorship is off', async () => {
    const input = {
      ownerPubkey: keyOf(owner),
      name: 'A',
      serviceCategory: 'research',
      ...CARD,
      inviteCode: 'X',
    }
    for (const [path, body] of [
      ['register-agent', input],
      ['suspend-agent', { ownerPubkey: keyOf(owner), sponsored: true }],
    ] as const)
      expect(await world.post(`/relay/prepare/${path}`, body)).toMatchObject({ status: 503 })
  })
})

describe('walletBalance', () => {
  const read = async (wallet: string) => {
    const { data, errors } = await world.graphql(
      'query ($wallet: Pubkey!) { walletBalance(wallet: $wallet) { lamports usdc } }',
      { wallet },
    )
    return errors ?? (data as { walletBalance: unknown }).walletBalance
  }

  test('has the SOL and USDC of a wallet, and zero for one that nobody used', async () => {
    const funded = await world.funded()
    await world.rpc.call('localnet_mintUsdc', [keyOf(funded), 1_234_567])
    world.localnet.stepSlot()
    expect(await read(keyOf(funded))).toMatchObject({ usdc: '1234567' })
    expect(await read(keyOf(Keypair.generate()))).toEqual({ lamports: '0', usdc: '0' })
  })

  test('only a localnet of the gateway gives SOL and USDC', async () => {
    const { errors } = await world.graphql(
      'mutation ($wallet: Pubkey!) { fundLocalnetWallet(wallet: $wallet) { lamports } }',
      { wallet: keyOf(owner) },
    )
    expect(errors).toMatchObject([
      {
        message: 'Cannot query field "fundLocalnetWallet" on type "Mutation".',
        extensions: { code: 'INVALID_REQUEST', status: 400 },
      },
    ])
    await expect(world.t.services.wallets.fund(keyOf(owner))).rejects.toMatchObject({ code: 'LOCALNET_ONLY' })
  })
})
