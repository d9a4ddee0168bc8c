import { PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  createRegistry,
  generateSigner,
  type Instruction,
  type KeySigner,
  OutcomeUnknownError,
  RegistryError,
  TransactionFailedError,
  type UnfinishedTransaction,
} from '../src/index.ts'

const ID = '6f2e6f0e-9d0b-4a40-8b3c-5a2f4d9f8e11'
const BLOCKHASH = '5qB8rHnVY1qPQkCSqQ4Vbz2kF7jPsvY2yG3VxkYkV8aB'

type Answer = () => Response | Promise<Response>

const record =
  (status: string, more = {}): Answer =>
  () =>
    Response.json({ id: ID, status, signature: 'sig', error: null, slot: null, ...more })
const failed = (code: string): Answer => record('failed', { error: { code, message: 'the reason' } })
const refused =
  (status: number, code: string | null, headers = {}): Answer =>
  () =>
    Response.json({ error: 'Refused', ...(code && { details: { code } }) }, { status, headers })
const lost: Answer = () => Promise.reject(new TypeError('fetch failed'))
const page: Answer = () => new Response('<html>')

let signer: KeySigner
beforeEach(async () => {
  signer = await generateSigner()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => void vi.useRealTimers())

/** A gateway that gives these responses to submits and status requests, in this order. */
function gateway(answers: Answer[], options = {}) {
  const requests: string[] = []
  const bodies: unknown[] = []
  const respond: typeof fetch = async (input, init) => {
    init?.signal?.throwIfAborted()
    const { pathname } = new URL(input as URL)
    const body: unknown = JSON.parse((init?.body as string | undefined) ?? 'null')
    if (pathname === '/relay/prepare')
      return Response.json({ id: ID, serializedTx: transfer().serializedTx, lastValidBlockHeight: 150 })
    requests.push(pathname.endsWith('/submit') ? 'submit' : 'status')
    if (body !== null) bodies.push(body)
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!
    return answer()
  }
  return {
    registry: createRegistry('https://gateway.example', { fetch: respond, ...options }),
    requests,
    bodies,
  }
}

function transfer(): { instruction: Instruction; serializedTx: string } {
  const owner = new PublicKey(signer.address)
  const made = SystemProgram.transfer({ fromPubkey: owner, toPubkey: owner, lamports: 1 })
  const keys = made.keys.map(({ pubkey, ...flags }) => ({ pubkey: pubkey.toBase58(), ...flags }))
  const message = new TransactionMessage({
    payerKey: owner,
    recentBlockhash: BLOCKHASH,
    instructions: [made],
  })
  const bytes = new VersionedTransaction(message.compileToV0Message()).serialize()
  return {
    instruction: { programId: made.programId.toBase58(), keys, data: new Uint8Array(made.data) },
    serializedTx: Buffer.from(bytes).toString('base64'),
  }
}

/** The result or the error, while the timers run. */
async function settled<Result>(work: Promise<Result>): Promise<Result> {
  const run = { isDone: false }
  const end = (): void => void (run.isDone = true)
  work.then(end, end)
  while (!run.isDone) await vi.advanceTimersByTimeAsync(200)
  return work
}

const send = ({ registry }: ReturnType<typeof gateway>, options = {}) =>
  settled(registry.transactions.send([transfer().instruction], signer, options))

async function errorOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => expect.unreachable('it was confirmed'),
    (error: Error) => error,
  )
}

