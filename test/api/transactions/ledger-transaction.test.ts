import { type Keypair, SystemProgram, Transaction } from '@solana/web3.js'
import bs58 from 'bs58'
import { expect, test } from 'vitest'
import { decodeInstruction } from '@agent-registry/client/decode'
import { v1Transaction } from '@agent-registry/localnet/testing/v1'
import { associatedTokenAccount, MAX_TRANSACTION_VERSION, pubkey } from '@agent-registry/solana'
import {
  addresses,
  keyOf,
  programId,
  registration,
  signed,
  useRelayWorld,
} from '../../support/transactions/relay-world.ts'

const world = useRelayWorld()

const ACCOUNTS = 'accounts { pubkey isSigner isWritable }'
const LANDED = `query ($signature: String!) { ledgerTransaction(signature: $signature) {
  signature slot timestamp succeeded fee computeUnits feePayer instructions { programId data ${ACCOUNTS} }
  innerInstructions { instruction depth programId data ${ACCOUNTS} }
  balances { account before after } tokenBalances { account } logs } }`
const RECORD = `{ id status final preparedAt submittedAt lastValidBlockHeight instructions { programId data ${ACCOUNTS} } }`
const BY_ID = `query ($id: String!) { transaction(id: $id) ${RECORD} }`
const BY_SIGNATURE = `query ($signature: String!) { transactionBySignature(signature: $signature) ${RECORD} }`

interface Landed {
  succeeded: boolean
  fee: string
  feePayer: string
  timestamp: string
  instructions: Instruction[]
  innerInstructions: (Instruction & { instruction: number; depth: number })[]
  balances: { account: string; before: string; after: string }[]
  logs: string[]
}
interface Instruction {
  programId: string
  data: string
  accounts: { pubkey: string; isSigner: boolean; isWritable: boolean }[]
}

const decoded = ({ programId: id, data, accounts }: Instruction) =>
  decodeInstruction({ programId: id, keys: accounts, data: Buffer.from(data, 'base64') }, programId)
const landedIn = (data: unknown) => (data as { ledgerTransaction: Landed }).ledgerTransaction
const fetches = () => world.calls.filter((each) => each === 'getTransaction').length
const read = async (signature: string) => world.graphql(LANDED, { signature })

async function register(owner: Keypair): Promise<{ id: string; signature: string }> {
  const prepared = await world.prepare([registration(owner)], [owner])
  const { body } = await world.submit(prepared.id, signed(prepared, owner))
  return { id: prepared.id, signature: body.signature! }
}

test('a landed transaction is returned with its instructions, balances and logs', async () => {
  const owner = await world.funded()
  const { id, signature } = await register(owner)
  const { data, errors } = await read(signature)
  expect(errors).toBeUndefined()
  const landed = landedIn(data)
  expect(landed).toMatchObject({ signature, succeeded: true, feePayer: keyOf(owner), tokenBalances: [] })
  expect(landed.instructions).toHaveLength(3)
  const { name, accounts } = decoded(landed.instructions[2]!)!
  expect(name).toBe('registerAgent')
  const account = { pubkey: keyOf(owner), isSigner: true, isWritable: true }
  expect(accounts.slice(0, 2)).toEqual([
    { name: 'payer', ...account },
    { name: 'owner', ...account },
  ])
  expect(accounts[3]).toMatchObject({ name: 'deactivationRecord', isSigner: false, isWritable: false })
  // The registry creates the account of the agent by the system program, instruction 0.
  const create = landed.innerInstructions[0]!
  expect(create).toMatchObject({ instruction: 3, depth: 1, programId: SystemProgram.programId.toBase58() })
  expect(create.accounts.map(({ pubkey }) => pubkey)).toEqual([keyOf(owner), addresses.agent(keyOf(owner))])
  expect(Buffer.from(create.data, 'base64').readUInt32LE()).toBe(0)
  const [payer] = landed.balances
  const agent = landed.balances.find(({ account }) => account === addresses.agent(keyOf(owner)))!
  expect(agent.before).toBe('0')
  expect(BigInt(payer!.before) - BigInt(payer!.after)).toBe(BigInt(landed.fee) + BigInt(agent.after))
  expect(landed.logs.join('\n')).toContain(`Program ${programId} success`)
  expect(Math.abs(Date.parse(landed.timestamp) - Date.now())).toBeLessThan(3_600_000)

  const record = await world.graphql(BY_SIGNATURE, { signature })
  const { transactionBySignature } = record.data as { transactionBySignature: object }
  expect(transactionBySignature).toMatchObject({
    id,
    status: 'CONFIRMED',
    instructions: landed.instructions,
  })
  expect((await world.graphql(BY_ID, { id })).data).toEqual({ transaction: transactionBySignature })
})

test('a transaction of version 1 is returned like others, with its priority fee in the fee', async () => {
  const owner = await world.funded()
  const { blockhash } = await world.connection.getLatestBlockhash()
  const config = { priorityFeeLamports: 777n }
  const wire = await v1Transaction([registration(owner)], { blockhash, signers: [owner], config })
  const signature = await world.connection.sendRawTransaction(wire)
  world.localnet.stepSlot(2)
  // As the indexer stores it.
  const row = { signature, slot: 1, transaction_index: 0, accounts: [], finality: 'confirmed' as const }
  await world.t.kysely.insertInto('ledger_transactions').values(row).execute()
  const { data, errors } = await read(signature)
  expect(errors).toBeUndefined()
  const { fee, feePayer, instructions, balances } = landedIn(data)
  expect([fee, feePayer, instructions.length]).toEqual(['5777', keyOf(owner), 1])
  expect(decoded(instructions[0]!)!.name).toBe('registerAgent')
  expect(balances[0]!.account).toBe(keyOf(owner))
})

