import {
  OutcomeUnknownError,
  type Registry,
  RegistryError,
  type SendOptions,
  type Signer,
  type Transaction,
  TransactionFailedError,
  type UnfinishedTransaction,
} from '@agent-registry/client'
import { beforeEach, expect, test, vi } from 'vitest'
import { isUnfinished, mayPrepareAgain, type State } from '../src/transaction/state.ts'
import { createTransactions, type Gateway, type TransactionRequest } from '../src/transaction/transactions.ts'
import { readUnfinished } from '../src/transaction/unfinished.ts'

const LAST = 150
const unfinished: UnfinishedTransaction = {
  id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  signedTx: 'AQID',
  signature: null,
  lastValidBlockHeight: LAST,
}
const confirmed = {
  id: unfinished.id,
  status: 'confirmed',
  signature: 's',
  error: null,
  slot: 9,
} as Transaction
const unknown = (): Error => new OutcomeUnknownError(unfinished, null, new TypeError('Failed to fetch'))
const failure = (code: string): Error =>
  new TransactionFailedError(unfinished.id, null, { code, message: code })
const refusal = (status: number, code: string): Error =>
  new RegistryError(status, { error: code, details: { code } }, new Headers())

/** After all that is already decided. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

let stored: Map<string, string>
beforeEach(() => {
  stored = new Map()
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => stored.set(name, text),
    removeItem: (name: string) => stored.delete(name),
  })
})

type Outcome = Transaction | Error
/** The next outcome at each call, then the last one. */
const script = (outcomes: readonly Outcome[]) => {
  const left = [...outcomes]
  return async (): Promise<Transaction> => {
    const outcome = left.length > 1 ? left.shift()! : left[0]!
    if (outcome instanceof Error) throw outcome
    return outcome
  }
}

/** A page, its wallet and its gateway. `send` and `resume` say how each call of the client ends. */
function createWorld({
  send = [],
  resume = [],
  record = confirmed,
}: {
  send?: readonly Outcome[]
  resume?: readonly Outcome[]
  record?: Outcome
}) {
  const seen: State[] = []
  const resumed = vi.fn<Registry['transactions']['resume']>(script(resume))
  const sent = vi.fn<() => Promise<Transaction>>(script(send))
  const world = { height: 100, landed: vi.fn<Gateway['onLanded']>(), resumed, sent, seen }
  const registry = { transactions: { resume: resumed, get: script([record]) } } as never
  const gateway: Gateway = {
    registry: async () => registry,
    trusted: async () => ({ registry, program: 'program' }),
    blockHeight: async () => world.height,
    onLanded: world.landed,
  }
  const transactions = createTransactions(gateway, 1)
  transactions.subscribe(() => {
    const state = transactions.snapshot().flows.at(-1)?.state
    if (state !== undefined && state !== seen.at(-1)) seen.push(state)
  })
  const signed = Promise.withResolvers<Uint8Array>()
  const wallet = {
    name: 'Wallet',
    signer: { address: 'wallet', signTransaction: vi.fn<Signer['signTransaction']>(() => signed.promise) },
  }
  /** As the client of the package does it. */
  const request: TransactionRequest = {
    title: 'Deposit 10 USDC',
    send: async (_, signer, options: SendOptions) => {
      options.onPrepared?.({ id: unfinished.id, lastValidBlockHeight: LAST })
      await signer.signTransaction(new Uint8Array(1))
      await options.onSigned?.(unfinished)
      return sent()
    },
  }
  const state = (): State => transactions.snapshot().flows.at(-1)!.state
  const reach = (name: State['name']) => expect.poll(() => state().name).toBe(name)
  return {
    ...world,
    world,
    transactions,
    request,
    wallet,
    state,
    reach,
    key: () => transactions.snapshot().flows.at(-1)!.key,
    sign: () => signed.resolve(new Uint8Array(1)),
    start: () => transactions.start(request, wallet),
    /** Starts, reviews and signs. */
    run: async () => {
      transactions.start(request, wallet)
      await reach('prepared')
      transactions.sign(transactions.snapshot().flows.at(-1)!.key)
      signed.resolve(new Uint8Array(1))
    },
  }
}