test.each<[string, Answer]>([
  ['is lost', lost],
  ['times out', () => Promise.reject(new DOMException('slow', 'TimeoutError'))],
  ['is 502 of a proxy', () => new Response('<html>', { status: 502 })],
  ['is 500', refused(500, 'INTERNAL_SERVER_ERROR')],
  ['is 503 of the database', refused(503, 'DATABASE_UNAVAILABLE')],
  ['is 403 of a proxy', refused(403, null)],
  ['is a page', page],
  ['is the status of another transaction', record('confirmed', { id: 'other' })],
  ['has no status', () => Response.json({ ok: true })],
  ['is null', () => Response.json(null)],
])('the same bytes are submitted again if the first response %s', async (_, first) => {
  const world = gateway([
    first,
    record('simulated', { signature: null }),
    record('submitted'),
    record('confirmed'),
  ])
  const progress: string[] = []
  expect(await send(world, { onProgress: (state: string) => progress.push(state) })).toMatchObject({
    id: ID,
    status: 'confirmed',
  })
  expect(world.requests).toEqual(['submit', 'status', 'submit', 'status'])
  expect(world.bodies[1]).toEqual(world.bodies[0])
  expect(progress).toEqual(['submitting', 'unknown', 'submitted'])
})

test('it is not submitted again once the gateway has it', async () => {
  const world = gateway([lost, record('submitted'), lost, record('confirmed')])
  expect(await send(world)).toMatchObject({ status: 'confirmed' })
  expect(world.requests).toEqual(['submit', 'status', 'status', 'status'])
})

test.each([
  [400, 'INVALID_SIGNATURE', {}],
  [410, 'TRANSACTION_EXPIRED', {}],
  [429, 'SPONSOR_CLIENT_LIMIT', { 'retry-after': '3600' }],
  [503, 'SPONSOR_BUDGET_USED_BEFORE_SIGNING', {}],
])('a first submit that is refused with %i %s ends at once', async (status, code, headers) => {
  const world = gateway([refused(status, code, headers)])
  const error = await errorOf(send(world))
  expect(error).toBeInstanceOf(RegistryError)
  expect(error).toMatchObject({ status, code })
  expect(world.requests).toEqual(['submit'])
})

test('a refusal after a lost response is no outcome, because the lost request may still arrive', async () => {
  const answers = [lost, record('simulated'), refused(403, 'INVITE_CODE_USED_UP'), record('submitted')]
  const world = gateway([...answers, record('confirmed')])
  expect(await send(world)).toMatchObject({ status: 'confirmed' })
  expect(world.requests).toEqual(['submit', 'status', 'submit', 'status', 'status'])
})

test('a refused transaction has failed when it has expired, and the refusal is the cause', async () => {
  // Nobody waits for its Retry-After: it is not submitted again.
  const refusal = refused(429, 'SPONSOR_CLIENT_LIMIT', { 'retry-after': '86400' })
  const world = gateway([
    lost,
    record('simulated'),
    refusal,
    record('simulated'),
    failed('blockhash_expired'),
  ])
  const error = await errorOf(send(world))
  expect(error).toBeInstanceOf(TransactionFailedError)
  expect(error).toMatchObject({ id: ID, code: 'blockhash_expired', cause: { code: 'SPONSOR_CLIENT_LIMIT' } })
})

test('a submit waits for Retry-After, and is then repeated', async () => {
  const world = gateway([refused(429, 'RATE_LIMITED', { 'retry-after': '20' }), record('confirmed')])
  const started = Date.now()
  await send(world)
  expect(Date.now() - started).toBeGreaterThanOrEqual(20_000)
  expect(world.requests).toEqual(['submit', 'submit'])
})

test('a gateway that cannot tell whether it landed leaves the outcome unknown', async () => {
  const error = await errorOf(send(gateway([record('submitted'), failed('outcome_unknown')])))
  expect(error).toBeInstanceOf(OutcomeUnknownError)
})

