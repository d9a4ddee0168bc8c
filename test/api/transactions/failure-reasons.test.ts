import { Keypair, PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js'
import { associatedTokenAccount, pubkey, TOKEN_PROGRAM } from '@agent-registry/solana'
import { beforeAll, expect, test } from 'vitest'
import { type AgentWallet, registrationArgs } from '../../support/ledger/registry-world.ts'
import { worldIndexer } from '../../support/ledger/indexer.ts'
import { keyOf, toJson, useRelayWorld } from '../../support/transactions/relay-world.ts'
import { perFile } from '../../support/lifetime.ts'

const USDC = 1_000_000n
const SOL = 1_000_000_000

const world = useRelayWorld({ tablesFilled: false })
const indexer = perFile(() => worldIndexer(world, world.t.database.orm))
/** Has an agent, 5,000 USDC, and no stake. */
let wallet: AgentWallet
/** Has a stake of 600 USDC. */
let staked: AgentWallet
/** Has a stake of 600 USDC, of which 100 are in a pending withdrawal. */
let withdrawing: AgentWallet
beforeAll(async () => {
  wallet = await world.wallet('No stake')
  staked = await world.wallet('Staked')
  withdrawing = await world.wallet('Withdrawing')
  for (const each of [staked, withdrawing]) await each.send('deposit', {}, { amount: 600n * USDC })
  await withdrawing.send('request_withdrawal', {}, { amount: 100n * USDC })
  await indexer.whenIdle()
})

const tokensOf = (owner: string) => associatedTokenAccount(pubkey(owner), world.usdcMint)

interface Refusal {
  readonly error: string
  readonly message: string
  readonly logs: string[]
}

/** The message of a 422. */
function refusal({ status, body }: { status: number; body: unknown }): string {
  const { error, logs, message } = body as Refusal
  expect({ status, error, logs }).toEqual({
    status: 422,
    error: 'Transaction simulation failed',
    logs: expect.any(Array),
  })
  return message
}

const typed = async (instruction: string, owner: string, amount?: bigint): Promise<string> =>
  refusal(
    await world.post(`/relay/prepare/${instruction}`, {
      ownerPubkey: owner,
      ...(amount === undefined ? {} : { amount: String(amount) }),
    }),
  )

const arbitrary = async (signer: AgentWallet, ...instructions: TransactionInstruction[]): Promise<string> =>
  refusal(
    await world.post('/relay/prepare', {
      instructions: instructions.map(toJson),
      signerPubkeys: [signer.owner],
    }),
  )

const deposit = (
  from: AgentWallet,
  amount: bigint,
  accounts: Parameters<AgentWallet['instruction']>[1] = {},
) => from.instruction('deposit', { payer: from.owner, ...accounts }, { amount })

/** A wallet with an agent that has only this many lamports. */
async function withLamports(name: string, lamports: number): Promise<AgentWallet> {
  const poor = await world.wallet(name)
  const balance = await world.connection.getBalance(poor.keypair.publicKey)
  const rest = {
    fromPubkey: poor.keypair.publicKey,
    toPubkey: world.admin.publicKey,
    lamports: balance - lamports,
  }
  await world.transact([SystemProgram.transfer(rest)], [poor.keypair])
  return poor
}

test('a deposit of a wallet without a USDC account says so, over REST and GraphQL', async () => {
  const owner = keyOf(Keypair.generate())
  const instruction = deposit(wallet, USDC, { ownerToken: tokensOf(owner) })
  expect(await arbitrary(wallet, instruction)).toBe(
    `Instruction 0: InvalidAccountOwner: The token account ${tokensOf(owner)} does not exist.`,
  )

  const poor = await world.wallet('Without USDC account')
  const tokens = new PublicKey(tokensOf(poor.owner))
  await world.transact([burnAll(tokens, poor.keypair), closeTokens(tokens, poor.keypair)], [poor.keypair])
  await indexer.whenIdle()
  const message = `Instruction 0: InvalidAccountOwner: The wallet ${poor.owner} has no USDC account: ${tokens.toBase58()} does not exist.`
  expect(await typed('deposit', poor.owner, USDC)).toBe(message)
  const { errors } = await world.graphql(
    'mutation ($input: StakeAmountInput!) { prepareDeposit(input: $input) { id } }',
    { input: { ownerPubkey: poor.owner, amount: '1000000' } },
  )
  expect(errors?.[0]).toMatchObject({ extensions: { code: 'SIMULATION_FAILED', message } })
})

test('a deposit of too much USDC says how much there is and how much is needed', async () => {
  expect(await typed('deposit', wallet.owner, 5_000_500_001n)).toBe(
    `Instruction 0: The wallet ${wallet.owner} has 5000 USDC, and 5000.500001 USDC are needed.`,
  )
})

test('a deposit from an account of another wallet or of another token says which', async () => {
  expect(await arbitrary(wallet, deposit(wallet, USDC, { ownerToken: tokensOf(staked.owner) }))).toBe(
    `Instruction 0: InvalidTokenAccount: The token account ${tokensOf(staked.owner)} belongs to ${staked.owner}, not to the wallet ${wallet.owner}.`,
  )
  expect(await arbitrary(wallet, deposit(wallet, USDC, { ownerToken: wallet.owner }))).toBe(
    `Instruction 0: InvalidAccountOwner: The account ${wallet.owner} is not an account of the SPL Token program.`,
  )
})

test('too little SOL for a new account, and for the rent of the wallet, has both amounts', async () => {
  const poor = await withLamports('Poor', 1_000_000)
  const rent = await world.connection.getMinimumBalanceForRentExemption(0)
  expect(await typed('deposit', poor.owner, USDC)).toMatch(
    new RegExp(
      `^Instruction 0: The wallet ${poor.owner} has 0\\.000995 SOL left, and a new account needs 0\\.\\d{4,9} SOL of rent\\.$`,
    ),
  )
  const least = await withLamports('Least', rent)
  expect(await typed('suspend-agent', least.owner)).toBe(
    `The transaction would leave too little SOL in ${least.owner} for its rent. It has ${rent / SOL} SOL now, and must keep ${rent / SOL} SOL or nothing`,
  )
})

test('a wallet without an agent, a stake or a withdrawal is told so', async () => {
  const owner = keyOf(await world.funded())
  expect(await typed('request-withdrawal', owner, USDC)).toMatch(
    /^Instruction 0: InvalidAccountOwner: There is no agent at this address: the account \w+ does not exist\.$/,
  )
  expect(await typed('request-withdrawal', wallet.owner, USDC)).toContain('The agent has no stake')
  expect(await typed('cancel-withdrawal', staked.owner)).toContain('No withdrawal is pending')
  expect(await typed('complete-withdrawal', staked.owner)).toContain('No withdrawal is pending')
})

test('a withdrawal of more than the stake says how much can be withdrawn', async () => {
  expect(await typed('request-withdrawal', staked.owner, 600_000_001n)).toBe(
    'Instruction 0: InsufficientStake: The stake has 600 USDC to withdraw (600 USDC deposited, 0 USDC locked), and 600.000001 USDC were requested.',
  )
})

test('a second withdrawal, and one that is completed too early, say from when the first one is payable', async () => {
  const { withdrawal } = await world.t.kysely
    .selectFrom('withdrawal_requests')
    .select('requested_at as withdrawal')
    .executeTakeFirstOrThrow()
  const from = new Date(Date.parse(withdrawal) + 7 * 86_400_000).toISOString().replace('.000Z', 'Z')
  expect(await typed('request-withdrawal', withdrawing.owner, USDC)).toBe(
    `Instruction 0: WithdrawalPending: A withdrawal of 100 USDC is pending. Complete it from ${from} on, or cancel it.`,
  )
  expect(await typed('complete-withdrawal', withdrawing.owner)).toBe(
    `Instruction 0: CooldownNotOver: The cooldown is not over. The withdrawal can be completed from ${from} on.`,
  )
})

test('a suspended agent, and a second registration, are named', async () => {
  const suspended = await world.wallet('Suspended')
  await suspended.send('suspend_agent', { authority: suspended.owner })
  expect(await arbitrary(suspended, deposit(suspended, USDC))).toBe(
    'Instruction 0: AgentNotActive: The agent is suspended.',
  )
  const again = suspended.instruction('register_agent', { payer: suspended.owner }, registrationArgs('Again'))
  expect(await arbitrary(suspended, again)).toBe(
    `Instruction 0: AlreadyInitialized: The wallet ${suspended.owner} has an agent already: ${suspended.agent}.`,
  )
})

test('nothing is said about an account that an earlier instruction may have changed', async () => {
  const tokens = tokensOf(wallet.owner)
  const transfer = SystemProgram.transfer({
    fromPubkey: wallet.keypair.publicKey,
    toPubkey: new PublicKey(tokens),
    lamports: 1,
  })
  const message = await arbitrary(wallet, transfer, deposit(wallet, 6_000n * USDC))
  expect(message).toBe('Instruction 1: custom program error 0x1: a token account has too few tokens')
})

test('the accounts are read in one call, only after a failure, and the error stays if no node returns them', async () => {
  const count = () => world.calls.filter((each) => each === 'getMultipleAccounts').length
  const prepare = (amount: bigint) =>
    world.post('/relay/prepare', {
      instructions: [toJson(deposit(wallet, amount))],
      signerPubkeys: [wallet.owner],
    })
  const before = count()
  expect((await prepare(USDC)).status).toBe(200)
  expect(count()).toBe(before)
  refusal(await prepare(6_000n * USDC))
  expect(count()).toBe(before + 1)
  world.localnet.fault.http({ methods: ['getMultipleAccounts'], count: 1_000, status: 503 })
  expect(refusal(await prepare(6_000n * USDC))).toBe(
    'Instruction 0: custom program error 0x1: a token account has too few tokens',
  )
})

const token = (data: number[], keys: [PublicKey, boolean, boolean][]) =>
  new TransactionInstruction({
    programId: new PublicKey(TOKEN_PROGRAM),
    keys: keys.map(([each, isSigner, isWritable]) => ({ pubkey: each, isSigner, isWritable })),
    data: Buffer.from(data),
  })

/** Sends the USDC away. */
function burnAll(tokens: PublicKey, { publicKey }: Keypair): TransactionInstruction {
  const amount = Buffer.alloc(8)
  amount.writeBigUInt64LE(5_000n * USDC)
  return token(
    [8, ...amount],
    [
      [tokens, false, true],
      [new PublicKey(world.usdcMint), false, true],
      [publicKey, true, false],
    ],
  )
}

function closeTokens(tokens: PublicKey, { publicKey }: Keypair): TransactionInstruction {
  return token(
    [9],
    [
      [tokens, false, true],
      [publicKey, false, true],
      [publicKey, true, false],
    ],
  )
}
