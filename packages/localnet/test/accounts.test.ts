import { Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js'
import bs58 from 'bs58'
import { expect, it } from 'vitest'
import { failure, transfer, useTestLedger } from './ledger.ts'

const TOKEN_PROGRAM = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const CLOCK = new PublicKey('SysvarC1ock11111111111111111111111111111111')

const ledger = useTestLedger({ finalizedDepth: 4 })

it('reads balances and accounts at each commitment', async () => {
  const owner = Keypair.generate().publicKey
  const { connection, net } = ledger
  const seen = async (): Promise<number[]> =>
    Promise.all(
      (['processed', 'confirmed', 'finalized'] as const).map((each) => connection.getBalance(owner, each)),
    )
  await connection.requestAirdrop(owner, 1e9)
  expect(await seen()).toEqual([1e9, 0, 0])
  net.stepSlot()
  expect(await seen()).toEqual([1e9, 1e9, 0])
  await connection.requestAirdrop(owner, 1e9)
  net.stepSlot(3)
  expect(await seen()).toEqual([2e9, 2e9, 1e9])
  net.stepSlot()
  expect(await seen()).toEqual([2e9, 2e9, 2e9])
  expect(await connection.getAccountInfo(owner, 'finalized')).toMatchObject({
    lamports: 2e9,
    executable: false,
  })
})

it('finds program accounts by size and bytes, sliced, at each commitment', async () => {
  const { connection, net } = ledger
  const owners = [await ledger.wallet(), await ledger.wallet()]
  for (const owner of owners) await ledger.rpc('localnet_mintUsdc', [owner.publicKey.toBase58(), 7])
  const [first] = owners
  if (first === undefined) throw new Error('no owner')
  const find = (commitment: 'processed' | 'confirmed') =>
    connection.getProgramAccounts(TOKEN_PROGRAM, {
      commitment,
      dataSlice: { offset: 64, length: 8 },
      filters: [{ dataSize: 165 }, { memcmp: { offset: 32, bytes: first.publicKey.toBase58() } }],
    })
  expect(await find('confirmed')).toEqual([])
  const [found, ...others] = await find('processed')
  expect(others).toEqual([])
  expect(found?.account.data).toEqual(Buffer.from([7, 0, 0, 0, 0, 0, 0, 0]))
  net.stepSlot()
  expect(await find('confirmed')).toHaveLength(1)
  const base64 = {
    memcmp: { offset: 32, bytes: first.publicKey.toBuffer().toString('base64'), encoding: 'base64' },
  }
  const answer = await ledger.rpc('getProgramAccounts', [
    TOKEN_PROGRAM.toBase58(),
    { encoding: 'base64', filters: [base64], withContext: true, commitment: 'confirmed' },
  ])
  expect(answer.result).toMatchObject({
    context: { slot: net.slot - 1 },
    value: [{ pubkey: found?.pubkey.toBase58() }],
  })
})

it('returns token balances by account and by owner, plain and parsed', async () => {
  const { connection, net, usdcMint } = ledger
  const owner = await ledger.wallet()
  await ledger.rpc('localnet_mintUsdc', [owner.publicKey.toBase58(), 1_500_000])
  net.stepSlot()
  const { value } = await connection.getTokenAccountsByOwner(owner.publicKey, { mint: usdcMint })
  const account = value[0]?.pubkey ?? owner.publicKey
  expect((await connection.getTokenAccountBalance(account)).value).toMatchObject({
    amount: '1500000',
    uiAmount: 1.5,
  })
  const byProgram = await connection.getParsedTokenAccountsByOwner(owner.publicKey, {
    programId: TOKEN_PROGRAM,
  })
  expect(byProgram.value[0]?.account.data.parsed).toMatchObject({
    type: 'account',
    info: { owner: owner.publicKey.toBase58(), tokenAmount: { uiAmountString: '1.5' } },
  })
  expect((await failure(connection.getTokenAccountBalance(owner.publicKey))).message).toContain(
    'not a Token account',
  )
})

it('reads many accounts at once, missing ones as null, and limits how many', async () => {
  const { connection } = ledger
  const owner = await ledger.wallet(3)
  const missing = Keypair.generate().publicKey
  const [present, absent] = await connection.getMultipleAccountsInfo([owner.publicKey, missing])
  expect([present?.lamports, absent]).toEqual([3e9, null])
  const keys = Array.from({ length: 101 }, () => missing.toBase58())
  expect((await ledger.rpc('getMultipleAccounts', [keys])).error).toMatchObject({ code: -32602 })
})

it('does not return an account that was emptied', async () => {
  const [from, to] = [await ledger.wallet(1), Keypair.generate()]
  await ledger.land(transfer(from.publicKey, to.publicKey, 1e9 - 5000), [from])
  expect(await ledger.connection.getAccountInfo(from.publicKey)).toBeNull()
  expect(await ledger.connection.getAccountInfo(from.publicKey, 'finalized')).not.toBeUndefined()
})

it('encodes data as requested, and refuses base-58 above 128 bytes', async () => {
  const { connection, net } = ledger
  const [payer, account] = [await ledger.wallet(), Keypair.generate()]
  const lamports = await connection.getMinimumBalanceForRentExemption(64)
  const create = SystemProgram.createAccount({
    fromPubkey: payer.publicKey,
    newAccountPubkey: account.publicKey,
    lamports,
    space: 64,
    programId: TOKEN_PROGRAM,
  })
  await ledger.land(new Transaction().add(create), [payer, account])
  const read = async (encoding?: string): Promise<unknown> => {
    const config = { commitment: 'confirmed', ...(encoding === undefined ? {} : { encoding }) }
    const answer = await ledger.rpc('getAccountInfo', [account.publicKey.toBase58(), config])
    return (answer.result as { value: { data: unknown } }).value.data
  }
  const zeros = new Uint8Array(64)
  expect(await read('base64')).toEqual([Buffer.from(zeros).toString('base64'), 'base64'])
  expect(await read('base58')).toEqual([bs58.encode(zeros), 'base58'])
  expect(await read()).toBe(bs58.encode(zeros))
  expect(await read('jsonParsed')).toEqual([Buffer.from(zeros).toString('base64'), 'base64'])
  await ledger.rpc('localnet_mintUsdc', [payer.publicKey.toBase58(), 1])
  net.stepSlot()
  const { value } = await connection.getTokenAccountsByOwner(payer.publicKey, { mint: ledger.usdcMint })
  const answer = await ledger.rpc('getAccountInfo', [
    value[0]?.pubkey.toBase58(),
    { encoding: 'base58', commitment: 'confirmed' },
  ])
  expect(answer.error).toMatchObject({ code: -32600 })
})

it('refuses a read before minContextSlot', async () => {
  const { slot } = ledger.net
  const ask = (minContextSlot: number) =>
    ledger.rpc('getBalance', [CLOCK.toBase58(), { commitment: 'confirmed', minContextSlot }])
  expect((await ask(slot + 5)).error).toMatchObject({ code: -32016, data: { contextSlot: slot - 1 } })
  expect((await ask(slot - 1)).error).toBeUndefined()
})

it('shows the clock of each slot to programs, and warps it', async () => {
  const { connection, net } = ledger
  const clock = async (): Promise<{ slot: bigint; time: bigint }> => {
    const data = (await connection.getAccountInfo(CLOCK, 'processed'))?.data ?? Buffer.alloc(40)
    return { slot: data.readBigUInt64LE(0), time: data.readBigInt64LE(32) }
  }
  const before = await clock()
  expect(before.slot).toBe(BigInt(net.slot))
  const answer = await ledger.rpc('localnet_warp', [7 * 86_400])
  const after = await clock()
  expect(after.slot).toBe(before.slot + 1n)
  expect(after.time).toBeGreaterThanOrEqual(before.time + 604_800n)
  expect(answer.result).toBe(Number(after.time))
})
