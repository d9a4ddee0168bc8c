import {
  address,
  blockhash as kitBlockhash,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { beforeEach, expect, test } from 'vitest'
import {
  createRegistry,
  type KeySigner,
  signerFromSecretKey,
  UnexpectedSignInError,
  UnexpectedTransactionError,
} from '../src/index.ts'
import { PROGRAM } from '../src/generated/program.ts'
import { MalformedTransactionError } from '../src/transactions/message.ts'

/** What a gateway is asked to prepare, and the transaction that it makes of it. */
interface Draft {
  payer: PublicKey
  instructions: TransactionInstruction[]
  tables: AddressLookupTableAccount[]
}

const wallet = Keypair.fromSeed(new Uint8Array(32).fill(1))
const attacker = Keypair.fromSeed(new Uint8Array(32).fill(2)).publicKey
const sponsor = Keypair.fromSeed(new Uint8Array(32).fill(3)).publicKey
const owner = wallet.publicKey
const blockhash = '5qB8rHnVY1qPQkCSqQ4Vbz2kF7jPsvY2yG3VxkYkV8aB'
const card = {
  name: 'Scout',
  category: 'research' as const,
  cardUrl: 'https://a.example/card.json',
  card: '{}',
}

let signatures: number
let signer: KeySigner
beforeEach(async () => {
  signatures = 0
  const own = await signerFromSecretKey(wallet.secretKey)
  signer = {
    ...own,
    signTransaction: (transaction) => {
      signatures += 1
      return own.signTransaction(transaction)
    },
  }
})

interface Hostile {
  change?: (draft: Draft) => void
  bytes?: (transaction: Buffer) => Buffer
  program?: string
  feePayer?: PublicKey
}

/** A gateway that prepares what is asked for, with the given changes. */
function gateway({ change, bytes, program = PROGRAM, feePayer = sponsor }: Hostile) {
  let submitted: VersionedTransaction | undefined
  const respond: typeof fetch = async (input, init) => {
    const { pathname } = new URL(input as URL)
    const body = JSON.parse((init?.body as string | undefined) ?? '{}') as Record<string, never>
    if (pathname === '/info') return Response.json({ program })
    if (pathname === '/health/detailed') return Response.json({ feePayer: { pubkey: feePayer.toBase58() } })
    if (pathname.endsWith('/submit')) {
      submitted = VersionedTransaction.deserialize(Buffer.from(body.signedTx!, 'base64'))
      return Response.json({ id: 'a', status: 'confirmed', signature: 's', error: null, slot: 1 })
    }
    const payer = pathname === '/relay/prepare' ? owner : feePayer
    const serializedTx = prepare(body.instructions!, payer).toString('base64')
    return Response.json({ id: 'a', serializedTx, blockhash, feePayer: payer.toBase58() })
  }
  const prepare = (
    requested: { programId: string; keys: never[]; data: string }[],
    payer: PublicKey,
  ): Buffer => {
    const draft: Draft = {
      payer,
      tables: [],
      instructions: [
        ComputeBudgetProgram.setComputeUnitLimit({ units: 20_000 }),
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000 }),
        ...requested.map(
          ({ programId, keys, data }) =>
            new TransactionInstruction({
              programId: new PublicKey(programId),
              keys: keys.map((key: { pubkey: string; isSigner: boolean; isWritable: boolean }) => ({
                ...key,
                pubkey: new PublicKey(key.pubkey),
              })),
              data: Buffer.from(data, 'base64'),
            }),
        ),
      ],
    }
    change?.(draft)
    const { payer: payerKey, instructions, tables } = draft
    const message = new TransactionMessage({ payerKey, recentBlockhash: blockhash, instructions })
    const transaction = Buffer.from(new VersionedTransaction(message.compileToV0Message(tables)).serialize())
    return bytes?.(transaction) ?? transaction
  }
  const registry = createRegistry('https://gateway.example', { fetch: respond })
  return { registry, submitted: () => submitted }
}

const transfer = () => SystemProgram.transfer({ fromPubkey: owner, toPubkey: attacker, lamports: 1 })
const last = ({ instructions }: Draft): TransactionInstruction => instructions.at(-1)!

test('a transaction with exactly what was requested is signed and submitted', async () => {
  const { registry, submitted } = gateway({})
  await registry.agents.register(card, signer)
  expect(signatures).toBe(1)
  const { publicKey, secretKey } = wallet
  const expected = VersionedTransaction.deserialize(submitted()!.serialize())
  expected.sign([{ publicKey, secretKey }])
  expect(submitted()!.signatures).toEqual(expected.signatures)
})

