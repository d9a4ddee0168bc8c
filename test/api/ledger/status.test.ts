import { EVENT_TAG } from '@agent-registry/program'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { exposeIndexer } from '../../../src/ledger/indexer/status.ts'
import { readIndexerHealth } from '../../../src/ledger/indexer/health.ts'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { useTestDatabase } from '../../support/database.ts'
import { scriptedIndexer } from '../../support/ledger/indexer.ts'
import { registration } from '../../support/ledger/samples.ts'
import { ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'
import { kyselyOf } from '../../support/ledger/tables.ts'

const database = useTestDatabase()
let indexer: Indexer
const ledger = new ScriptedLedger()
let ahead = 0
const clock = { ...systemClock, now: () => Date.now() + ahead }

beforeAll(async () => {
  ledger.send(registration('a'))
  ledger.send({ inner: [EVENT_TAG] })
  ledger.advance(200)
  indexer = scriptedIndexer(database.orm, ledger, { clock })
  await indexer.whenIdle()
})
afterAll(() => indexer.stop())

test('a healthy indexer reports its position, and the metrics agree', async () => {
  await expect.poll(() => indexer.status().finalizedSlot).toBe(ledger.finalizedSlot)
  await expect.poll(() => indexer.status().deadLetters).toBe(1)
  const report = await readIndexerHealth(indexer, kyselyOf(database.orm))
  expect(report).toMatchObject({
    phase: 'live',
    cursorSlot: ledger.slot,
    finalizedSlot: ledger.finalizedSlot,
    lagSlots: 0,
    deadLetters: 1,
    ready: true,
    healthy: true,
  })
  expect(report.lagSeconds).toBeLessThan(60)
  const metrics = createMetrics()
  exposeIndexer(() => indexer.status(), metrics)
  for (const scrape of [await metrics.metrics(), await metrics.metrics()]) {
    expect(scrape).toContain(`gateway_indexer_cursor_slot ${ledger.slot}\n`)
    expect(scrape).toContain('gateway_indexer_transactions_total 2\n')
    expect(scrape).toContain('gateway_indexer_dead_letters 1\n')
    expect(scrape).toContain('gateway_indexer_phase{phase="live"} 1\n')
    expect(scrape).toContain('gateway_indexer_phase{phase="standby"} 0\n')
  }
})

test('how many slots behind are healthy depends on their measured length', async () => {
  await expect.poll(() => indexer.status().slotSeconds).toBe(0.3)
  const behind = (lagSlots: number, slotSeconds: number) => {
    const status = () => ({ ...indexer.status(), lagSlots, slotSeconds })
    return readIndexerHealth({ ...indexer, status }, kyselyOf(database.orm))
  }
  expect(await behind(90, 0.3)).toMatchObject({ healthy: true })
  expect(await behind(40, 1)).toMatchObject({ healthy: false })
})

test('an indexer that catches up reports how many slots are left, and is not healthy', async () => {
  const status = () => ({ ...indexer.status(), phase: 'backfilling' as const, lagSlots: 90 })
  const report = await readIndexerHealth({ ...indexer, status }, kyselyOf(database.orm))
  expect(report).toMatchObject({ phase: 'backfilling', lagSlots: 90, hasLeader: true, healthy: false })
})

test('other processes know the slot up to which the tables contain everything, also without transactions', async () => {
  const other = () => readIndexerHealth(null, kyselyOf(database.orm))
  await expect.poll(async () => (await other()).cursorSlot).toBe(ledger.slot)
  expect((await other()).lagSeconds).toBeLessThan(60)
})

test('a process that does not index reports a leader that stopped writing', async () => {
  const other = () => readIndexerHealth(null, kyselyOf(database.orm))
  expect(await other()).toMatchObject({ phase: 'off', lagSlots: null, deadLetters: 1, healthy: true })
  await indexer.stop()
  await database.orm.em
    .getConnection()
    .execute("update indexer_state set updated_at = now() - interval '5 minutes'")
  const report = await other()
  expect(report).toMatchObject({ ready: true, healthy: false })
  expect(report.lagSeconds).toBeGreaterThanOrEqual(300)
})

test('a node that does not respond appears as lag in seconds', async () => {
  indexer = scriptedIndexer(database.orm, ledger, { clock })
  await indexer.whenIdle()
  ledger.failures.push(...Array.from({ length: 10_000 }, () => new LedgerRpcError('timeout', 'slow')))
  ahead = 90_000
  const report = await readIndexerHealth(indexer, kyselyOf(database.orm))
  expect(report.lagSeconds).toBeGreaterThanOrEqual(89)
  expect(report.healthy).toBe(false)
  ledger.failures.length = 0
  await indexer.whenIdle()
  expect(indexer.status().lagSeconds).toBeLessThan(60)
})
