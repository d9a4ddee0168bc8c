import { expect, test } from 'vitest'
import { pubkey } from '@agent-registry/solana'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { fetchStatuses } from '../../../src/relay/fetch-statuses.ts'
import type { TransactionRow } from '../../../src/relay/record.ts'

const FINALIZED = { blockHeight: 200, absoluteSlot: 250 }

/** A node that knows no transaction. `recent` and `history` are the slots of its answers. */
const nodeAt = (recent: number, history: number) =>
  ({
    call: async (method: string, params: [unknown, { searchTransactionHistory: boolean }]) => {
      if (method === 'getEpochInfo') return FINALIZED
      const slot = params[1].searchTransactionHistory ? history : recent
      return { context: { slot }, value: [null] }
    },
  }) as unknown as LedgerRpc

async function statusOf(
  row: Pick<TransactionRow, 'last_valid_block_height' | 'slot'>,
  rpc: LedgerRpc,
): Promise<unknown> {
  const registryProgram = pubkey('11111111111111111111111111111111')
  const rows = [{ id: 'one', signature: 'signature', ...row } as TransactionRow]
  return (await fetchStatuses(rows, { rpc, registryProgram })).get('one')
}

test('a transaction is not expired while the history of the node is older than the block that expired it', async () => {
  const row = { last_valid_block_height: 199, slot: null }
  expect(await statusOf(row, nodeAt(300, 249))).toBeUndefined()
  expect(await statusOf(row, nodeAt(300, 250))).toEqual({ kind: 'absent', expired: true })
})

test('a transaction can still land at its last valid block height itself', async () => {
  const row = { last_valid_block_height: 200, slot: null }
  expect(await statusOf(row, nodeAt(300, 300))).toEqual({ kind: 'absent', expired: false })
})

test('a node that is behind the slot of a transaction does not make it absent', async () => {
  const row = { last_valid_block_height: 1_000, slot: 280 }
  expect(await statusOf(row, nodeAt(279, 300))).toBeUndefined()
  expect(await statusOf(row, nodeAt(280, 300))).toEqual({ kind: 'absent', expired: false })
})
