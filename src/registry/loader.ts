import { Worker } from 'node:worker_threads'
import type { IndexedTable, TableData } from './table-data.ts'

export interface LoadOptions {
  readonly connection: object
  readonly table: IndexedTable
  readonly maxBytes: number
}

/**
 * Reads a table in a thread, so that neither rows nor sorting delay others. Null if it needs more
 * than `maxBytes`.
 */
export async function loadTable(options: LoadOptions, signal: AbortSignal): Promise<TableData | null> {
  const worker = new Worker(new URL('./load-worker.ts', import.meta.url), {
    workerData: options,
    name: 'registry-load',
  })
  // It does not keep the process alive.
  worker.unref()
  const stop = (): void => void worker.terminate()
  signal.addEventListener('abort', stop)
  try {
    return await new Promise<TableData | null>((resolve, reject) => {
      worker.on('message', resolve)
      worker.on('error', reject)
      worker.on('exit', () => reject(new Error(`the thread that loads ${options.table.name} ended`)))
    })
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}