test('after the time-out the error has everything to continue, and another client finds the outcome', async () => {
  const stored: UnfinishedTransaction[] = []
  const down = gateway([lost], { confirmTimeoutMs: 50 })
  const error = await errorOf(
    send(down, { onSigned: (unfinished: UnfinishedTransaction) => stored.push(unfinished) }),
  )
  expect(error).toBeInstanceOf(OutcomeUnknownError)
  const { unfinished, ...rest } = error as OutcomeUnknownError
  expect(rest).toMatchObject({
    id: ID,
    lastValidBlockHeight: 150,
    signature: expect.stringMatching(/^.{80,90}$/),
  })
  expect(error.message).toBe(`The outcome of the transaction ${ID} is not known: fetch failed`)
  expect(unfinished).toEqual(stored[0])

  const copy = JSON.parse(JSON.stringify(unfinished)) as UnfinishedTransaction
  const up = gateway([record('simulated'), record('confirmed')])
  expect(await settled(up.registry.transactions.resume(copy))).toMatchObject({ status: 'confirmed' })
  expect(up.requests).toEqual(['status', 'submit'])
  expect(up.bodies).toEqual([{ id: ID, signedTx: copy.signedTx }])
})

test('an abort after the signature leaves the outcome unknown', async () => {
  const stop = new AbortController()
  const hanging: Answer = () => {
    stop.abort(new Error('closed the page'))
    return Promise.reject(stop.signal.reason as Error)
  }
  const error = await errorOf(send(gateway([hanging]), { signal: stop.signal }))
  expect(error).toBeInstanceOf(OutcomeUnknownError)
  expect(error).toMatchObject({ id: ID, cause: { message: 'closed the page' } })
})

test('an abort before anything was sent is the reason itself, and nothing is sent', async () => {
  const stop = new AbortController()
  const world = gateway([record('confirmed')])
  const slow = {
    ...signer,
    signTransaction: (bytes: Uint8Array) => {
      stop.abort(new Error('closed the dialog'))
      return signer.signTransaction(bytes)
    },
  }
  const sent = world.registry.transactions.send([transfer().instruction], slow, { signal: stop.signal })
  await expect(settled(sent)).rejects.toThrow(/^closed the dialog$/)
  expect(world.requests).toEqual([])
})

test('nothing is sent if the unfinished transaction cannot be stored', async () => {
  const world = gateway([record('confirmed')])
  const onSigned = async (): Promise<void> => {
    throw new Error('the disk is full')
  }
  await expect(send(world, { onSigned })).rejects.toThrow('the disk is full')
  expect(world.requests).toEqual([])
})

test('with only its id the status is read until the outcome', async () => {
  const world = gateway([record('simulated'), record('submitted'), failed('blockhash_expired')])
  const error = await errorOf(settled(world.registry.transactions.resume(ID)))
  expect(error).toMatchObject({ name: 'TransactionFailedError', id: ID, code: 'blockhash_expired' })
  expect(world.requests).toEqual(['status', 'status', 'status'])
})

test('a gateway that does not know the transaction leaves its outcome unknown at once', async () => {
  const world = gateway([refused(404, 'TRANSACTION_NOT_FOUND')])
  const error = await errorOf(settled(world.registry.transactions.resume(ID)))
  expect(error).toBeInstanceOf(OutcomeUnknownError)
  expect(error).toMatchObject({ unfinished: null, lastValidBlockHeight: null, cause: { status: 404 } })
  expect(world.requests).toEqual(['status'])
})

test('a sponsored registration is submitted again with its invite code', async () => {
  const registration = { signerPubkey: signer.address, inviteCode: 'code' }
  const unfinished = { id: ID, signedTx: 'AA==', signature: null, lastValidBlockHeight: 1, registration }
  const world = gateway([record('simulated', { signature: null }), record('confirmed')])
  await settled(world.registry.transactions.resume(unfinished))
  expect(world.bodies).toEqual([{ id: ID, signedTx: 'AA==', ...registration }])
})

test('a value that is no unfinished transaction is refused with it', async () => {
  const { registry } = gateway([lost])
  for (const value of [null, {}, { id: 1 }])
    await expect(registry.transactions.resume(value as never)).rejects.toThrow(
      `resume needs an unfinished transaction or its id, got ${JSON.stringify(value)}`,
    )
})