test('a lost response is followed until the outcome is known, and no new preparation is offered meanwhile', async () => {
  const w = createWorld({ send: [unknown()], resume: [unknown(), unknown(), confirmed] })
  await w.run()
  await w.reach('landed')
  expect(w.resumed).toHaveBeenCalledTimes(3)
  expect(w.sent).toHaveBeenCalledTimes(1)
  expect(w.landed).toHaveBeenCalledWith('wallet')
  const names = w.seen.map(({ name }) => name)
  expect(names.slice(0, 4)).toEqual(['draft', 'prepared', 'signing', 'submitting'])
  expect(w.seen.filter(mayPrepareAgain)).toEqual([])
})

test('it is stored before it is sent, and until its outcome is known', async () => {
  const w = createWorld({ send: [unknown()], resume: [unknown()] })
  await w.run()
  await w.reach('unknown')
  expect(readUnfinished()).toEqual([{ wallet: 'wallet', title: 'Deposit 10 USDC', transaction: unfinished }])
  expect(w.transactions.snapshot().flows[0]!.isStored).toBe(true)
  // The page is loaded again.
  const again = createWorld({ resume: [unknown(), confirmed] })
  again.transactions.resumeStored()
  expect(again.transactions.snapshot().flows[0]).toMatchObject({ title: 'Deposit 10 USDC', origin: null })
  await again.reach('landed')
  expect(readUnfinished()).toEqual([])
})

test('after a refusal, a new preparation is offered only when the signed one can no longer land', async () => {
  const w = createWorld({
    send: [refusal(403, 'INVITE_CODE_INVALID')],
    resume: [failure('blockhash_expired')],
  })
  await w.run()
  await w.reach('unknown')
  expect(w.state()).toMatchObject({ refusal: { text: 'INVITE_CODE_INVALID' }, chance: 'can land' })
  expect(w.resumed).not.toHaveBeenCalled()
  w.world.height = LAST + 1
  await w.reach('expired')
  expect(w.state()).toMatchObject({ problem: { text: 'INVITE_CODE_INVALID' } })
  expect(w.seen.filter(mayPrepareAgain)).toEqual([w.state()])
})

test('a transaction that a node refused is followed, because it may land in spite of that', async () => {
  const w = createWorld({ send: [failure('simulation_failed')], resume: [confirmed] })
  await w.run()
  await w.reach('unknown')
  expect(w.resumed).not.toHaveBeenCalled()
  w.world.height = LAST + 1
  await w.reach('landed')
  expect(w.seen.filter(mayPrepareAgain)).toEqual([])
})

test('a failure on the ledger and an expiry end it', async () => {
  for (const [code, name] of [
    ['execution_failed', 'failed'],
    ['blockhash_expired', 'expired'],
    ['dropped', 'expired'],
  ] as const) {
    const w = createWorld({ send: [failure(code)] })
    await w.run()
    await w.reach(name)
    expect(mayPrepareAgain(w.state())).toBe(true)
    expect(readUnfinished()).toEqual([])
  }
})

test('an outcome that the gateway cannot find stays unknown, and the reader ends it', async () => {
  for (const record of [
    { ...confirmed, status: 'failed', error: { code: 'outcome_unknown', message: 'unknown' } } as Transaction,
    refusal(404, 'TRANSACTION_NOT_FOUND'),
  ]) {
    const w = createWorld({ send: [unknown()], resume: [unknown()], record })
    await w.run()
    await w.reach('unknown')
    w.world.height = LAST + 1
    await expect.poll(w.state).toMatchObject({ name: 'unknown', chance: 'lost' })
    expect(w.seen.filter(mayPrepareAgain)).toEqual([])
    expect(readUnfinished()).toHaveLength(1)
    w.transactions.close(w.key())
    expect([w.transactions.snapshot().flows, readUnfinished()]).toEqual([[], []])
  }
})

