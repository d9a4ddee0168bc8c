import { afterEach, beforeEach } from 'vitest'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { scriptedIndexer } from './indexer.ts'
import { registration, report } from './samples.ts'
import { ScriptedLedger } from './scripted-ledger.ts'

export interface ScriptedWorld {
  readonly database: TestDatabase
  readonly ledger: ScriptedLedger
  start: (options?: Parameters<typeof scriptedIndexer>[2], orm?: TestDatabase['orm']) => Indexer
  /** Stops the started indexers. Also called after the test. */
  stop: () => Promise<unknown>
  /** Registers agents and reports each, one transaction per slot. */
  send: (transactions: number) => void
}

/** An empty database and an empty ledger for each test of the file. */
export function useScriptedWorld(): () => ScriptedWorld {
  let world: ScriptedWorld
  const indexers: Indexer[] = []
  beforeEach(async () => {
    const database = await createTestDatabase()
    const ledger = new ScriptedLedger()
    world = {
      database,
      ledger,
      start(options, orm = database.orm) {
        const indexer = scriptedIndexer(orm, ledger, options)
        indexers.push(indexer)
        return indexer
      },
      stop: () => Promise.all(indexers.splice(0).map((indexer) => indexer.stop())),
      send(transactions) {
        for (let i = 0; i < transactions; i += 1) {
          ledger.send(i % 2 === 0 ? registration(`agent-${i}`) : report(`agent-${i - 1}`, 250, 250 + i))
          ledger.advance()
        }
      },
    }
  })
  afterEach(async () => {
    await world.stop()
    await world.database.drop()
  })
  return () => world
}
