import type { Transport } from '../http/call.ts'
import { parseJson } from '../http/json.ts'
import { RegistryError } from '../errors.ts'
import { bodyOf, graphqlError, type Payload, runQuery } from '../graphql/query.ts'
import { jittered, wait } from '../http/retry.ts'
import { EVENTS_SUBSCRIPTION, LATEST_EVENT_QUERY } from '../graphql/documents.ts'
import {
  type GraphQLEvent,
  registryEvent,
  type RegistryEvent,
  type RegistryEventType,
  typeName,
} from './registry-event.ts'

export interface EventsOptions {
  /** Only events of these types. */
  readonly types?: readonly RegistryEventType[]
  /** Only events of this agent. */
  readonly agent?: string
  /** Continues after the event with this id. By default the events from the first `next` on. */
  readonly after?: string
  /** Ends the iteration. */
  readonly signal?: AbortSignal
  /** Called after each connection: from now on the gateway sends events. */
  readonly onOpen?: () => void
}

/** The gateway sends a comment at least every 12 seconds. */
const SILENCE_MS = 45_000
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 30_000

/**
 * Live events without end. After a disconnect it continues after the last event, so it misses none
 * and repeats none. Throws RegistryError with the code EVENT_UNKNOWN if the gateway does not know
 * the last event any more: read the state again, and start without `after`.
 */
export async function* liveEvents(
  transport: Transport,
  { types, agent, after, signal, onOpen }: EventsOptions = {},
): AsyncGenerator<RegistryEvent, void> {
  let last = after
  let isStarted = after !== undefined
  for (let failures = 0; !isAborted(signal); failures += 1) {
    try {
      // Also a stream that is cut before its first event must continue without a gap.
      if (!isStarted) last = await latestEvent(transport)
      isStarted = true
      const filter = { types: types?.map(typeName) ?? null, agentPda: agent ?? null }
      const variables = { filter, after: last ?? null }
      for await (const event of connect(transport, variables, { signal, onOpen })) {
        failures = 0
        last = event.id
        yield event
      }
    } catch (error) {
      if (isAborted(signal)) return
      if (isPermanent(error)) throw error
      const seconds = error instanceof RegistryError ? error.retryAfterSeconds : null
      if (seconds !== null) await wait(seconds * 1000, signal).catch(() => undefined)
    }
    const delay = Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS)
    await wait(jittered(delay), signal).catch(() => undefined)
  }
}

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true

/** A request that is wrong stays wrong. Full and failing gateways recover. */
function isPermanent(error: unknown): boolean {
  return error instanceof RegistryError && error.status < 500 && error.status !== 429
}

async function latestEvent(transport: Transport): Promise<string | undefined> {
  const { registryEvents } = await runQuery<{ registryEvents: { nodes: { id: string }[] } }>(
    transport,
    LATEST_EVENT_QUERY,
  )
  return registryEvents.nodes[0]?.id
}

type Result = Payload<{ registryEvents: GraphQLEvent }>

async function* connect(
  { url, fetch, headers, token }: Transport,
  variables: object,
  { signal, onOpen }: Pick<EventsOptions, 'signal' | 'onOpen'>,
): AsyncGenerator<RegistryEvent> {
  const silent = new AbortController()
  const timeout = (): ReturnType<typeof setTimeout> =>
    setTimeout(() => silent.abort(new Error('The stream is silent')), SILENCE_MS)
  let timer = timeout()
  try {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ query: EVENTS_SUBSCRIPTION, variables }),
      redirect: 'error',
      signal: signal === undefined ? silent.signal : AbortSignal.any([signal, silent.signal]),
    })
    const type = response.headers.get('content-type') ?? ''
    if (!type.startsWith('text/event-stream') || response.body === null)
      throw graphqlError(await bodyOf(response), response)
    onOpen?.()
    const onActivity = (): void => {
      clearTimeout(timer)
      timer = timeout()
    }
    for await (const block of readBlocks(response.body, onActivity)) {
      const { event, data } = parseBlock(block)
      if (event === 'complete') return
      if (data === '') continue
      const payload = parseJson(data) as Result
      if (!payload.data) throw graphqlError(payload, response)
      yield registryEvent(payload.data.registryEvents)
    }
  } finally {
    clearTimeout(timer)
    silent.abort()
  }
}

/**
 * Reads the blocks of server-sent events until the stream ends. Comments, which keep a connection
 * open, reset the timer.
 */
async function* readBlocks(body: ReadableStream<Uint8Array>, onActivity: () => void): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let buffer = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onActivity()
      buffer += decoder.decode(value, { stream: true })
      const blocks = buffer.split(/\r?\n\r?\n/)
      buffer = blocks.pop()!
      yield* blocks
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function parseBlock(block: string): { event: string; data: string } {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    // With the flag s, because names of agents can contain U+2028, which ends a line for a pattern.
    const [, name, value = ''] = /^([a-z]+):? ?(.*)$/s.exec(line) ?? []
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
  }
  return { event, data: data.join('\n') }
}