test('a transaction that was only prepared shows what it will do', async () => {
  const owner = await world.funded()
  const { id } = await world.prepare([registration(owner)], [owner])
  const { data } = await world.graphql(BY_ID, { id })
  const { transaction } = data as { transaction: { instructions: Instruction[] } }
  expect(transaction).toMatchObject({ status: 'SIMULATED', final: false, submittedAt: null })
  expect(decoded(transaction.instructions[2]!)!.args).toMatchObject({ serviceCategory: expect.any(String) })
})

test('a failed transaction of this service is returned with its fee and logs', async () => {
  const owner = await world.funded()
  const prepared = await world.prepare([registration(owner, 'Late')], [owner])
  const signedTx = signed(prepared, owner)
  await register(owner)
  await world.connection.sendRawTransaction(Buffer.from(signedTx, 'base64'), { skipPreflight: true })
  world.localnet.stepSlot(2)
  const { body } = await world.submit(prepared.id, signedTx)
  expect(body).toMatchObject({ status: 'failed', error: { code: 'execution_failed' } })
  const landed = landedIn((await read(body.signature!)).data)
  expect(landed).toMatchObject({ succeeded: false })
  expect(BigInt(landed.fee)).toBeGreaterThan(0n)
  expect(landed.logs.join('\n')).toContain('failed')
})

test('the node is not asked for transactions of others, and errors say what is wrong', async () => {
  const stranger = await world.funded()
  const transfer = SystemProgram.transfer({
    fromPubkey: stranger.publicKey,
    toPubkey: stranger.publicKey,
    lamports: 1,
  })
  const foreign = await world.connection.sendTransaction(new Transaction().add(transfer), [stranger])
  world.localnet.stepSlot(2)
  expect(
    await world.connection.getTransaction(foreign, {
      maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
    }),
  ).not.toBeNull()
  const before = fetches()
  for (const signature of [foreign, bs58.encode(new Uint8Array(64).fill(9)), '', 'x\0', '1'.repeat(500)]) {
    const { data, errors } = await read(signature)
    expect(data).toEqual({ ledgerTransaction: null })
    expect(errors).toMatchObject([{ extensions: { code: 'TRANSACTION_NOT_FOUND', status: 404 } }])
    expect((await world.graphql(BY_SIGNATURE, { signature })).errors).toMatchObject([
      { extensions: { code: 'TRANSACTION_NOT_FOUND' } },
    ])
  }
  expect(fetches()).toBe(before)
  for (const query of ['{ transaction { id } }', '{ transactionBySignature { id } }'])
    expect((await world.graphql(query)).errors).toMatchObject([
      {
        message: expect.stringContaining('of type "String!" is required'),
        extensions: { code: 'INVALID_REQUEST', status: 400 },
      },
    ])
})

test('a transaction that called the registry is returned also if its sender did not use the relay', async () => {
  const owner = await world.funded()
  const signature = await world.connection.sendTransaction(new Transaction().add(registration(owner)), [
    owner,
  ])
  world.localnet.stepSlot(2)
  expect((await read(signature)).data).toEqual({ ledgerTransaction: null })
  // The indexer does not run here.
  await world.t.kysely
    .insertInto('ledger_transactions')
    .values({ signature, slot: 5, transaction_index: 0, accounts: [], finality: 'confirmed' })
    .execute()
  expect((await read(signature)).data).toMatchObject({ ledgerTransaction: { signature, succeeded: true } })
})

test('without a node, the error says so', async () => {
  const { signature } = await register(await world.funded())
  world.localnet.fault.http({ methods: ['getTransaction'], status: 503 })
  expect((await read(signature)).errors).toMatchObject([
    { message: 'The ledger RPC node is not available', extensions: { status: 503 } },
  ])
})

test('the token balances are those of the ledger, with 0 for an account that did not exist', async () => {
  const wallet = await world.wallet('With USDC')
  const deposit = wallet.instruction('deposit', { payer: wallet.owner }, { amount: 600_000_000n })
  const prepared = await world.prepare([deposit], [wallet.keypair])
  const { body } = await world.submit(prepared.id, signed(prepared, wallet.keypair))
  const signature = body.signature!
  const { tokenBalances } = await world.t.services.transactions.onLedger(signature)
  const common = { mint: world.usdcMint, decimals: 6 }
  expect(tokenBalances).toHaveLength(2)
  expect(tokenBalances).toEqual(
    expect.arrayContaining([
      {
        ...common,
        account: associatedTokenAccount(pubkey(wallet.owner), world.usdcMint),
        owner: wallet.owner,
        before: '5000000000',
        after: '4400000000',
      },
      { ...common, account: expect.any(String), owner: expect.any(String), before: '0', after: '600000000' },
    ]),
  )

  const withMeta = (change: object) =>
    world.replica({
      rpc: {
        ...world.rpc,
        call: async <T>(method: string, params?: unknown[]) => {
          const found = await world.rpc.call<{ meta: object }>(method, params)
          return { ...found, meta: { ...found.meta, ...change } } as T
        },
      },
    })
  for (const none of [null, undefined]) {
    const relay = withMeta({ preTokenBalances: none, postTokenBalances: none, logMessages: none })
    expect(await relay.onLedger(signature)).toMatchObject({ tokenBalances: [], logs: null })
  }
  const [before] = tokenBalances
  const gone = { accountIndex: 99, mint: before!.mint, uiTokenAmount: { amount: '1', decimals: 6 } }
  const closed = { ...gone, accountIndex: 0 }
  const relay = withMeta({ preTokenBalances: [gone, closed], postTokenBalances: [] })
  expect((await relay.onLedger(signature)).tokenBalances).toEqual([
    { ...common, account: wallet.owner, owner: null, before: '1', after: '0' },
  ])
})
