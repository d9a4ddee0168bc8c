import * as fc from '../../support/property.ts'
import { expect, test } from 'vitest'
import { audit } from '../../../src/ledger/audit/audit.ts'
import { rebuild } from '../../../src/ledger/audit/rebuild.ts'
import { createTestDatabase } from '../../support/database.ts'
import { scriptedIndexer } from '../../support/ledger/indexer.ts'
import { closing, keyOf, registration, report } from '../../support/ledger/samples.ts'
import { PROGRAM_ID, ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'
import { useScriptedWorld } from '../../support/ledger/scripted-world.ts'
import { webhookSink } from '../../../src/webhooks/enqueue.ts'

const world = useScriptedWorld()

test.each([1, 2, 100])(
  'an agent is closed, registered again and reported in one slot, in batches of %i',
  async (batchSize) => {
    const { ledger, idle, dump } = world
    world.start({ batchSize })
    for (let life = 0; life < 3; life += 1) {
      ledger.send(registration('a'))
      ledger.send(report('a', 250, 251 + life))
      if (life === 1) await idle()
      if (life < 2) ledger.send(closing('a'))
      // The closed account is written before it is opened again in the same slot.
      if (life === 0) await idle()
    }
    await idle()
    const { agents, agent_history: history } = await dump()
    expect(agents).toMatchObject([{ name: 'a', reputation_score: 253 }])
    expect(history).toHaveLength(3)
    const ordered = await world.db
      .selectFrom('agent_history')
      .select('new_value')
      .where('agent_pda', '=', keyOf('a'))
      .orderBy('position')
      .execute()
    expect(ordered.map((row) => row.new_value)).toEqual(['251', '252', '253'])
    ledger.send(closing('a'))
    await idle()
    expect((await dump()).agents).toEqual([])
    expect((await world.audited()).differences).toEqual([])
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
        const database = await createTestDatabase()
        const ledger = new ScriptedLedger()
        const common = { orm: database.orm, rpc: ledger.rpc(), programId: PROGRAM_ID }
        const refill = (size: number) => rebuild({ ...common, sink: webhookSink, batchSize: size })
        const run = (settleMs: number) => audit({ ...common, settleMs })
        const start = () => scriptedIndexer(database.orm, ledger, { batchSize })
        let indexer = start()
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
            if (kind === 'rebuild') background.push(refill(batchSize), refill(100), run(0))
            if (kind === 'restart') {
              await indexer.stop()
              indexer = start()
            }
          }
          await Promise.all(background)
          ledger.advance(60)
          await indexer.whenIdle()
          const { differences } = await run(5_000)
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
