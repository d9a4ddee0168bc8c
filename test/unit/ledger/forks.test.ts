import { expect, test } from 'vitest'
import { checkBlocks } from '../../../src/ledger/indexer/finality/forks.ts'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'

// A fake node, because a real one gives each of these answers only by chance.
const SLOT = 10
const error = (code?: number): LedgerRpcError => new LedgerRpcError('rpc', 'refused', { code })
const signatures = (...list: string[]) => ({ signatures: list, parentSlot: SLOT - 1 })
const next = (parentSlot: number) => ({ 12: { parentSlot } })

test.each([
  ['included', 'its block contains it', { 10: signatures('other', 'tx') }, 12],
  ['removed', 'its block does not contain it', { 10: signatures('other') }, 12],
  ['removed', 'the chain skips its slot', { 10: error(-32007), ...next(9) }, 12],
  ['removed', 'the chain skips its slot in old blocks', { 10: error(-32009), ...next(9) }, 12],
  ['unknown', 'the node has no block of its slot', { 10: null }, 12],
  ['unknown', 'the next block follows the slot', { 10: error(-32009), ...next(10) }, 12],
  ['unknown', 'the node does not serve the next block', { 10: error(-32009), 12: error(-32009) }, 12],
  ['unknown', 'there is no next block', { 10: error(-32007) }, undefined],
  ['unknown', 'the block exists and is not served', { 10: error(-32007) }, SLOT],
  ['unknown', 'the node has deleted the block', { 10: error(-32001), ...next(9) }, 12],
  ['unknown', 'the call fails', { 10: error(), ...next(9) }, 12],
])('a transaction is %s if %s', async (outcome, _, blocks: Record<number, unknown>, nextSlot) => {
  const rpc = {
    settle: (calls: { params: [number, { transactionDetails: string }] }[]) =>
      Promise.resolve(
        calls.map(({ params: [slot, { transactionDetails }] }) =>
          transactionDetails === 'none' && slot === SLOT ? signatures() : (blocks[slot] ?? null),
        ),
      ),
    call: () => Promise.resolve(nextSlot === undefined ? [] : [nextSlot]),
  } as unknown as LedgerRpc
  const transaction = { signature: 'tx', slot: SLOT }
  expect(await checkBlocks(rpc, [transaction], 'finalized')).toEqual({
    included: outcome === 'included' ? [transaction] : [],
    removed: outcome === 'removed' ? [transaction] : [],
  })
})
