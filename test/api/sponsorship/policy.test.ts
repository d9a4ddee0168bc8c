import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { Keypair, SystemProgram, type TransactionInstruction } from '@solana/web3.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pubkeyBytes } from '@agent-registry/solana'
import { registryIdl, registryInstruction } from '@agent-registry/program'
import { createLocalSigner } from '../../../src/platform/keys/fee-payer-signer.ts'
import { checkPolicyTable } from '../../../src/sponsorship/check-table.ts'
import { newInviteCode, inviteCodeHash } from '../../../src/sponsorship/invite-code.ts'
import { SPONSOR_POLICY } from '../../../src/sponsorship/policy.ts'
import { agentRow } from '../../support/factories.ts'
import { type AgentWallet, registrationArgs } from '../../support/indexer/registry-world.ts'
import { addresses, type TestResponse, keyOf, programId, toJson } from '../../support/relay/relay-world.ts'
import {
  createSponsorWorld,
  signedByOwner,
  sponsoredRegistration,
  type SponsoredBody,
  type SponsorWorld,
} from '../../support/sponsorship/sponsor-world.ts'

let world: SponsorWorld
let inviteCode: string
let agent: AgentWallet
beforeAll(async () => {
  world = await createSponsorWorld()
  inviteCode = await world.code(1_000)
  agent = await world.wallet('Mine')
  await world.markSponsored(agent.owner)
})
afterAll(() => world.close())

type Json = ReturnType<typeof toJson>
const owner = Keypair.generate()
const registration = () => toJson(sponsoredRegistration(owner, world.feePayer))
const register = (instructions: Json[], signerPubkey = keyOf(owner)) =>
  world.send<SponsoredBody>('/sponsor/register', { instructions, signerPubkey, inviteCode })
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
const changed = (edit: (json: Json) => void): Json => {
  const json = registration()
  edit(json)
  return json
}
const account = (json: Json, i: number) => json.keys[i]!

