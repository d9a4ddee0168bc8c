import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  VersionedTransaction,
} from '@solana/web3.js'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { keyOf as named } from '../../support/factories.ts'
import { keyOf, registration, toJson, useRelayWorld } from '../../support/transactions/relay-world.ts'
import { refused, responseOf } from '../../support/refusal.ts'

const world = useRelayWorld()
let payer: Keypair
beforeAll(async () => {
  payer = await world.funded()
})

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
const STRANGER = named('a program of nobody')
const transfer = (lamports = 1) =>
  SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: payer.publicKey, lamports })
const json = (...instructions: TransactionInstruction[]) => instructions.map(toJson)
const me = () => [keyOf(payer)]
/** A request for these instructions of the payer. */
const inputOf = (...instructions: TransactionInstruction[]) => ({
  instructions: json(...instructions),
  signerPubkeys: me(),
})
const NO_KEY = 'must be a base-58 public key of 32 bytes, got'
const PREPARE = 'mutation ($input: PrepareTransactionInput!) { prepareTransaction(input: $input) { id } }'

test('returns a v0 transaction that its signer can sign, with the compute budget of its simulation', async () => {
  const { status, body } = await world.post<Record<string, unknown>>('/relay/prepare', {
    ...inputOf(registration(payer)),
    priorityLevel: 'high',
  })
  expect(status).toBe(200)
  expect(Object.keys(body).sort()).toEqual([
    'blockhash',
    'estimatedComputeUnits',
    'feePayer',
    'id',
    'lastValidBlockHeight',
    'priorityFee',
    'serializedTx',
  ])
  expect(body).toMatchObject({ feePayer: keyOf(payer), priorityFee: 10_000 })
  const transaction = VersionedTransaction.deserialize(Buffer.from(String(body.serializedTx), 'base64'))
  expect(transaction.version).toBe(0)
  expect(transaction.message.recentBlockhash).toBe(body.blockhash)
  expect(transaction.message.staticAccountKeys[0]?.toBase58()).toBe(keyOf(payer))
  expect(transaction.signatures).toEqual([new Uint8Array(64)])
  const [limit, price] = transaction.message.compiledInstructions
  const units = Buffer.from(limit?.data ?? []).readUInt32LE(1)
  expect(units).toBe(body.estimatedComputeUnits)
  expect(Buffer.from(price?.data ?? []).readBigUInt64LE(1)).toBe(10_000n)

  // The compute units that the same message uses.
  transaction.sign([payer])
  const run = await world.connection.simulateTransaction(transaction, { commitment: 'confirmed' })
  expect(run.value.err).toBeNull()
  expect(units).toBe(Math.ceil((run.value.unitsConsumed ?? 0) * 1.2))
  const height = await world.connection.getBlockHeight('confirmed')
  expect(Number(body.lastValidBlockHeight) - height).toBeLessThanOrEqual(150)
  expect(Number(body.lastValidBlockHeight) - height).toBeGreaterThan(100)
  expect(await world.status(String(body.id))).toEqual({
    id: body.id,
    status: 'simulated',
    signature: null,
    error: null,
    slot: null,
  })
})

test('with warm caches, the simulation is the only call to the node', async () => {
  await world.prepare([transfer()], [payer])
  world.calls.length = 0
  await world.prepare([transfer(2)], [payer])
  expect(world.calls).toContain('simulateTransaction')
  expect(world.calls.filter((each) => each === 'simulateTransaction')).toHaveLength(1)
  expect(world.calls.filter((each) => each === 'getLatestBlockhash').length).toBeLessThanOrEqual(1)
})

test('the first signer pays, with any other signers', async () => {
  const [first, second] = [payer, Keypair.generate()]
  const both = SystemProgram.transfer({
    fromPubkey: first.publicKey,
    toPubkey: second.publicKey,
    lamports: 1_000_000,
  })
  both.keys.push({ pubkey: second.publicKey, isSigner: true, isWritable: false })
  const { feePayer, serializedTx } = await world.prepare([both], [first, second])
  expect(feePayer).toBe(keyOf(first))
  const { message } = VersionedTransaction.deserialize(Buffer.from(serializedTx, 'base64'))
  expect(message.header.numRequiredSignatures).toBe(2)
})

const nonce = () => {
  const data = Buffer.alloc(4)
  data.writeUInt32LE(4)
  return new TransactionInstruction({ programId: SystemProgram.programId, keys: [], data })
}

test('bytes like those of a durable nonce are accepted in a memo', async () => {
  const { data } = nonce()
  const instruction = new TransactionInstruction({ programId: MEMO, keys: [], data })
  const { id } = await world.prepare([instruction], [payer])
  expect(await world.status(id)).toMatchObject({ status: 'simulated' })
})

const callOf = (program: string) =>
  new TransactionInstruction({ programId: new PublicKey(program), keys: [], data: Buffer.alloc(1) })
const memo = (bytes: number) =>
  new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.alloc(bytes, 65) })

