import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import { createRateLimitCounter } from '../../../../src/db/rate-limit-counter.ts'
import { clientNetwork } from '../../../../src/domain/client-network.ts'
import { createAdmission } from '../../../../src/platform/overload/admission.ts'
import { createRateLimits, type RateLimitKind } from '../../../../src/platform/rate-limits/rate-limits.ts'
import { chargeSends } from '../../../../src/webhooks/requests.ts'
import { createTestApp } from '../../../support/app.ts'
import { scaled } from '../../../support/machine-speed.ts'
import { walletOf } from '../../../support/wallet.ts'
import { type Cases, type Check, equals, least, list, most, outcomeOf, pad, testedIn } from './check.ts'
import { closesAt, open, statusOf } from './connections.ts'
import { address, client, clock, config, get, label, MINUTE, post, send, sendAs, t, VERIFY } from './world.ts'

const processes = list(2, () => {
  const sharedCounter = (...count: [string, string, number]) => createRateLimitCounter(t.kysely)(...count)
  return createRateLimits({ sharedCounter, clock, limits: config.rateLimits })
})
const charge = (kind: Exclude<RateLimitKind, 'sends'>, process: number, ip: string): Promise<unknown> =>
  outcomeOf(() => {
    if (kind === 'reads' || kind === 'files') return processes[process]!.charge(ip, 1, { kind })
    return processes[process]!.count(kind, ip)
  })
/** All but the last unit of a minute is used. Then one is left for all processes, or for each. */
const perMinute =
  (kind: Exclude<RateLimitKind, 'sends'>): Check =>
  async (n, row) => {
    const ip = address()
    const isShared = row.exceeded === 'all processes together'
    const begin = performance.now()
    if (isShared) {
      const used = sql`extract(epoch from clock_timestamp())::float8 * 1000 + ${((n - 1) * MINUTE) / config.rateLimits![kind]}::float8`
      await sql`insert into rate_limits (kind, client, arrival) select ${kind}, ${clientNetwork(ip)}, ${used}`.execute(
        t.kysely,
      )
    } else for (let i = 1; i < n; i += 1) expect(await charge(kind, 0, ip)).toBe('ok')
    const outcomes = [await charge(kind, 0, ip), await charge(kind, 0, ip), await charge(kind, 1, ip)]
    // The clock of the database goes on: a unit has come back meanwhile.
    if (isShared && performance.now() - begin > MINUTE / n) return perMinute(kind)(n, row)
    const refused = '429 RATE_LIMITED'
    expect(outcomes).toEqual(['ok', refused, isShared ? refused : 'ok'])
  }

/** The outcome of a page of this size, which REST and GraphQL have in common. */
async function pageOf(n: number): Promise<string> {
  const outcomes = [await get(`/agents?limit=${n}`)]
  for (const size of ['first', 'last'])
    outcomes.push(await send('/graphql', { query: `{ agents(${size}: ${n}) { nodes { pda } } }` }))
  expect(outcomes).toEqual(outcomes.map(() => outcomes[0]))
  return outcomes[0]!
}
async function usualPage(): Promise<number> {
  const { limit } = (await t.app.inject('/agents')).json<{ limit: number }>()
  const response = await post('/graphql', { query: '{ agents { nodes { pda } } }' })
  const { data } = response.json<{ data: { agents: { nodes: unknown[] } } }>()
  expect(data.agents.nodes).toHaveLength(limit)
  return limit
}

const UNSENT = testedIn('unit/rest/slow-readers', 'closes %s')
const READING_SPEED = testedIn(
  'faults/rest/slow-readers',
  'a client that reads slowly is disconnected, one that reads fast enough gets everything',
)
const INCOMPLETE = testedIn('faults/rest/client-connections', 'above the limit, the oldest get 408: %s')

