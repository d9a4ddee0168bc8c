import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'vitest'
import type { WebSocket } from 'ws'
import { createPersistedDocuments } from '../../../../rest/graphql/persisted-documents.ts'
import { subscribedAgents } from '../../../../rest/mcp/routes.ts'
import { STREAM_LIMITS, type StreamClient, createStreams } from '../../../../src/webhooks/live/streams.ts'
import { createMetrics } from '../../../../src/platform/metrics/metrics.ts'
import { type TestClient, clientAt } from '../../../support/clients.ts'
import { type Cases, type Check, testedIn, list, most, pad } from './check.ts'
import { SESSION, STREAM, closesAt, lastOpened, open } from './connections.ts'
import { KEY, client, send, t } from './world.ts'

const join = (count: number, make: (i: number) => string): string => list(count, make).join(' ')
const statuses = (count: number, name = 'f'): string => join(count, (i) => `${name}${i}: status`)

/** Documents with exactly `n` of what a limit counts. */
export const DOCUMENTS: Readonly<Record<string, (n: number) => string>> = {
  characters: (n) => pad('{ __typename }', n),
  tokens: (n) => {
    const rest = (n - 5) % 3
    return `{ health { ${statuses((n - 5 - rest) / 3)} ${['', 'status', 'status timestamp'][rest]} } }`
  },
  depth: (n) => {
    const path = ['agents', 'nodes', ...list(n - 3, (i) => (i % 2 === 0 ? 'stake' : 'agent'))]
    return `{ ${path.join(' { ')} { pda ${'} '.repeat(n)}`
  },
  rootFields: (n) => `{ ${join(n, (i) => `a${i}: health { status }`)} }`,
  fields: (n) => {
    const each = Math.floor(n / 5) - 1
    const [first, ...others] = list(5, (i) => `a${i}: health { ...F`)
    return `{ ${first} ${statuses(n - 5 * (each + 1), 'g')} } ${others.join(' } ')} } } fragment F on Health { ${statuses(each)} }`
  },
  documentFields: (n) => {
    const each = Math.floor((n - 10) / 11)
    const roots = (more: string) => `a: health { ...F ${more} } ${join(4, (i) => `a${i}: health { ...F }`)}`
    const extra = statuses(n - 10 - 11 * each, 'g')
    return `query A { ${roots(extra)} } query B { ${roots('')} } fragment F on Health { ${statuses(each)} }`
  },
  repeatedFields: (n) => {
    const groups: string[] = []
    for (let left = n; left > 0;) {
      const size = Math.floor((1 + Math.sqrt(1 + 8 * left)) / 2)
      const name = groups.length === 0 ? 'status' : `g${groups.length}: status`
      groups.push(join(size, () => name))
      left -= (size * (size - 1)) / 2
    }
    return `{ health { ${groups.join(' ')} } }`
  },
  nestedValues: (n) => {
    const size = Math.floor(n / (200 * 200))
    const page = `a: agents(first: 200) { nodes { history(first: 200) { nodes { ${join(size - 1, (i) => `f${i}: delta`)} } } } }`
    const rest = n - size * 200 * 200
    return `{ ${page} ${rest === 0 ? '' : `b: agents(first: ${rest}) { nodes { history(first: 1) { totalCount } } }`} }`
  },
}
const graphql = async (query: string, extensions?: object): Promise<string> =>
  send('/graphql', { query, extensions, ...(query.startsWith('query A') && { operationName: 'A' }) })
const document = (kind: string): Check => most((n) => graphql(DOCUMENTS[kind]!(n)))

const SUBSCRIBE = { query: 'subscription { registryEvents { id } }' }
/** An open WebSocket that has sent `connection_init`, and an operation if one is given. */
async function connected(from: TestClient, payload?: object): Promise<WebSocket> {
  const socket = from.webSocket()
  await once(socket, 'open')
  socket.send('{"type":"connection_init"}')
  await once(socket, 'message')
  if (payload === undefined) return socket
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload }))
  // The answer shows that the operation was read.
  socket.send('{"type":"ping"}')
  await once(socket, 'message')
  return socket
}

const { signal } = new AbortController()
const clientOf = (clientIp: string): StreamClient => ({ clientIp, disconnected: () => signal })

async function* hanging(): AsyncGenerator<void, void> {
  yield await new Promise<void>(() => undefined)
}

