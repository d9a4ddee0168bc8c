import { beforeAll, expect, test } from 'vitest'
import {
  TransactionStore,
  type NewTransaction,
  type TransactionChange,
  type TransactionRow,
} from '../../../src/transactions/transaction-store.ts'
import { onLedgerStatus } from '../../../src/transactions/transitions.ts'
import { useTestDatabase } from '../../support/database.ts'

const NOW = Date.parse('2026-11-21T08:00:00.000Z')
const DAY = 86_400_000
const database = useTestDatabase()
let store: TransactionStore
beforeAll(async () => {
  store = new TransactionStore(database.orm.em)
})

let count = 0
async function row(now = NOW, change: Partial<NewTransaction> = {}): Promise<TransactionRow> {
  const id = `00000000-0000-0000-0000-${String((count += 1)).padStart(12, '0')}`
  const transaction = { id, message: 'AA==', lastValidBlockHeight: 1_000, blockhashSlot: 850, now }
  await store.insertSimulated({ ...transaction, ...change })
  return (await store.find(id))!
}
async function submitted(now = NOW): Promise<TransactionRow> {
  const change = {
    status: 'submitted',
    signedTx: 'AA==',
    signature: 's',
    nextCheckAt: new Date(now).toISOString(),
  } as const
  return (await store.update(await row(now), change))!
}

test('only one of several readers of a row can write it', async () => {
  const read = await row()
  const written = await Promise.all(Array.from({ length: 20 }, () => store.update(read, { misses: 1 })))
  expect(written.filter((each) => each !== null)).toHaveLength(1)
})

test('a row is claimed once, and again when the lease has expired', async () => {
  const rows = await Promise.all(Array.from({ length: 30 }, () => submitted()))
  const claim = (now: number) => store.claim({ now, until: now + 1_000, limit: 10 })
  const claimed = (await Promise.all(Array.from({ length: 8 }, () => claim(NOW)))).flat()
  expect(claimed.map((each) => each.id).sort()).toEqual(rows.map((each) => each.id).sort())
  expect(await claim(NOW + 999)).toEqual([])
  expect(await claim(NOW + 1_000)).toHaveLength(10)
  // The previous holder of the lease can no longer write.
  const [again] = await claim(NOW + 1_000)
  expect(
    await store.update(
      claimed.find((each) => each.id === again?.id)!,
      { misses: 1 },
    ),
  ).toBeNull()
})

test('each new outcome is reported once, and only to who wrote it', async () => {
  const outcomes: string[] = []
  const reporting = new TransactionStore(database.orm.em, ({ status }) => outcomes.push(status))
  const first = await submitted()
  let current = first
  const write = async (change: TransactionChange) => (current = (await reporting.update(current, change))!)
  await write({ misses: 1 })
  expect(outcomes).toEqual([])
  await write({ status: 'confirmed' })
  await write({ settled: true })
  expect(outcomes).toEqual(['confirmed'])
  await write({ status: 'submitted' })
  await write({ status: 'failed', error: { code: 'dropped', message: 'no' } })
  expect(outcomes).toEqual(['confirmed', 'failed'])
  expect(await reporting.update(first, { status: 'confirmed' })).toBeNull()
  expect(outcomes).toHaveLength(2)
})

test('of rows that nobody submitted in time, sponsored ones fail and others are leased, few of each payer', async () => {
  const messageOf = (payer: number) => Buffer.alloc(60, payer).toString('base64')
  const add = (payer: number, change: Partial<NewTransaction> = {}) =>
    row(NOW, { message: messageOf(payer), lastValidBlockHeight: 500, ...change })
  const many = [await add(1), await add(1), await add(1), await add(1)]
  const others = [await add(2), await add(3)]
  const late = [
    await add(4, { lastValidBlockHeight: 501 }),
    await add(5, { lastValidBlockHeight: 501, sponsored: true }),
    await row(NOW + 1, { message: messageOf(6), lastValidBlockHeight: 500 }),
  ]
  const sponsored = await add(7, { sponsored: true })
  const claim = (limit: number) =>
    store.claimExpired({ blockHeight: 501, now: NOW, until: NOW + 1_000, limit, perPayer: 2 })

  await store.expireSponsored(501)
  expect(await store.find(sponsored.id)).toMatchObject({
    status: 'failed',
    settled: true,
    error: { code: 'blockhash_expired' },
    version: sponsored.version + 1,
  })
  const passes = [await claim(9), await claim(1), await claim(9)]
  expect(passes.map((rows) => rows.length)).toEqual([4, 1, 1])
  const claimed = passes.flat()
  expect(new Set(claimed.map(({ id }) => id))).toEqual(new Set([...many, ...others].map(({ id }) => id)))
  expect(claimed.every(({ version }) => version === many[0]!.version + 1)).toBe(true)
  expect(await claim(9)).toEqual([])
  for (const each of late) expect(await store.find(each.id)).toEqual(each)
})

test('characters that PostgreSQL cannot store are removed from logs', async () => {
  const failure = { code: 'execution_failed', message: 'a\0b\ud800', logs: ['\0', 'x\udfff'] } as const
  const change = onLedgerStatus(await submitted(), {
    kind: 'landed',
    slot: 5,
    finality: 'confirmed',
    failure,
  })
  const failed = await store.update(await submitted(), change)
  expect(failed).toMatchObject({
    status: 'failed',
    error: { code: 'execution_failed', message: 'ab\ufffd', logs: ['', 'x\ufffd'] },
  })
})

test('old rows are deleted when they are settled', async () => {
  const submittedAt = [2, 6, 8, 91].map((days) => NOW - days * DAY)
  const never = [await row(NOW - 2 * DAY), ...(await Promise.all(submittedAt.map(submitted)))]
  const landed = await Promise.all(submittedAt.map(submitted))
  const isKept = (rows: typeof never) =>
    Promise.all(rows.map(async ({ id }) => (await store.find(id)) !== null))
  await store.deleteOld(NOW)
  expect(await isKept([...never, ...landed])).toEqual(Array(9).fill(true))
  for (const each of never) await store.update(each, { settled: true })
  for (const each of landed) await store.update(each, { settled: true, slot: 1 })
  expect(await store.deleteOld(NOW)).toBe(4)
  expect(await isKept(never)).toEqual([false, true, true, false, false])
  expect(await isKept(landed)).toEqual([true, true, true, false])
})
