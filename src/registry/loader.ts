import { Worker } from 'node:worker_threads'
import type { IndexedTable, TableData } from './table-data.ts'

export interface LoadOptions {
  readonly connection: object
  readonly tables: readonly IndexedTable[]
  readonly maxBytes: number
  /** The load fails when PostgreSQL sends nothing for so long. */
  readonly silentMs: number
}

/**
 * Reads tables in a thread, so that neither rows nor sorting delay others. Null if they need more
 * than `maxBytes`.
 */
export async function loadTables(
  options: LoadOptions,
  signal: AbortSignal,
): Promise<readonly TableData[] | null> {
  const worker = new Worker(new URL('./load-worker.ts', import.meta.url), {
    workerData: options,
    name: 'registry-load',
  })
  // It does not keep the process alive.
  worker.unref()
  const stop = (): void => void worker.terminate()
  signal.addEventListener('abort', stop)
  try {
    return await new Promise<readonly TableData[] | null>((resolve, reject) => {
      worker.on('message', resolve)
      worker.on('error', reject)
      worker.on('exit', () => reject(new Error('the thread that loads the registry ended')))
    })
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}