describe('REST and GraphQL refuse with the contract’s texts', () => {
  const other = Keypair.generate()
  const signedByOther = () => {
    const instruction = transfer()
    instruction.keys.push({ pubkey: other.publicKey, isSigner: true, isWritable: false })
    return instruction
  }
  const [REQUIRED, NO_SIGNERS] = ['instructions array is required', 'signerPubkeys array is required']
  const limitUnits = ComputeBudgetProgram.setComputeUnitLimit({ units: 1 })
  type Body = { instructions?: unknown; signerPubkeys?: unknown; sponsored?: boolean }
  type Case = [name: string, changes: () => Body, error: string, status?: number]
  // GraphQL itself refuses missing values.
  const incomplete: Case[] = [
    ['no instructions', () => ({ instructions: undefined }), REQUIRED],
    ['null for the list', () => ({ instructions: null }), REQUIRED],
    ['no signers', () => ({ signerPubkeys: undefined }), NO_SIGNERS],
  ]
  const withFirst = (changes: object): Body => ({ instructions: [{ ...toJson(transfer()), ...changes }] })
  const account = { pubkey: '', isSigner: false, isWritable: false }
  const cases: Case[] = [
    ['an empty list', () => ({ instructions: [] }), REQUIRED],
    ['an empty list of signers', () => ({ signerPubkeys: [] }), NO_SIGNERS],
    [
      '17 instructions',
      () => ({ instructions: json(...Array.from({ length: 17 }, () => transfer())) }),
      'Too many instructions: 17, at most 16',
    ],
    [
      'too many bytes',
      () => ({ instructions: json(memo(1_009)) }),
      'Transaction too large: 1233 bytes, at most 1232',
    ],
    [
      'a foreign program',
      () => ({ instructions: json(callOf(STRANGER)) }),
      `Program ${STRANGER} is not allowed by this relay`,
      403,
    ],
    [
      'a compute budget of the client’s',
      () => ({ instructions: json(limitUnits, transfer()) }),
      'The service adds compute budget instructions. Set priorityLevel instead.',
    ],
    [
      'a durable nonce',
      () => ({ instructions: json(nonce(), transfer()) }),
      'Durable nonces are not supported: remove AdvanceNonceAccount',
    ],
    [
      'a signer too few',
      () => ({ instructions: json(signedByOther()) }),
      `signerPubkeys must contain ${keyOf(other)}, which an instruction requires as signer`,
    ],
    [
      'a signer too many',
      () => ({ signerPubkeys: [...me(), keyOf(other)] }),
      `signerPubkeys contains ${keyOf(other)}, which no instruction requires as signer`,
    ],
    [
      'a signer twice',
      () => ({ signerPubkeys: [...me(), ...me()] }),
      'signerPubkeys must not contain a key twice',
    ],
    [
      'a payer whose signature anybody can make',
      () => ({ instructions: json(memo(1)), signerPubkeys: [SystemProgram.programId.toBase58()] }),
      'signerPubkeys contains 11111111111111111111111111111111, which cannot sign',
    ],
    [
      'a payer that is called',
      () => ({ instructions: json(memo(1)), signerPubkeys: [MEMO.toBase58()] }),
      `signerPubkeys contains ${MEMO.toBase58()}, which cannot sign`,
    ],
    ['a malformed signer', () => ({ signerPubkeys: ['abc'] }), `signerPubkeys[0] ${NO_KEY} "abc"`],
    ['a malformed program', () => withFirst({ programId: '0' }), `instructions[0].programId ${NO_KEY} "0"`],
    [
      'a malformed account',
      () => withFirst({ keys: [account] }),
      `instructions[0].keys[0].pubkey ${NO_KEY} ""`,
    ],
    [
      'data that is not base64',
      () => withFirst({ data: 'AA' }),
      'instructions[0].data must be base64 with padding, got "AA"',
    ],
    ['sponsorship', () => ({ sponsored: true }), 'Sponsorship is off', 503],
  ]
  const refusals = async (changes: Body) => {
    const input = { ...inputOf(transfer()), ...changes }
    const rest = await world.post<{ error: string }>('/relay/prepare', input)
    const graphql = (await world.graphql(PREPARE, { input })).errors?.[0]
    return { rest: [rest.status, rest.body.error], graphql }
  }
  test.each(cases)('%s', async (_, changes, error, status = 400) => {
    const { rest, graphql } = await refusals(changes())
    expect(rest).toEqual([status, error])
    expect(graphql).toMatchObject({ message: error, extensions: { status } })
  })
  test.each(incomplete)('%s', async (_, changes, error) => {
    const { rest, graphql } = await refusals(changes())
    expect(rest).toEqual([400, error])
    const [name = ''] = error.split(' ')
    expect(graphql?.message).toContain(name)
    expect(graphql?.extensions).toMatchObject({ code: 'INVALID_REQUEST', status: 400 })
  })

  test.each([
    ['[]', 'The body must be a JSON object'],
    ['null', 'The body must be a JSON object'],
    ['{"instructions":"all"}', 'instructions array is required'],
    ['{"instructions":[7]}', 'instructions[0] must be an object, got 7'],
    ['{"instructions":[{}]}', 'instructions[0].programId must be text, got undefined'],
    [
      '{"instructions":[{"programId":"x","keys":{},"data":""}]}',
      'instructions[0].keys must be an array, got object',
    ],
    ['{"signerPubkeys":[{}]}', 'signerPubkeys[0] must be text, got object'],
    ['{"priorityLevel":"urgent"}', 'priorityLevel must be one of low, medium, high, got "urgent"'],
    ['{"sponsored":"yes"}', 'sponsored must be true or false, got "yes"'],
  ])('%s', async (payload, error) => {
    const response = await world.t.app.inject({
      method: 'POST',
      url: '/relay/prepare',
      headers: { 'content-type': 'application/json' },
      payload,
    })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ error })
  })
})