export const streamCases: Cases = {
  'GraphQL and live streams': {
    'Length of a document': document('characters'),
    'Tokens of a document': document('tokens'),
    'Depth of an operation': document('depth'),
    'Root fields of an operation': document('rootFields'),
    'Fields of an operation, fragments included': document('fields'),
    'Fields of all operations and fragments of a document': document('documentFields'),
    'Pairs of fields with the same name in one object, and of fragments': document('repeatedFields'),
    // `query`, `extensions` and `x` are values, too.
    'Values in the JSON of a request': most((n) => graphql('{ __typename }', { x: list(n - 3, () => 1) })),
    'Values in nested lists of a response': document('nestedValues'),
    'Persisted documents of a process': most(
      (n) => {
        const documents = createPersistedDocuments()
        const persisted = list(n, (i) => {
          const query = `{ a${i} }`
          const sha256Hash = createHash('sha256').update(query).digest('hex')
          return { query, extensions: { persistedQuery: { version: 1, sha256Hash } } }
        })
        for (const each of persisted) documents.store(each)
        documents.complete({ extensions: persisted[0]!.extensions })
      },
      { refused: '404 PERSISTED_QUERY_NOT_FOUND' },
    ),
    'WebSockets of a client network': async (n) => {
      const own = clientAt('127.0.0.3', t.port)
      for (let i = 0; i < n; i += 1) await connected(own, SUBSCRIBE)
      const [, response] = await once(
        own.webSocket().on('error', () => undefined),
        'unexpected-response',
      )
      const body = Buffer.concat(await response.toArray()).toString()
      expect([response.statusCode, response.headers['retry-after'], body]).toEqual([
        429,
        '30',
        expect.stringContaining('CLIENT_SOCKETS_FULL'),
      ])
      await own.close()
    },
    'WebSockets of a process': testedIn(
      'faults/rest/shared-places',
      'when none is idle, the network with the most loses its oldest; a network that has as many gets none',
    ),
    'WebSocket without an operation': closesAt(async () => {
      const socket = await connected(client)
      let code: number | null = null
      socket.on('close', (given: number) => (code = given))
      return () => code === 1000
    }),
    'Message on a WebSocket': most(
      async (n) => {
        const socket = await connected(client)
        socket.send(pad('{"type":"ping"}', n))
        const [data] = (await Promise.race([once(socket, 'message'), once(socket, 'close')])) as [unknown]
        socket.terminate()
        return String(data)
      },
      { accepted: '{"type":"pong"}', refused: '1009' },
    ),
    'Payload of a `ping` or `pong` message': most(
      async (n) => {
        const socket = await connected(client)
        socket.send(JSON.stringify({ type: 'ping', payload: { x: 'x'.repeat(n - '{"x":""}'.length) } }))
        const [data] = (await Promise.race([once(socket, 'message'), once(socket, 'close')])) as [unknown]
        socket.terminate()
        return data === 4400 ? '4400' : 'ok'
      },
      { refused: '4400' },
    ),
    'Live streams of a client network': most((n) => lastOpened(n, STREAM)),
    'Live streams of a process': most((n) => {
      const streams = createStreams(createMetrics(), STREAM_LIMITS)
      // Networks with one stream each, so that none has more than the last one.
      const opened = list(n, (i) => streams.open(clientOf(`198.18.${i >> 8}.${i & 255}`), hanging).next())
      return Promise.race([...opened, turn()])
    }),
  },
  MCP: {
    'Open SSE sessions of a client network': most((n) => lastOpened(n, SESSION)),
    'Open SSE sessions of a process': testedIn(
      'faults/rest/shared-places',
      'when all are taken, a new client gets one, and the network with the most loses its oldest',
    ),
    'SSE session without a message': closesAt(async () => {
      const [socket] = await open(SESSION)
      let ended = false
      socket.on('data', (data: Buffer) => (ended ||= data.toString().endsWith('0\r\n\r\n')))
      return () => ended
    }),
    'Agents of a subscription': most((n) => {
      const notifications = { resourceSubscriptions: list(n, () => `agent://${KEY}`) }
      return subscribedAgents({ method: 'subscriptions/listen', params: { notifications } })?.length === n
        ? 'ok'
        : 'other'
    }),
    // The message has four members, and its parameters one.
    'Values in the JSON of a message': most((n) =>
      send('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping', params: { x: list(n - 5, () => 1) } }),
    ),
  },
}