test.each<[what: string, change: (draft: Draft) => void, problem: RegExp]>([
  ['an added transfer', ({ instructions }) => instructions.push(transfer()), /2 instructions, not 1/],
  ['a transfer first', ({ instructions }) => instructions.unshift(transfer()), /2 instructions, not 1/],
  ['the instruction twice', (draft) => draft.instructions.push(last(draft)), /2 instructions, not 1/],
  [
    'a durable nonce, which would let the gateway keep the signature',
    ({ instructions }) =>
      instructions.unshift(SystemProgram.nonceAdvance({ noncePubkey: attacker, authorizedPubkey: owner })),
    /2 instructions, not 1/,
  ],
  ['a transfer instead', ({ instructions }) => instructions.splice(2, 1, transfer()), /calls 1111/],
  ['no instruction', ({ instructions }) => instructions.splice(2, 1), /0 instructions, not 1/],
  ['other data', (draft) => (last(draft).data[12]! ^= 1), /other data/],
  ['less data', (draft) => (last(draft).data = last(draft).data.subarray(1)), /other data/],
  [
    'another program',
    (draft) => (last(draft).programId = attacker),
    new RegExp(`calls ${attacker.toBase58()}`),
  ],
  ['another account', (draft) => (last(draft).keys[2]!.pubkey = attacker), /other accounts/],
  [
    'one more account',
    (draft) => last(draft).keys.push({ pubkey: attacker, isSigner: false, isWritable: true }),
    /other accounts/,
  ],
  ['one account less', (draft) => last(draft).keys.pop(), /other accounts/],
  ['a read-only account as writable', (draft) => (last(draft).keys[4]!.isWritable = true), /writable flag/],
  ['an account as signer', (draft) => (last(draft).keys[4]!.isSigner = true), /signer flag/],
  ['another fee payer', (draft) => (draft.payer = attacker), /pays, not/],
  [
    'a high priority fee',
    ({ instructions }) =>
      instructions.splice(1, 1, ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 2n ** 62n })),
    /priority fee/,
  ],
  [
    'a limit above the maximum of the ledger',
    ({ instructions }) =>
      instructions.splice(0, 1, ComputeBudgetProgram.setComputeUnitLimit({ units: 2 ** 32 - 1 })),
    /priority fee/,
  ],
  ['a fee without a limit', ({ instructions }) => instructions.splice(0, 1), /without a limit/],
  [
    'two prices',
    ({ instructions }) => instructions.push(ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 })),
    /compute budget/,
  ],
  [
    'a heap frame',
    ({ instructions }) => instructions.push(ComputeBudgetProgram.requestHeapFrame({ bytes: 65_536 })),
    /compute budget/,
  ],
  [
    'a compute budget with accounts',
    ({ instructions }) => instructions[0]!.keys.push({ pubkey: attacker, isSigner: false, isWritable: true }),
    /compute budget/,
  ],
])('%s is not signed', async (_, change, problem) => {
  const { registry, submitted } = gateway({ change })
  await expect(registry.agents.register(card, signer)).rejects.toThrow(problem)
  await expect(registry.agents.register(card, signer)).rejects.toBeInstanceOf(UnexpectedTransactionError)
  expect(signatures).toBe(0)
  expect(submitted()).toBeUndefined()
})

test('a lookup table is not signed', async () => {
  const addresses = [attacker, sponsor]
  const state = {
    deactivationSlot: 2n ** 64n - 1n,
    lastExtendedSlot: 0,
    lastExtendedSlotStartIndex: 0,
    addresses,
  }
  const table = new AddressLookupTableAccount({ key: sponsor, state })
  const { registry } = gateway({
    change: (draft) => {
      draft.tables = [table]
      last(draft).keys.push({ pubkey: attacker, isSigner: false, isWritable: true })
    },
  })
  await expect(registry.agents.register(card, signer)).rejects.toThrow('unknown key')
  expect(signatures).toBe(0)
})

test('a key that no instruction uses is not signed', async () => {
  const { registry } = gateway({
    bytes: (bytes) => {
      const transaction = VersionedTransaction.deserialize(bytes)
      transaction.message.staticAccountKeys.push(attacker)
      transaction.message.header.numReadonlyUnsignedAccounts += 1
      return Buffer.from(transaction.serialize())
    },
  })
  await expect(registry.agents.register(card, signer)).rejects.toThrow('it names the account')
  expect(signatures).toBe(0)
})

test('malformed bytes, extra bytes and other versions are not signed', async () => {
  const bytes: ((transaction: Buffer) => Buffer)[] = [
    (transaction) => transaction.subarray(0, -1),
    (transaction) => Buffer.concat([transaction, Buffer.of(0)]),
    () => Buffer.alloc(0),
    (transaction) => {
      transaction[65] = 129
      return transaction
    },
    // Legacy: the last byte counts lookup tables only in v0.
    (transaction) => Buffer.concat([transaction.subarray(0, 65), transaction.subarray(66)]),
  ]
  for (const each of bytes) {
    const { registry } = gateway({ bytes: each })
    await expect(registry.agents.register(card, signer)).rejects.toBeInstanceOf(MalformedTransactionError)
  }
  expect(signatures).toBe(0)
})

