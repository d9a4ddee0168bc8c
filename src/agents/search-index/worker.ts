import { parentPort, workerData } from 'node:worker_threads'
import { Client } from 'pg'
import { shareReads } from '../../registry/share-reads.ts'
import { createBackgroundLoop } from '../../platform/async/background-loop.ts'
import { type AgentCopy, loadAgentCopy } from './agent-copy.ts'
import type { IndexData, IndexMessage, LocatedAgents, SearchRequest } from './protocol.ts'

const POLL_MS = 1_000
const RETRY_MS = 2_000
/** After the index was too large. */
const TOO_LARGE_MS = 600_000
const REFRESH_TIMEOUT_MS = 2_000
/** Longer than the timeout of statements on the server. */
const QUERY_TIMEOUT_MS = 20_000

class TooLargeError extends Error {}

if (parentPort === null) throw new Error('this file must run in a worker thread')
const port = parentPort
const { connection, maxBytes } = workerData as IndexData
let client: Client | null = null
let copy: AgentCopy | null = null

function connected(): Client {
  if (client === null) throw new Error('the connection is lost')
  return client
}

const send = (message: IndexMessage): void => port.postMessage(message)

function bytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

function checkSize(): void {
  if (bytes() > maxBytes) throw new TooLargeError()
}

function reportStatus(problem: string | null = null): void {
  send({
    status: { ready: copy !== null && client !== null, names: copy?.size ?? 0, bytes: bytes(), problem },
  })
}

async function connect(): Promise<Client> {
  const opened = new Client({
    ...connection,
    application_name: 'search-index',
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
  })
  const forget = (): void => {
    if (client === opened) client = null
  }
  // Without a listener, an `error` event ends the process.
  opened.on('error', forget)
  opened.on('end', forget)
  await opened.connect()
  return opened
}

/** Reads what was committed before the call, and returns whether the copy is complete. */
async function readOnce(): Promise<boolean> {
  if (client === null || copy === null) return false
  try {
    if (!(await copy.refresh())) copy = null
  } catch (error) {
    copy = null
    drop()
    throw error
  }
  return copy !== null
}
const refresh = shareReads(readOnce, REFRESH_TIMEOUT_MS)

function drop(): void {
  void client?.end().catch(() => undefined)
  client = null
}

const loop = createBackgroundLoop({
  retryMs: RETRY_MS,
  step: async () => {
    try {
      client ??= await connect()
      copy ??= await loadAgentCopy(connected, checkSize)
      await refresh()
      checkSize()
      reportStatus()
      return copy === null ? 0 : POLL_MS
    } catch (error) {
      if (!(error instanceof TooLargeError)) throw error
      copy = null
      reportStatus(`it needs more than ${maxBytes} bytes`)
      return TOO_LARGE_MS
    }
  },
  onError: (error) => {
    drop()
    reportStatus(error instanceof Error ? error.message : String(error))
  },
})

async function answer(request: SearchRequest): Promise<LocatedAgents | null> {
  if (request.refresh && (await refresh()) !== true) return null
  return client === null || copy === null ? null : copy.search(request)
}

port.on('message', (request: SearchRequest) => {
  const { id } = request
  answer(request).then(
    (found) => send({ id, found }),
    () => send({ id, found: null }),
  )
})
loop.start()