export const requestCases: Cases = {
  'Rate limits': {
    'Units of all requests, except files': perMinute('reads'),
    'Units of the files of the console, `/docs` and GraphiQL': perMinute('files'),
    'Prepared transactions, and reads of wallet balances': perMinute('prepare'),
    'Submitted transactions': perMinute('submit'),
    'Prepared sponsored transactions': perMinute('sponsoredPrepare'),
    'Prepared sponsored registrations': perMinute('register'),
    'Verified credentials, and checks of cards that no agent has yet': perMinute('verify'),
    'Requests with a wallet signature or a session, and those of an operator': perMinute('authenticated'),
    'Challenges and sign-ins; each sign-in needs two': perMinute('signIn'),
    'Pings, resends and recovered deliveries of webhooks; also per wallet': async (n) => {
      const max = config.rateLimits!.sends
      const sends = (wallet: string, clientIp: string, wanted: number) =>
        outcomeOf(() => chargeSends(t.kysely, { wallet: walletOf(wallet).pubkey, clientIp }, wanted, max))
      const [ip, wallet] = [address(), label()]
      expect([await sends(label(), ip, n), await sends(wallet, address(), n + 1)]).toEqual([n, n])
      const more = [await sends(label(), ip, n), await sends(wallet, address(), n)]
      // A unit comes back each 100 ms.
      for (const each of more)
        expect(Number.isInteger(each) ? Number(each) < n / 2 : each === '429 RATE_LIMITED').toBe(true)
    },
  },
  'Requests and connections': {
    'Path of a request, and names and values of its headers': most(async (n) => {
      const [path, headers] = ['/health', 'HostgConnectioncloseX']
      const value = 'x'.repeat(n - path.length - headers.length)
      const [, head] = await open(
        `GET ${path} HTTP/1.1\r\nHost: g\r\nConnection: close\r\nX: ${value}\r\n\r\n`,
      )
      return statusOf(head)
    }),
    'Body of a request': most((n) => send('/graphql', pad('{"query":"{__typename}"}', n))),
    'Body of a credential verification': most((n) => sendAs('owner', VERIFY, pad('{"credential":{}}', n))),
    'Packets and chunks of a body': testedIn(
      'faults/rest/raw-floods',
      'in too many parts ends its connection, whether or not it is read: %s',
    ),
    'Rest of a body of a refused request': testedIn(
      'faults/rest/raw-floods',
      'that is not read ends its connection when it is too large',
    ),
    'Time for the headers': equals(() => t.app.server.headersTimeout),
    'Time for headers and body': equals(() => t.app.server.requestTimeout),
    'Idle connection between two requests': equals(() => t.app.server.keepAliveTimeout),
    // Ten probes, one per second.
    'Client that does not answer TCP probes, after its last packet': equals(
      () =>
        ((t.app.server as { keepAliveInitialDelay?: number }).keepAliveInitialDelay ?? 0) * 1_000 + 10_000,
    ),
    'Upgrade to a WebSocket': equals(async () => {
      const { promise, resolve } = Promise.withResolvers<number | undefined>()
      t.app.server.once('upgrade', (_, socket: Socket) => resolve(socket.timeout))
      client.webSocket()
      return promise
    }),
    'Requests of a process that stops': async (n, row) => {
      const stopping = await createTestApp({ database: t.database, ledger: t.rpc })
      const url = new URL(await stopping.app.listen({ port: 0, host: '127.0.0.1' }))
      const connection = once(stopping.app.server, 'connection') as Promise<[Socket]>
      const half = connect(Number(url.port), '127.0.0.1').on('error', () => undefined)
      half.write('POST /graphql HTTP/1.1\r\nHost: g\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n')
      await once(half, 'data')
      const [socket] = await connection
      let stopped: Promise<void> | undefined
      await closesAt(async () => {
        stopped = stopping.close()
        for (let i = 0; i < 20; i += 1) await turn()
        return () => socket.destroyed
      })(n, row)
      await stopped
    },
    'Unsent bytes for a client network': UNSENT,
    'Unsent bytes of a process': UNSENT,
    'Speed at which a client reads what was sent': [READING_SPEED, READING_SPEED],
    'Pipelined requests on a connection': most(
      async (n) => {
        const socket = client.open('GET /agents HTTP/1.1\r\nHost: g\r\n\r\n'.repeat(n))
        let text = ''
        socket.on('data', (data: Buffer) => (text += data.toString()))
        const answers = (): number => text.match(/HTTP\/1\.1 200/g)?.length ?? 0
        await vi.waitUntil(() => socket.closed || answers() === n, { timeout: scaled(20_000) })
        return answers() === n ? 'ok' : 'closed'
      },
      { refused: 'closed' },
    ),
    'Connections of a client network without a complete request': [INCOMPLETE, INCOMPLETE],
    'Connections of a process': equals(() => t.app.server.maxConnections),
    'Requests in flight in a process': most((n) => {
      const admission = createAdmission({ queue: { length: 0 } as never, clock, limits: config.overload! })
      for (const priority of ['high', 'low'] as const)
        for (let i = 1; i < n; i += 1) admission.admit(priority, '192.0.2.1')
      for (const priority of ['high', 'low'] as const) admission.admit(priority, '192.0.2.1')
    }),
  },
  Lists: {
    '`limit`, `first` or `last` of a list': [least(pageOf), most(pageOf), equals(usualPage)],
    '`name` of `GET /agents`': [
      least((n) => get(`/agents?name=${'x'.repeat(n)}`)),
      most((n) => get(`/agents?name=${'𝔊'.repeat(n)}`)),
    ],
  },
}
