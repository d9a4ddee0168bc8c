import * as fc from '../../support/property.ts'
import { afterEach, expect, test } from 'vitest'
import { audit } from '../../../src/ledger/audit/audit.ts'
import { rebuild } from '../../../src/ledger/audit/rebuild.ts'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { scriptedIndexer } from '../../support/ledger/indexer.ts'
import { closing, keyOf, registration, report } from '../../support/ledger/samples.ts'
import { PROGRAM_ID, ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'
import { webhookSink } from '../../../src/webhooks/enqueue.ts'
import { dumpTables, kyselyOf } from '../../support/ledger/tables.ts'

let database: TestDatabase
let indexer: Indexer | undefined

afterEach(async () => {
  await indexer?.stop()
  await database.drop()
})

const run = (ledger: ScriptedLedger, settleMs = 0) =>
  audit({ orm: database.orm, rpc: ledger.rpc(), programId: PROGRAM_ID, settleMs })
const refill = (ledger: ScriptedLedger, batchSize = 100) =>
  rebuild({ sink: webhookSink, orm: database.orm, rpc: ledger.rpc(), programId: PROGRAM_ID, batchSize })

test.each([1, 2, 100])(
  'an agent is closed, registered again and reported in one slot, in batches of %i',
  async (batchSize) => {
    database = await createTestDatabase()
    const ledger = new ScriptedLedger()
    indexer = scriptedIndexer(database.orm, ledger, { batchSize })
    for (let life = 0; life < 3; life += 1) {
      ledger.send(registration('a'))
      ledger.send(report('a', 250, 251 + life))
      if (life === 1) await indexer.whenIdle()
      if (life < 2) ledger.send(closing('a'))
      // The closed account is written before it is opened again in the same slot.
      if (life === 0) await indexer.whenIdle()
    }
    await indexer.whenIdle()
    const { agents, agent_history: history } = await dumpTables(database.orm)
    expect(agents).toMatchObject([{ name: 'a', reputation_score: 253 }])
    expect(history).toHaveLength(3)
    const ordered = await kyselyOf(database.orm)
      .selectFrom('agent_history')
      .select('new_value')
      .where('agent_pda', '=', keyOf('a'))
      .orderBy('position')
      .execute()
    expect(ordered.map((row) => row.new_value)).toEqual(['251', '252', '253'])
    ledger.send(closing('a'))
    await indexer.whenIdle()
    expect((await dumpTables(database.orm)).agents).toEqual([])
    expect((await run(ledger)).differences).toEqual([])
  },
)

const LABELS = ['a', 'b', 'c']
const step = fc.record({
  label: fc.constantFrom(...LABELS),
  kind: fc.constantFrom('register', 'report', 'close', 'advance', 'fork', 'idle', 'rebuild', 'restart'),
  amount: fc.integer({ min: 1, max: 20 }),
})

test('the tables equal the ledger after any operations', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 30 }),
      fc.constantFrom(1, 3, 100),
      async (steps, batchSize) => {
        database = await createTestDatabase()
        const ledger = new ScriptedLedger()
        const start = (): Indexer => scriptedIndexer(database.orm, ledger, { batchSize })
        indexer = start()
        const background: Promise<unknown>[] = []
        try {
          for (const { label, kind, amount } of steps) {
            const isOpen = ledger.accounts.has(keyOf(label))
            if (kind === 'register' && !isOpen) ledger.send(registration(label))
            if (kind === 'report' && isOpen) ledger.send(report(label, 250, 250 + amount))
            if (kind === 'close' && isOpen) ledger.send(closing(label))
            if (kind === 'advance') ledger.advance(amount)
            if (kind === 'fork') ledger.forkFrom(Math.max(ledger.finalizedSlot, ledger.slot - amount))
            if (kind === 'idle') await indexer.whenIdle()
            if (kind === 'rebuild') background.push(refill(ledger, batchSize), refill(ledger), run(ledger))
            if (kind === 'restart') {
              await indexer.stop()
              indexer = start()
            }
          }
          await Promise.all(background)
          ledger.advance(60)
          await indexer.whenIdle()
          const { differences } = await run(ledger, 5_000)
          expect(differences).toEqual([])
        } finally {
          await indexer.stop()
          await database.drop()
        }
      },
    ),
    { numRuns: 8 },
  )
})
