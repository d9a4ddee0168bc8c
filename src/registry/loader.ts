import { Worker } from 'node:worker_threads'
import type { IndexedTable, TableData } from './table-data.ts'

export interface LoadOptions {
  readonly connection: object
  readonly tables: readonly IndexedTable[]
  readonly maxBytes: number
}

/** Data of the tables, or null if they need more than `maxBytes`. */
export type LoadedTables = TableData[] | null

/** Reads tables in a thread, so that neither rows nor sorting delay others. */
export async function loadTables(options: LoadOptions, signal: AbortSignal): Promise<LoadedTables> {
  const worker = new Worker(new URL('./load-worker.ts', import.meta.url), {
    workerData: options,
    name: 'registry-load',
  })
  // It does not keep the process alive.
  worker.unref()
  const stop = (): void => void worker.terminate()
  signal.addEventListener('abort', stop)
  try {
    return await new Promise<LoadedTables>((resolve, reject) => {
      worker.on('message', resolve)
      worker.on('error', reject)
      worker.on('exit', () => reject(new Error('the thread that loads agents and stakes ended')))
    })
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}
