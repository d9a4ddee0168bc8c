import PQueue from 'p-queue'

/** Runs work with the same key at most `concurrency` at once. */
export type KeyedQueue = <Result>(
  key: string,
  concurrency: number,
  work: () => Promise<Result>,
) => Promise<Result>

/** The queue of a key is forgotten when it is empty, because clients choose the keys. */
export function createKeyedQueue(): KeyedQueue {
  const queues = new Map<string, PQueue>()
  return async (key, concurrency, work) => {
    const queue = queues.get(key) ?? new PQueue({ concurrency })
    queues.set(key, queue)
    try {
      return await queue.add(work)
    } finally {
      if (queue.size + queue.pending === 0 && queues.get(key) === queue) queues.delete(key)
    }
  }
}