describe('POST /sponsor/register refuses', () => {
  test.each([
    [{}, 'instructions array is required'],
    [{ instructions: 'x' }, 'instructions array is required'],
  ])('%j', async (body, error) => {
    expect(statusAndError(await world.send('/sponsor/register', body))).toEqual([400, error])
  })

  test('a missing field, by name', async () => {
    const instructions = [registration()]
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

  test('another payer than the service, with the service’s key', async () => {
    const key = keyOf(world.feePayer)
    const own = toJson(sponsoredRegistration(owner, owner))
    expect(statusAndError(await register([own]))).toEqual([
      400,
      `instructions[0].keys[0] (payer) must be the fee payer ${key}`,
    ])
  })

  test('a second instruction, of any kind', async () => {
    const update = registryInstruction(
      programId,
      'update_agent',
      { owner: keyOf(owner), agent: addresses.agent(keyOf(owner)) },
      { name: 'x' },
    )
    expect(statusAndError(await register([registration(), toJson(update)]))).toEqual([
      400,
      'Too many instructions: 2, at most 1',
    ])
    expect(statusAndError(await register([registration(), registration()]))[0]).toBe(400)
  })

  test('other programs and other instructions', async () => {
    const { feePayer } = world
    const transfer = SystemProgram.transfer({
      fromPubkey: feePayer.publicKey,
      toPubkey: owner.publicKey,
      lamports: 1,
    })
    expect(statusAndError(await register([toJson(transfer)]))).toEqual([
      403,
      'Program 11111111111111111111111111111111 is not allowed by this relay',
    ])
    const deposit = toJson(agent.instruction('deposit', { payer: keyOf(feePayer) }, { amount: 1n }))
    expect(statusAndError(await register([deposit], agent.owner))).toEqual([
      403,
      'instructions[0] cannot be sponsored: a registration has one register_agent, got deposit',
    ])
  })

  test('the fee payer in any other place', async () => {
    const key = keyOf(world.feePayer)
    const misused = (place: string) => [403, `The fee payer ${key} must not appear in ${place}`]
    for (const i of [1, 2, 3, 4, 5, 6, 7]) {
      const json = changed((each) => {
        account(each, i).pubkey = key
      })
      expect(statusAndError(await register([json]))).toEqual(misused(`instructions[0].keys[${i}]`))
    }
    const ninth = changed((each) => {
      each.keys.push({ pubkey: key, isSigner: false, isWritable: false })
    })
    expect(statusAndError(await register([ninth]))).toEqual(misused('instructions[0].keys[8]'))
    const hash = registryInstruction(
      programId,
      'register_agent',
      { payer: key, owner: keyOf(owner), agent: addresses.agent(keyOf(owner)) },
      { ...registrationArgs('x'), agentCardHash: pubkeyBytes(key) },
    )
    expect(statusAndError(await register([toJson(hash)]))).toEqual(misused('instructions[0].data'))
    expect(
      statusAndError(await register([toJson(sponsoredRegistration(world.feePayer, world.feePayer))], key)),
    ).toEqual(misused('signerPubkey'))
    const program = changed((each) => {
      each.programId = key
    })
    expect(statusAndError(await register([program]))).toEqual([
      403,
      `Program ${key} is not allowed by this relay`,
    ])
  })

  test('other accounts and flags than those of the IDL', async () => {
    const stranger = keyOf(Keypair.generate())
    const edits: [(json: Json) => void, string][] = [
      [(each) => (account(each, 1).pubkey = stranger), `owner must be ${keyOf(owner)}`],
      [(each) => (account(each, 2).pubkey = stranger), 'agent must be '],
      [(each) => (account(each, 3).pubkey = stranger), 'deactivation_record must be '],
      [(each) => (account(each, 4).pubkey = stranger), 'config must be '],
      [(each) => (account(each, 5).pubkey = stranger), 'system_program must be 1111'],
      [(each) => (account(each, 6).pubkey = stranger), 'event_authority must be '],
      [(each) => (account(each, 7).pubkey = stranger), `program must be ${programId}`],
      [(each) => (account(each, 6).isSigner = true), 'event_authority must have isSigner false'],
      [(each) => (account(each, 0).isSigner = false), 'payer must have isSigner true, isWritable true'],
      [(each) => (account(each, 0).isWritable = false), 'payer must have isSigner true, isWritable true'],
      [(each) => (account(each, 1).isWritable = true), 'owner must have isSigner true, isWritable false'],
      [(each) => (account(each, 2).isSigner = true), 'agent must have isSigner false, isWritable true'],
      [(each) => each.keys.pop(), 'register_agent takes 8 accounts, got 7'],
      [
        (each) => each.keys.push({ pubkey: stranger, isSigner: false, isWritable: true }),
        'register_agent takes 8 accounts, got 9',
      ],
      [(each) => (each.data = ''), 'its data is not a registry instruction'],
      [(each) => (each.data = 'AAAA'), 'its data is not a registry instruction'],
      [(each) => (each.data = each.data.slice(0, 40)), 'its data is not a registry instruction'],
      [
        (each) =>
          (each.data = Buffer.concat([Buffer.from(each.data, 'base64'), Buffer.alloc(1)]).toString('base64')),
        'its data is not a registry instruction',
      ],
    ]
    for (const [edit, problem] of edits) {
      const { status, body } = await register([changed(edit)])
      expect([status, body.error]).toEqual([403, expect.stringContaining(problem)])
    }
  })

  test('the refused requests used up nothing', async () => {
    expect(await world.sponsorships(owner)).toEqual([])
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
    const done = await world.submit(prepared.body.id, signedByOwner(prepared.body.serializedTx, poor))
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
    const suspended = await world.submit(flagged.id, signedByOwner(flagged.serializedTx, poor))
    expect(suspended.body.status).toBe('confirmed')
  })

  test('the wallet pays for the accounts of a first deposit', async () => {
    const deposit = agent.instruction('deposit', { payer: agent.owner }, { amount: 5_000_000n })
    const before = await world.balance()
    const { status, body } = await sponsored([deposit])
    expect(status).toBe(200)
    expect((await world.submit(body.id, signedByOwner(body.serializedTx, agent.keypair))).body).toMatchObject(
      {
        status: 'confirmed',
      },
    )
    expect(before - (await world.balance())).toBeLessThan(12_000)
    const request = agent.instruction('request_withdrawal', {}, { amount: 1_000_000n })
    const cancel = agent.instruction('cancel_withdrawal')
    const both = await sponsored([request, cancel])
    expect(both.status).toBe(200)
    expect(
      (await world.submit(both.body.id, signedByOwner(both.body.serializedTx, agent.keypair))).body.status,
    ).toBe('confirmed')
  })

  test('refuses the fee payer in every account, and registrations', async () => {
    const key = keyOf(world.feePayer)
    const deposit = agent.instruction('deposit', { payer: agent.owner }, { amount: 1n })
    for (let i = 0; i < deposit.keys.length; i++) {
      const json = toJson(deposit)
      account(json, i).pubkey = key
      const answer = await world.send<{ error: string }>('/relay/prepare/sponsored', {
        instructions: [json],
        signerPubkeys: [agent.owner],
      })
      expect(statusAndError(answer)).toEqual([
        403,
        `The fee payer ${key} must not appear in instructions[0].keys[${i}]`,
      ])
    }
    expect(statusAndError(await sponsored([deposit], [agent.owner, key]))[0]).toBe(403)
    expect(statusAndError(await sponsored([deposit], [agent.owner, keyOf(owner)]))).toEqual([
      400,
      'signerPubkeys must contain one wallet: a sponsored transaction has no other signer',
    ])
    for (const payer of [world.feePayer, owner]) {
      expect(statusAndError(await sponsored([sponsoredRegistration(owner, payer)], [keyOf(owner)]))).toEqual([
        403,
        'A sponsored registration requires an invite code: use POST /sponsor/register',
      ])
    }
    expect(statusAndError(await sponsored([agent.instruction('deactivate_agent')]))).toEqual([
      403,
      expect.stringMatching(
        /^instructions\[0\] cannot be sponsored: deactivate_agent is not one of update_agent, /,
      ),
    ])
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

  test('up to the daily limit of the client network that submits them', async () => {
    world.limits.dailyTransactionsPerClient = 3
    const client = '2001:db8:4::1'
    const prepare = (name: string, from = client) => {
      const instructions = [toJson(agent.instruction('update_agent', {}, { name }))]
      const body = { instructions, signerPubkeys: [agent.owner] }
      return world.send<SponsoredBody>('/relay/prepare/sponsored', body, from)
    }
    const submit = ({ body: { id, serializedTx } }: TestResponse<SponsoredBody>, from = client) =>
      world.send<{ error: string | null }>(
        '/relay/submit',
        { id, signedTx: signedByOwner(serializedTx, agent.keypair) },
        from,
      )
    const prepared = []
    for (const name of ['a', 'b', 'c', 'd']) prepared.push(await prepare(name))
    expect(prepared.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const answers = []
    for (const each of prepared) answers.push((await submit(each)).status)
    expect(answers).toEqual([200, 200, 200, 429])
    // Another address of the same /64.
    const limited = await prepare('e', '2001:db8:4::2')
    expect(statusAndError(limited)).toEqual([
      429,
      expect.stringMatching(
        /^At most 3 sponsored transactions per IP address and day\. Try again in 86\d{3} s\.$/,
      ),
    ])
    const elsewhere = '2001:db8:5::1'
    expect((await submit(prepared[3]!, elsewhere)).status).toBe(200)
    world.limits.dailyTransactionsPerClient = 100
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

describe('submit refuses', () => {
  let prepared: SponsoredBody
  const buyer = Keypair.generate()
  beforeAll(async () => {
    prepared = (await world.register({ owner: buyer, inviteCode })).body
  })
  const submit = (change: object) =>
    world.send<{ error: string }>('/sponsor/register/submit', {
      id: prepared.id,
      signedTx: signedByOwner(prepared.serializedTx, buyer),
      signerPubkey: keyOf(buyer),
      inviteCode,
      ...change,
    })

  test('another code, another signer, and missing fields', async () => {
    const mismatch = [403, 'signerPubkey and inviteCode must match the prepared registration']
    expect(statusAndError(await submit({ inviteCode: await world.code() }))).toEqual(mismatch)
    expect(statusAndError(await submit({ inviteCode: 'x' }))).toEqual(mismatch)
    expect(statusAndError(await submit({ signerPubkey: keyOf(owner) }))).toEqual(mismatch)
    for (const name of ['id', 'signedTx', 'signerPubkey', 'inviteCode'])
      expect(statusAndError(await submit({ [name]: undefined }))).toEqual([400, `${name} is required`])
    expect(statusAndError(await submit({ id: 'x' }))).toEqual([404, 'Transaction not found'])
  })

  test('the wrong endpoint, in both directions', async () => {
    expect(
      statusAndError(
        (await world.submit(prepared.id, signedByOwner(prepared.serializedTx, buyer))) as TestResponse<never>,
      ),
    ).toEqual([
      400,
      'The transaction is a sponsored registration: submit it to POST /sponsor/register/submit',
    ])
    const plain = await world.prepare(
      [
        SystemProgram.transfer({
          fromPubkey: agent.keypair.publicKey,
          toPubkey: agent.keypair.publicKey,
          lamports: 1,
        }),
      ],
      [agent.keypair],
    )
    expect(statusAndError(await submit({ id: plain.id }))).toEqual([
      400,
      'The transaction is not a sponsored registration: submit it to POST /relay/submit',
    ])
    const update = await sponsored([agent.instruction('update_agent', {}, { name: 'Door' })])
    expect(statusAndError(await submit({ id: update.body.id, signerPubkey: agent.owner }))[0]).toBe(400)
  })

  test('a signature in the place of the fee payer’s, and none of the owner’s', async () => {
    const bytes = Buffer.from(signedByOwner(prepared.serializedTx, buyer), 'base64')
    bytes[5] = 1
    expect(statusAndError(await submit({ signedTx: bytes.toString('base64') }))).toEqual([
      400,
      `The service signs as the fee payer ${keyOf(world.feePayer)}. Leave the 64 bytes of its signature zero.`,
    ])
    expect(statusAndError(await submit({ signedTx: prepared.serializedTx }))).toEqual([
      400,
      `Missing or invalid signature for ${keyOf(buyer)}`,
    ])
  })

  test('another message, and accepts the right one afterwards', async () => {
    const other = (await world.register({ inviteCode })).body
    expect(statusAndError(await submit({ signedTx: other.serializedTx }))).toEqual([
      400,
      'Signed transaction does not match the prepared transaction',
    ])
    expect((await submit({})).body).toMatchObject({ status: 'confirmed', sponsored: true })
  })
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

test('invite codes have 100 bits and are read as people type them', () => {
  const codes = Array.from({ length: 200 }, () => newInviteCode())
  expect(new Set(codes).size).toBe(200)
  for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){3}$/)
  expect(inviteCodeHash('O0o0I-1i1lL-00000-0000Z')).toBe(inviteCodeHash('0000111111000000000z'))
  for (const wrong of ['', '0000', 'U0000-00000-00000-00000', '00000-00000-00000-00000-0', '\0'.repeat(20)])
    expect(inviteCodeHash(wrong)).toBeNull()
})