test('closing the dialog hides a signed transaction, and the next request of its wallet shows it again', async () => {
  const w = createWorld({ send: [unknown()], resume: [unknown()] })
  await w.run()
  await w.reach('unknown')
  w.transactions.close(w.key())
  expect(w.transactions.snapshot()).toMatchObject({ shown: null, flows: [{ title: 'Deposit 10 USDC' }] })
  w.start()
  expect(w.transactions.snapshot()).toMatchObject({ shown: w.key(), flows: [{ state: w.state() }] })
  expect(w.sent).toHaveBeenCalledTimes(1)
  // Another wallet does not wait for it.
  w.transactions.start(w.request, { ...w.wallet, signer: { ...w.wallet.signer, address: 'other' } })
  expect(w.transactions.snapshot().flows).toHaveLength(2)
})

test('a double click prepares one transaction', async () => {
  const w = createWorld({ send: [confirmed] })
  w.start()
  w.start()
  await w.reach('prepared')
  expect(w.transactions.snapshot().flows).toHaveLength(1)
})

test('what the reader closes before the wallet answers is not sent', async () => {
  const w = createWorld({ send: [confirmed] })
  w.start()
  await w.reach('prepared')
  const key = w.key()
  w.transactions.sign(key)
  await w.reach('signing')
  w.transactions.close(key)
  w.sign()
  await expect.poll(() => w.transactions.snapshot().flows).toEqual([])
  expect([w.sent.mock.calls, readUnfinished()]).toEqual([[], []])
})

test('a review whose blockhash expired cannot be signed, also while the wallet is open', async () => {
  const w = createWorld({ send: [confirmed] })
  w.start()
  await w.reach('prepared')
  w.world.height = LAST + 1
  await w.reach('expired')
  w.transactions.sign(w.key())
  w.sign()
  expect(w.state().name).toBe('expired')
  w.transactions.close(w.key())
  await turn()
  expect(w.wallet.signer.signTransaction).not.toHaveBeenCalled()

  const late = createWorld({ send: [confirmed] })
  late.start()
  await late.reach('prepared')
  late.transactions.sign(late.key())
  await late.reach('signing')
  late.world.height = LAST + 1
  await late.reach('expired')
  late.sign()
  await turn()
  expect(late.sent).not.toHaveBeenCalled()
})

test('what anybody writes into the storage is ignored, or only asked for', async () => {
  const entry = { wallet: 'wallet', title: 'Deposit', transaction: unfinished }
  const hostile: unknown[] = [
    null,
    'text',
    { ...entry, title: { toString: 1 } },
    { ...entry, title: 'a'.repeat(10_000) },
    { ...entry, wallet: ['x'] },
    { ...entry, transaction: null },
    { ...entry, transaction: { ...unfinished, id: '../../relay' } },
    { ...entry, transaction: { ...unfinished, signedTx: 5 } },
    { ...entry, transaction: { ...unfinished, lastValidBlockHeight: '9' } },
    { ...entry, transaction: { ...unfinished, registration: { signerPubkey: {} } } },
  ]
  const name = 'unfinished transactions'
  for (const text of ['{', '"x"', '{"length":3}', 'null', ...hostile.map((each) => JSON.stringify([each]))]) {
    stored.set(name, text)
    expect(readUnfinished()).toEqual([])
  }
  stored.set(name, JSON.stringify(Array.from({ length: 10_000 }, () => entry)))
  expect(readUnfinished().length).toBeLessThan(10)
})

test('without storage the transaction is followed, and the page knows that a reload would lose it', async () => {
  vi.stubGlobal('sessionStorage', undefined)
  const w = createWorld({ send: [unknown()], resume: [unknown(), confirmed] })
  await w.run()
  await expect.poll(() => isUnfinished(w.state())).toBe(true)
  expect(w.transactions.snapshot().flows[0]!.isStored).toBe(false)
  await w.reach('landed')
})