test('a transaction of version 1 is not signed, and the reason names the version', async () => {
  const message = setTransactionMessageLifetimeUsingBlockhash(
    { blockhash: kitBlockhash(attacker.toBase58()), lastValidBlockHeight: 150n },
    setTransactionMessageFeePayer(address(signer.address), createTransactionMessage({ version: 1 })),
  )
  const { messageBytes, ...rest } = compileTransaction(message)
  const bytes = getTransactionEncoder().encode({ messageBytes, ...rest })
  expect(bytes[0]).toBe(0x81)
  for (const each of [bytes, [1, ...new Uint8Array(64), ...messageBytes]]) {
    const { registry } = gateway({ bytes: () => Buffer.from(each) })
    await expect(registry.agents.register(card, signer)).rejects.toThrow(
      new MalformedTransactionError('Transaction version 1 is not supported'),
    )
  }
  expect(signatures).toBe(0)
})

test('a gateway that serves another program gets no signature', async () => {
  const { registry } = gateway({ program: attacker.toBase58() })
  const registered = registry.agents.register(card, signer)
  await expect(registered).rejects.toThrow('serves the program')
  await expect(registered).rejects.toBeInstanceOf(UnexpectedTransactionError)
  expect(signatures).toBe(0)
})

test('a sponsored registration that the wallet would pay is not signed', async () => {
  const inviteCode = 'code'
  await gateway({}).registry.agents.register({ ...card, inviteCode }, signer)
  expect(signatures).toBe(1)
  const named = gateway({ feePayer: owner }).registry
  await expect(named.agents.register({ ...card, inviteCode }, signer)).rejects.toThrow('its own fee payer')
  const swapped = gateway({ change: (draft) => (draft.payer = owner) }).registry
  await expect(swapped.agents.register({ ...card, inviteCode }, signer)).rejects.toThrow('pays, not')
  const promised = gateway({ feePayer: owner }).registry
  await expect(promised.agents.update({ version: '1' }, signer, { sponsored: true })).rejects.toThrow(
    'does not sponsor',
  )
  expect(signatures).toBe(1)
})

test.each([
  'domain',
  'address',
  'statement',
  'uri',
  'version',
  'chainId',
  'nonce',
  'issuedAt',
  'expirationTime',
])('a sign-in whose %s is a transaction is not signed', async (member) => {
  const instructions = [transfer()]
  const message = new TransactionMessage({ payerKey: owner, recentBlockhash: blockhash, instructions })
  const text = Buffer.from(message.compileToV0Message().serialize()).toString('latin1')
  const time = '2026-11-22T00:00:00.000Z'
  const input = {
    domain: 'gateway.example',
    address: signer.address,
    statement: 'Sign in',
    uri: 'https://gateway.example',
    version: '1',
    chainId: 'solana:mainnet',
    nonce: '12345678',
    issuedAt: time,
    expirationTime: time,
  }
  let messages = 0
  const counting = { ...signer, signMessage: async () => new Uint8Array(64).fill((messages += 1)) }
  const respond: typeof fetch = async (url) =>
    (url as URL).pathname === '/auth/challenge'
      ? Response.json({ input: { ...input, [member]: text } })
      : Response.json({ token: 'a' })
  const registry = createRegistry('https://gateway.example', { fetch: respond })
  await expect(registry.sessions.signIn(counting)).rejects.toBeInstanceOf(UnexpectedSignInError)
  expect(messages).toBe(0)
})

test('a signed request names the path without the prefix of a proxy, and follows no redirect', async () => {
  const messages: string[] = []
  const seen: RequestInit[] = []
  const listening = {
    ...signer,
    signMessage: (message: Uint8Array) => {
      messages.push(Buffer.from(message).toString())
      return signer.signMessage(message)
    },
  }
  const registry = createRegistry('https://gateway.example/registry/', {
    wallet: listening,
    fetch: async (input, init) => {
      seen.push(init!)
      expect(new URL(input as URL).href).toBe('https://gateway.example/registry/webhooks')
      return Response.json({ subscriptions: [] })
    },
  })
  await registry.webhooks.list()
  expect(messages[0]).toMatch(new RegExp(`^service-auth:${signer.address}:\\d+:GET:/webhooks$`))
  expect(seen[0]).toMatchObject({ redirect: 'error' })
})

test('an id that would change the path is refused', async () => {
  const { registry } = gateway({})
  for (const id of ['..', '.', '']) await expect(registry.agents.get(id)).rejects.toThrow('pda must not be')
})
