import { Worker } from 'node:worker_threads'
import { withTimeout } from '../../platform/async/promises.ts'
import type { Logger } from '../../platform/logger.ts'
import type { IndexData, IndexMessage, IndexStatus, LocatedAgents, SearchRequest } from './protocol.ts'

export const NOT_READY: IndexStatus = { ready: false, names: 0, bytes: 0, problem: null }
/** The thread answers within milliseconds, unless the processors are busy. */
const TIMEOUT_MS = 2_000

/** A worker thread with the index. */
export interface IndexThread {
  /** Null if it cannot answer. */
  search(request: Omit<SearchRequest, 'id'>): Promise<LocatedAgents | null>
  isAlive(): boolean
  status(): IndexStatus
  stop(): Promise<void>
}

export function startIndexThread(data: IndexData, logger: Logger): IndexThread {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: data,
    name: 'search-index',
  })
  // It does not keep the process alive.
  worker.unref()
  const waiting = new Map<number, (found: LocatedAgents | null) => void>()
  let alive = true
  let status = NOT_READY
  let nextId = 0

  const setStatus = (now: IndexStatus): void => {
    if (now.ready && !status.ready)
      logger.info({ names: now.names, bytes: now.bytes }, 'the search index is ready')
    if (now.problem !== null && now.problem !== status.problem)
      logger.warn(`PostgreSQL searches without the index: ${now.problem}`)
    status = now
  }
  worker.on('message', (message: IndexMessage) => {
    if ('status' in message) setStatus(message.status)
    else waiting.get(message.id)?.(message.found)
  })
  worker.on('error', (error) => logger.error({ err: error }, 'the search index failed'))
  worker.on('exit', () => {
    alive = false
    status = NOT_READY
    for (const resolve of waiting.values()) resolve(null)
  })

  return {
    isAlive: () => alive,
    status: () => status,
    search: async (request) => {
      if (!status.ready) return null
      const { promise, resolve } = Promise.withResolvers<LocatedAgents | null>()
      const id = nextId++
      waiting.set(id, resolve)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
      worker.postMessage({ id, ...request } satisfies SearchRequest)
      const found = await withTimeout(TIMEOUT_MS, promise)
      waiting.delete(id)
      return found
    },
    stop: async () => {
      await worker.terminate()
    },
  }
}
