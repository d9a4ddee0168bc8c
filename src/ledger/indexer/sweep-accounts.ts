import { LedgerRpcError } from '../rpc/rpc-error.ts'
import type { IndexerEngine } from './engine.ts'
import { pipelined } from '../../platform/async/pipeline.ts'
import { listAccounts } from './list-accounts.ts'

const CHUNK = 2_500

/**
 * Reads every account of the program, for those that no transaction served by the node tells of: nodes prune, and may
 * fail to serve what they list. False when the node refuses to list accounts; then only transactions lead to them.
 */
export async function sweepAccounts(
  engine: IndexerEngine,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<boolean> {
  const { rpc, db, programId, commitment } = engine.options
  const minContextSlot = engine.position.cursor.slot
  engine.sweepDue = false
  try {
    const pdas = await listAccounts(rpc, db(), { programId, commitment, minContextSlot })
    let done = 0
    const chunks = Array.from({ length: Math.ceil(pdas.length / CHUNK) }, (_, i) =>
      pdas.slice(i * CHUNK, (i + 1) * CHUNK),
    )
    for await (const written of pipelined(chunks, 2, (chunk) => engine.refresh(chunk))) {
      done = Math.min(pdas.length, done + written.length * CHUNK)
      onProgress(done, pdas.length)
    }
  } catch (error) {
    if (error instanceof LedgerRpcError && (error.kind === 'timeout' || !error.isTransient)) return false
    engine.sweepDue = true
    throw error
  }
  return true
}