test('a failed simulation is 422 with the program’s logs and the name of its error', async () => {
  const bad = registration(payer, '')
  const { status, body } = await world.post<{ error: string; message: string; logs: string[] }>(
    '/relay/prepare',
    inputOf(bad),
  )
  expect(status).toBe(422)
  expect(Object.keys(body).sort()).toEqual(['details', 'error', 'logs', 'message'])
  expect(body.error).toBe('Transaction simulation failed')
  expect(body.message).toMatch(/^Instruction 0: \w+: /)
  expect(body.logs.join('\n')).toContain('Instruction: RegisterAgent')
  const { errors } = await world.graphql(PREPARE, { input: inputOf(bad) })
  expect(errors?.[0]).toMatchObject({
    message: 'Transaction simulation failed',
    extensions: { code: 'SIMULATION_FAILED', status: 422, message: body.message, logs: body.logs },
  })
})

test('the message of a failed simulation names the account that the program refuses', async () => {
  const bad = registration(payer)
  bad.keys[3]!.pubkey = Keypair.generate().publicKey
  const { status, body } = await world.post<{ message: string }>('/relay/prepare', inputOf(bad))
  expect([status, body.message]).toEqual([
    422,
    'Instruction 0: InvalidPda: An account is not the expected program-derived address. Account: deactivation_record',
  ])
})

test('a payer without lamports is a failed simulation', async () => {
  const poor = Keypair.generate()
  const instruction = SystemProgram.transfer({
    fromPubkey: poor.publicKey,
    toPubkey: poor.publicKey,
    lamports: 0,
  })
  const { status, body } = await world.post('/relay/prepare', {
    instructions: json(instruction),
    signerPubkeys: [keyOf(poor)],
  })
  expect({ status, body }).toMatchObject({
    status: 422,
    body: {
      message: `The fee payer ${keyOf(poor)} has no SOL: the account does not exist on the ledger`,
      logs: [],
    },
  })
})

test('the response is 503 while the ledger does not respond, and it does not contain the node’s URL', async () => {
  world.localnet.fault.http({ methods: ['simulateTransaction'], status: 503 })
  const { status, body } = await world.post('/relay/prepare', inputOf(transfer()))
  expect({ status, body }).toEqual(refused(503, 'LEDGER_UNAVAILABLE', 'The ledger RPC node is not available'))
})

test('a transaction that the node refuses to run gets the same error as a failed one', async () => {
  const refusing: LedgerRpc = {
    ...world.rpc,
    call: async <T>(method: string, params?: unknown[]) => {
      if (method !== 'simulateTransaction') return world.rpc.call<T>(method, params)
      throw new LedgerRpcError('rpc', 'invalid transaction', { code: -32_602 })
    },
  }
  const { prepare } = world.replica({ rpc: refusing })
  await expect(prepare(inputOf(transfer()))).rejects.toMatchObject({
    status: 422,
    message: 'Transaction simulation failed',
    addition: { message: 'Sanitize failure', logs: [] },
  })
})

test('a blockhash that a fork took back is replaced by a new one', async () => {
  world.localnet.stepSlot(40)
  const { blockhash: finalized } = await world.prepare([transfer()], [payer])
  const newest = async () => (await world.prepare([transfer()], [payer])).blockhash
  await expect.poll(newest).not.toBe(finalized)
  const taken = await newest()
  world.localnet.fault.fork()
  world.localnet.stepSlot(2)
  const isValid = async (hash: string) =>
    (await world.connection.isBlockhashValid(hash, { commitment: 'confirmed' })).value
  expect(await isValid(taken)).toBe(false)
  expect(await isValid(await newest())).toBe(true)
})

test('an unknown id is 404', async () => {
  for (const id of ['x', '00000000-0000-0000-0000-000000000000', '%00', '%F0%9F%92%A5']) {
    const response = await world.t.app.inject(`/relay/status/${id}`)
    expect(responseOf(response)).toEqual(refused(404, 'TRANSACTION_NOT_FOUND', 'Transaction not found'))
  }
})
