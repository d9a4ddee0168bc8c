import { Connection, Keypair, PublicKey } from '@solana/web3.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { startTestLedger, type TestLedger, transfer } from './ledger.ts'

let ledger: TestLedger
beforeAll(async () => {
  ledger = await startTestLedger({ finalizedDepth: 4 })
})
afterAll(() => ledger.net.close())

describe('supply and large accounts', () => {
  it('the supply is the sum of all balances, and fees make it smaller', async () => {
    const { connection } = ledger
    const from = await ledger.wallet()
    const before = (await connection.getSupply()).value
    expect(before).toMatchObject({ circulating: before.total, nonCirculating: 0, nonCirculatingAccounts: [] })
    await ledger.land(transfer(from.publicKey, Keypair.generate().publicKey, 1e9), [from])
    expect((await connection.getSupply()).value.total).toBe(before.total - 5000)
  })

  it('lists the largest accounts first, at most 20', async () => {
    const { connection } = ledger
    const { value } = await connection.getLargestAccounts()
    const faucet = (await ledger.rpc('getIdentity')).result as { identity: string }
    expect(value[0]?.address.toBase58()).toBe(faucet.identity)
    const balances = value.map((each) => each.lamports)
    expect(balances).toEqual(balances.toSorted((a, b) => b - a))
    expect(balances.length).toBeLessThanOrEqual(20)
    expect((await connection.getLargestAccounts({ filter: 'nonCirculating' })).value).toEqual([])
  })

  it('lists the largest accounts of a mint, and the accounts of a delegate', async () => {
    const { connection, usdcMint } = ledger
    for (const amount of [3, 1, 2]) {
      const owner = Keypair.generate().publicKey.toBase58()
      await ledger.rpc('localnet_mintUsdc', [owner, amount * 1e6])
    }
    ledger.net.stepSlot()
    const { value } = await connection.getTokenLargestAccounts(usdcMint)
    expect(value.map((each) => each.uiAmountString)).toEqual(['3', '2', '1'])
    expect(value[0]).toMatchObject({ amount: '3000000', decimals: 6, uiAmount: 3 })
    const wrong = await ledger.rpc('getTokenLargestAccounts', [Keypair.generate().publicKey.toBase58()])
    expect(wrong.error).toMatchObject({ code: -32602, message: 'Invalid param: could not find mint' })
    const filter = { mint: usdcMint.toBase58() }
    const delegate = Keypair.generate().publicKey.toBase58()
    expect((await ledger.rpc('getTokenAccountsByDelegate', [delegate, filter])).result).toMatchObject({
      value: [],
    })
  })
})

describe('one validator without votes', () => {
  it('is the leader of every slot and has produced every block', async () => {
    const { connection, net } = ledger
    const leader = await connection.getSlotLeader()
    expect((await connection.getSlotLeaders(0, 3)).map(String)).toEqual([leader, leader, leader])
    const schedule = await connection.getLeaderSchedule()
    expect(Object.keys(schedule)).toEqual([leader])
    expect(schedule[leader]).toHaveLength(432_000)
    const future = await ledger.rpc('getLeaderSchedule', [432_000 * 5])
    expect(future.result).toBeNull()
    const { value } = await connection.getBlockProduction({ commitment: 'confirmed' })
    const slots = value.range.lastSlot - value.range.firstSlot + 1
    expect(value.range.lastSlot).toBe(net.slot - 1)
    expect(value.byIdentity[leader]).toEqual([slots, slots])
    const nodes = await connection.getClusterNodes()
    expect(nodes.map((each) => each.pubkey)).toEqual([leader])
    expect(nodes[0]?.version).toBe((await connection.getVersion())['solana-core'])
  })

  it('has no votes, stakes, inflation, rewards or snapshots', async () => {
    const { connection, net } = ledger
    expect(await connection.getVoteAccounts()).toEqual({ current: [], delinquent: [] })
    expect(await connection.getInflationGovernor()).toMatchObject({ initial: 0, terminal: 0 })
    expect(await connection.getInflationRate()).toEqual({ epoch: 0, foundation: 0, total: 0, validator: 0 })
    expect(await connection.getInflationReward([PublicKey.default], 0)).toEqual([null])
    expect((await connection.getStakeMinimumDelegation({})).value).toBe(1)
    expect((await ledger.rpc('getHighestSnapshotSlot')).error).toEqual({
      code: -32008,
      message: 'No snapshot',
    })
    expect((await ledger.rpc('getBlockCommitment', [1])).result).toEqual({ commitment: null, totalStake: 0 })
    expect((await ledger.rpc('getMaxRetransmitSlot')).result).toBe(net.slot)
    expect((await ledger.rpc('getMaxShredInsertSlot')).result).toBe(net.slot)
  })

  it('refuses a range of leaders or samples that is too long', async () => {
    expect((await ledger.rpc('getSlotLeaders', [0, 5001])).error?.code).toBe(-32602)
    expect((await ledger.rpc('getRecentPerformanceSamples', [721])).error?.code).toBe(-32602)
    expect(
      (await ledger.rpc('getBlockProduction', [{ range: { firstSlot: 9, lastSlot: 2 } }])).error?.code,
    ).toBe(-32602)
  })
})

it('samples the transactions and slots of each finished minute', async () => {
  await using own = await startTestLedger()
  expect(await own.connection.getRecentPerformanceSamples()).toEqual([])
  const from = await own.wallet()
  await own.land(transfer(from.publicKey, from.publicKey, 1), [from])
  const { slot } = own.net
  await own.rpc('localnet_warp', [120])
  own.net.stepSlot()
  const samples = await own.connection.getRecentPerformanceSamples(5)
  const [newest] = samples
  expect(newest?.slot).toBe(slot)
  expect(samples.reduce((sum, each) => sum + each.numTransactions, 0)).toBe(2)
  expect(samples.reduce((sum, each) => sum + each.numSlots, 0)).toBe(slot)
  expect(newest?.samplePeriodSecs).toBe(60)
})

it('slotsUpdatesSubscribe reports each state that a slot reaches', async () => {
  await using own = await startTestLedger({ finalizedDepth: 2 })
  const connection = new Connection(own.net.rpcUrl, { wsEndpoint: own.net.wsUrl })
  const seen: string[] = []
  const id = connection.onSlotUpdate((update) => seen.push(`${update.type} ${update.slot}`))
  await eventually(async () => {
    own.net.stepSlot()
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).not.toEqual([])
  })
  const { slot } = own.net
  own.net.stepSlot(3)
  await eventually(() => expect(seen).toContain(`root ${slot}`))
  expect(seen.filter((each) => each.endsWith(` ${slot}`)).slice(-3)).toEqual([
    `frozen ${slot}`,
    `optimisticConfirmation ${slot}`,
    `root ${slot}`,
  ])
  expect(seen).toContain(`createdBank ${slot + 1}`)
  await connection.removeSlotUpdateListener(id)
})

it('a batch whose responses are too large ends with errors, and the ledger goes on', async () => {
  const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'getLeaderSchedule' })
  const response = await ledger.post(JSON.stringify(Array.from({ length: 100 }, (_, id) => call(id))))
  const answers = (await response.json()) as { id: number; error?: { code: number } }[]
  expect(answers.map((each) => each.id)).toEqual(Array.from({ length: 100 }, (_, id) => id))
  expect(answers[0]?.error).toBeUndefined()
  expect(answers.at(-1)?.error).toMatchObject({ code: -32603 })
  expect(await ledger.connection.getSlot('processed')).toBe(ledger.net.slot)
})
