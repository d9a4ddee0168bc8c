import { expect, test } from 'vitest'
import { emptyRows } from '../../../src/ledger/decode/rows.ts'
import {
  AccountReadCache,
  BatchFetcher,
  joinBatches,
} from '../../../src/ledger/indexer/fetch/batch-fetcher.ts'
import type { RpcCall } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { registration } from '../../support/ledger/samples.ts'
import { PROGRAM_ID, ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'

test('accounts are read from a node that has reached the newest transaction of the batch', async () => {
  const ledger = new ScriptedLedger()
  const rpc = ledger.rpc()
  const minimumSlots: unknown[] = []
  const batch = <T>(calls: RpcCall[]): Promise<T[]> => {
    minimumSlots.push(...calls.map(({ params }) => (params[1] as { minContextSlot: number }).minContextSlot))
    return rpc.batch(calls)
  }
  const infos = [3, 4].map((slot) => {
    ledger.advance(slot - ledger.slot)
    return { signature: ledger.send(registration(`agent ${slot}`)), slot, err: null }
  })
  const fetcher = new BatchFetcher({
    rpc: { ...rpc, batch },
    db: () => expect.unreachable(),
    useCopy: false,
    programId: PROGRAM_ID,
    commitment: 'confirmed',
    signal: new AbortController().signal,
  })
  const { accounts } = await fetcher.fetch(infos, true)
  expect(accounts.snapshots[0]?.rows.get('agents')).toHaveLength(2)
  expect(minimumSlots).toEqual([4])
})

const [before, after] = [new AccountReadCache(), new AccountReadCache()]

test.each([
  ['together', 'they follow each other', [before, 0], [before, 0], 1],
  ['separately', 'earlier reads no longer count', [before, 0], [after, 0], 2],
  ['separately', 'a fork moved transactions of the first', [after, 1], [after, 0], 2],
  ['separately', 'a fork moved transactions of the second', [after, 0], [after, 1], 2],
] as const)('two batches are written %s if %s', (_, __, first, second, writes) => {
  const batches = [first, second].map(([cache, moved], i) => ({
    infos: [{ signature: `tx ${i}`, slot: i, err: null }],
    moved: Array.from({ length: moved }, () => ({ signature: `tx ${i}`, slot: i })),
    rows: emptyRows(),
    copyRows: null,
    accounts: { cache, snapshots: [] },
  }))
  const joined = joinBatches(batches)
  expect(joined).toHaveLength(writes)
  expect(joined.flatMap(({ infos }) => infos)).toEqual(batches.flatMap(({ infos }) => infos))
})
