import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { LedgerStore } from '../src/store/ledger-store.ts'

const block = (slot: number) => ({
  slot,
  parentSlot: slot - 1,
  height: slot,
  blockhash: `hash-${slot}`,
  previousBlockhash: `hash-${slot - 1}`,
  time: slot,
})

it('deletes old blocks without transactions, but not genesis and recent ones', () => {
  const store = new LedgerStore(null)
  store.createLedger(block(0), [], {})
  for (const slot of [10, 999, 1000, 8000, 21_000]) store.append(block(slot), [], [])
  expect(store.blocks.slots(0, 30_000, 10)).toEqual([0, 1000, 8000, 21_000])
  store.close()
})

it('stores a block completely or not at all', () => {
  const store = new LedgerStore(null)
  store.createLedger(block(0), [], {})
  store.append(block(1), [], [])
  expect(() => store.append(block(1), [], [])).toThrow(/UNIQUE/)
  store.append(block(2), [], [])
  expect(store.blocks.newest(10).map(({ slot }) => slot)).toEqual([0, 1, 2])
  store.close()
})

it('refuses a ledger of a newer version', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'localnet-'))
  const database = new DatabaseSync(join(dataDir, 'ledger.sqlite'))
  database.exec('pragma user_version = 99')
  database.close()
  expect(() => new LedgerStore(dataDir)).toThrow('newer version')
  rmSync(dataDir, { recursive: true })
})
