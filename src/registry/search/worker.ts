import { parentPort, workerData } from 'node:worker_threads'
import { type FoundNames, NameIndex, type NameQuery } from './name-index.ts'

/** Changes of slots, in columns, because few large values are sent faster than many small ones. */
export interface NamesMessage {
  /** Slot, profile, reputation, and microseconds since 1970. */
  readonly numbers: Float64Array
  /** The pda, the name and its trigrams. The pda is null if there is no agent. */
  readonly texts: readonly (string | null)[]
}

export interface QueryMessage {
  readonly query: NameQuery
  /** Nobody waits for an answer after this time. */
  readonly until: number
}

/** Answers a message. Messages are answered in their order. */
export interface Reply {
  readonly found: FoundNames | null
  /** Memory of this thread. */
  readonly bytes: number
}

if (parentPort === null) throw new Error('this file must run in a worker thread')
const port = parentPort
const index = new NameIndex(workerData as number)
let bytes = 0

function put({ numbers, texts }: NamesMessage): void {
  for (let i = 0; i * 3 < texts.length; i++) {
    const slot = numbers[i * 4]!
    const pda = texts[i * 3]!
    if (pda === null) index.remove(slot)
    else
      index.put(slot, {
        pda,
        name: texts[i * 3 + 1]!,
        trigrams: texts[i * 3 + 2]!,
        profile: numbers[i * 4 + 1]!,
        reputation: numbers[i * 4 + 2]!,
        createdAt: numbers[i * 4 + 3]!,
      })
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  bytes = heapUsed + arrayBuffers
}

port.on('message', (message: NamesMessage | QueryMessage) => {
  let found: FoundNames | null = null
  if ('texts' in message) put(message)
  else if (Date.now() < message.until) found = index.search(message.query)
  port.postMessage({ found, bytes } satisfies Reply)
})
