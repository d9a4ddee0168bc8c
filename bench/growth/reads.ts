import autocannon from 'autocannon'
import { type BenchGateway, startReadingGateway } from '../gateway.ts'
import { processorSeconds } from '../machine/processor-time.ts'
import { rounded } from '../support/statistics.ts'
import type { Server } from './postgres.ts'

const CONNECTIONS = 16
const MAX_OFFSET = 2_000

export interface Shape {
  readonly name: string
  /** The path of a request, by its number. */
  readonly path: (turn: number) => string
}

export const shapesOf = (pdas: readonly string[]): Shape[] => [
  {
    name: 'list of 50',
    path: (turn) => `/agents?limit=50&offset=${(turn * 7) % MAX_OFFSET}`,
  },
  { name: 'one agent', path: (turn) => `/agents/${pdas[(turn * 7_919) % pdas.length]}` },
  { name: 'repeated list of 50', path: () => '/agents?limit=50' },
]

/** Requests per second, and processor time per request of each part in microseconds. */
export interface Load {
  readonly perSecond: number
  readonly apiMicros: number
  readonly postgresMicros: number
  readonly pgbouncerMicros: number
}

/** An API process. */
export const startApi = (url: string): Promise<BenchGateway> => startReadingGateway(url)

/** Loads API processes at once with the same number of clients in all. */
export async function load(
  apis: readonly BenchGateway[],
  shape: Shape,
  seconds: number,
  { postgres, pgbouncer }: { postgres: Server; pgbouncer: Server | null },
): Promise<Load> {
  const used = (): number[] =>
    [apis.map(({ pid }) => pid), [postgres.pid], pgbouncer === null ? [] : [pgbouncer.pid]].map((pids) =>
      pids.reduce((sum, pid) => sum + (processorSeconds(pid) ?? 0), 0),
    )
  const before = used()
  let turn = 0
  const setupRequest = (request: { path: string }) => ({ ...request, path: shape.path(turn++) })
  const results = await Promise.all(
    apis.map(({ baseUrl }) =>
      autocannon({
        url: baseUrl,
        connections: CONNECTIONS / apis.length,
        duration: seconds,
        requests: [{ setupRequest }],
      }),
    ),
  )
  const after = used()
  const sum = (read: (result: (typeof results)[number]) => number): number =>
    results.reduce((total, result) => total + read(result), 0)
  if (sum(({ errors, non2xx }) => errors + non2xx) > 0) throw new Error('an API process refused requests')
  const requests = sum((result) => result.requests.total)
  const [apiMicros = 0, postgresMicros = 0, pgbouncerMicros = 0] = after.map((value, part) =>
    rounded(((value - (before[part] ?? 0)) * 1e6) / requests, 1),
  )
  return { perSecond: sum((result) => result.requests.average), apiMicros, postgresMicros, pgbouncerMicros }
}
