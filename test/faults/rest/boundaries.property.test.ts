import { once } from 'node:events'
import type { Socket } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { serveApp, type TestClient } from '../../support/clients.ts'
import { agentRows } from '../../support/factories.ts'
import { usedMemory } from '../../support/process-use.ts'
import { scaled } from '../../support/machine-speed.ts'
import * as fc from '../../support/property.ts'
import { perFile } from '../../support/lifetime.ts'

const STEPS = Number(process.env['BOUNDARY_STEPS'] ?? 10_000)
const STEPS_PER_ROUND = 250
const NETWORKS = 6
const MAX_GROWTH = 100 * 1_048_576

const t = perFile(() =>
  serveApp({
    clock: { now: () => Date.now() },
    rateLimits: { reads: 6_000 },
    overload: { inFlight: 1_000 },
    agents: agentRows(50),
  }),
)
let clients: TestClient[]
let polite: TestClient
beforeAll(() => {
  clients = Array.from({ length: NETWORKS }, (_, i) => t.client(`127.0.0.${10 + i}`))
  polite = t.client('127.0.0.9')
})

const withBody = (path: string, body: string, accept: string, length = body.length): string =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: ${accept}\r\nContent-Length: ${length}\r\n\r\n${body}`
const SUBSCRIBE = '{"query":"subscription { registryEvents { id } }"}'
const LISTEN = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
/** What a connection sends first, by interface. */
const OPENINGS = {
  read: 'GET /agents?limit=50 HTTP/1.1\r\nHost: g\r\n\r\n',
  pipelined: 'GET /agents?limit=50 HTTP/1.1\r\nHost: g\r\n\r\n'.repeat(20),
  file: 'GET /graphql/schema.graphql HTTP/1.1\r\nHost: g\r\n\r\n',
  probe: 'GET /ready HTTP/1.1\r\nHost: g\r\n\r\n',
  metrics: 'GET /metrics HTTP/1.1\r\nHost: g\r\n\r\n',
  'half headers': 'GET /agents HTTP/1.1\r\nHost: g\r\nX-Half: ',
  'half body': withBody('/graphql', '{"query"', '*/*', 100),
  query: withBody('/graphql', '{"query":"{ agentsPage { total } }"}', '*/*'),
  'event stream': withBody('/graphql', SUBSCRIBE, 'text/event-stream'),
  'mcp message': withBody('/mcp', LISTEN, 'application/json, text/event-stream'),
  'mcp session': 'GET /mcp/sse HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
  'not HTTP': '\x16\x03\x01\r\n\r\n',
} as const
const MESSAGES = [
  '{"type":"connection_init"}',
  '{"type":"ping","payload":{"a":1}}',
  JSON.stringify({ type: 'subscribe', id: '1', payload: JSON.parse(SUBSCRIBE) as object }),
  JSON.stringify({ type: 'subscribe', id: '2', payload: { query: '{ agentsPage { total } }' } }),
  '{"type":"complete","id":"1"}',
  '{"type":"unknown"}',
]

type Step = readonly [network: number, action: number, target: number]
interface Open {
  pause(): unknown
  resume(): unknown
  destroy(): unknown
  send(message: number): unknown
}

async function openWebSocket(client: TestClient): Promise<Open> {
  const socket = client.webSocket()
  socket.on('error', () => undefined)
  await Promise.race([once(socket, 'open'), once(socket, 'close')])
  return {
    pause: () => socket.readyState === socket.OPEN && socket.pause(),
    resume: () => socket.readyState === socket.OPEN && socket.resume(),
    destroy: () => socket.terminate(),
    send: (message) => socket.readyState === socket.OPEN && socket.send(MESSAGES[message % MESSAGES.length]!),
  }
}

const openings = Object.values(OPENINGS)
const openConnection = (client: TestClient, opening: string): Open => {
  const socket: Socket = client.open(opening).resume()
  return {
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    destroy: () => socket.resetAndDestroy(),
    send: () => socket.writable && socket.write('x'),
  }
}

const politeAnswers = new Set<number>()
async function run(steps: readonly Step[]): Promise<void> {
  const open: Open[] = []
  for (const [network, action, target] of steps) {
    const client = clients[network]!
    const chosen = open.length === 0 ? undefined : open[target % open.length]
    if (action < openings.length) open.push(openConnection(client, openings[action]!))
    else if (action === openings.length) open.push(await openWebSocket(client))
    else if (action === openings.length + 1) chosen?.pause()
    else if (action === openings.length + 2) chosen?.resume()
    else if (action === openings.length + 3) chosen?.send(target)
    else chosen?.destroy()
    if (target % 16 === 0) await new Promise(setImmediate)
    if (target % 64 === 0) politeAnswers.add((await polite.send(`/agents?limit=${1 + (target % 50)}`)).status)
  }
  for (const each of open) each.destroy()
}

test(
  'whatever clients open, pause and abort on any interface, nothing is left of it, and another client is answered',
  { timeout: scaled(300_000) },
  async () => {
    const memory: number[] = []
    const step = fc.tuple(fc.nat(NETWORKS - 1), fc.nat(openings.length + 6), fc.nat(1_000))
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: STEPS_PER_ROUND, maxLength: STEPS_PER_ROUND }),
        async (steps) => {
          await run(steps)
          await expect.poll(() => t.total('gateway_requests_in_flight')).toBe(0)
          await expect.poll(() => t.total('gateway_live_events_streams')).toBe(0)
          await expect.poll(() => t.total('gateway_database_queue_length')).toBe(0)
          await expect.poll(t.connections).toBeLessThanOrEqual(1)
          memory.push(usedMemory())
          expect(politeAnswers).toEqual(new Set([200]))
        },
      ),
      { numRuns: STEPS / STEPS_PER_ROUND, endOnFailure: true },
    )
    expect(memory.at(-1)! - memory[0]!).toBeLessThan(MAX_GROWTH)
  },
)
