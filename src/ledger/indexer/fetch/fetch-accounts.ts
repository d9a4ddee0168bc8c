import { type Kysely, sql } from 'kysely'
import { MAX_TRANSACTION_VERSION } from '@agent-registry/solana'
import type { Database } from '../../../db/database.ts'
import { chunksOf } from '../../../platform/async/promises.ts'
import {
  ACCOUNT_TABLES,
  type AccountSnapshot,
  addAccount,
  emptySnapshot,
  type RpcAccount,
} from '../../decode/decode-account.ts'
import type { LedgerRpc } from '../../rpc/ledger-rpc.ts'
import type { LedgerRpcError } from '../../rpc/rpc-error.ts'

/** The limit of getMultipleAccounts. */
const MAX_ACCOUNTS = 100

interface FetchAccountsOptions {
  programId: string
  commitment: string
  /** The node must have reached this slot. */
  minContextSlot?: number
}

/** Reads and decodes accounts. One snapshot per request, since each may be of another slot. */
export async function fetchAccounts(
  rpc: LedgerRpc,
  pdas: readonly string[],
  { programId, commitment, minContextSlot }: FetchAccountsOptions,
): Promise<AccountSnapshot[]> {
  const config = { encoding: 'base64', commitment, minContextSlot }
  const chunks = [...chunksOf(pdas, MAX_ACCOUNTS)]
  const results = await rpc.batch<{ context: { slot: number }; value: (RpcAccount | null)[] }>(
    chunks.map((chunk) => ({ method: 'getMultipleAccounts', params: [chunk, config] })),
  )
  return results.map(({ context, value }, c) => {
    const snapshot = emptySnapshot(context.slot)
    chunks[c]?.forEach((pda, i) => addAccount(snapshot, pda, value[i] ?? null, programId))
    return snapshot
  })
}

/** The address of every account of the program that the ledger or a table contains, sorted. */
export async function listAccounts(
  rpc: LedgerRpc,
  db: Kysely<Database>,
  { programId, commitment, minContextSlot }: FetchAccountsOptions,
): Promise<string[]> {
  const addressesOnly = { offset: 0, length: 0 }
  const { value } = await rpc.call<{ value: { pubkey: string }[] }>('getProgramAccounts', [
    programId,
    { encoding: 'base64', commitment, minContextSlot, withContext: true, dataSlice: addressesOnly },
  ])
  const pdas = new Set(value.map((account) => account.pubkey))
  for (const table of [...ACCOUNT_TABLES, 'dead_letters'] as const) {
    const { rows } = await sql<{ pda: string }>`
      select pda from ${sql.table(table)} where pda is not null`.execute(db)
    for (const row of rows) pdas.add(row.pda)
  }
  return [...pdas].sort()
}

interface Block {
  signatures?: string[]
  parentSlot: number
}

/** Blocks by slot, with their signatures in order. Null if the node has none, or the error. */
export async function fetchBlocks(
  rpc: LedgerRpc,
  slots: readonly number[],
  commitment: string,
  transactionDetails: 'signatures' | 'none' = 'signatures',
): Promise<Map<number, Block | null | LedgerRpcError>> {
  if (slots.length === 0) return new Map()
  const config = {
    commitment,
    transactionDetails,
    rewards: false,
    maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
  }
  const blocks = await rpc.settle<Block | null>(
    slots.map((slot) => ({ method: 'getBlock', params: [slot, config] })),
  )
  return new Map(slots.map((slot, i) => [slot, blocks[i] ?? null]))
}
