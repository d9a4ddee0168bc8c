import { chunksOf } from '../../platform/async/promises.ts'
import { pipelined } from '../../platform/async/pipeline.ts'
import { LedgerRpcError } from '../rpc/rpc-error.ts'
import type { IndexerEngine } from './engine.ts'
import { listAccounts } from './fetch/fetch-accounts.ts'

const CHUNK_SIZE = 2_500

/**
 * Reads every account of the program. Transactions alone may not lead to all of them: nodes prune
 * history, and may not serve what they list. False if the node refuses to list accounts.
 */
export async function sweepAccounts(
  engine: IndexerEngine,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<boolean> {
  const { rpc, db, programId, commitment } = engine.options
  const minContextSlot = engine.position.cursor.slot
  engine.needsSweep = false
  try {
    const pdas = await listAccounts(rpc, db(), { programId, commitment, minContextSlot })
    let done = 0
    const refresh = (chunk: string[]) => engine.refreshAccounts(chunk)
    for await (const chunks of pipelined(chunksOf(pdas, CHUNK_SIZE), 2, refresh)) {
      done = Math.min(pdas.length, done + chunks.length * CHUNK_SIZE)
      onProgress(done, pdas.length)
    }
  } catch (error) {
    if (error instanceof LedgerRpcError && (error.kind === 'timeout' || !error.isTransient)) return false
    engine.needsSweep = true
    throw error
  }
  return true
}
