import autocannon from 'autocannon'
import type { Server } from '../reads/variants.ts'

const CONNECTIONS = 10

export interface Target {
  readonly server: Server
  /** Several paths are requested in turn. */
  readonly path: string | readonly string[]
  readonly ifNoneMatch?: string
}

export interface Load {
  readonly perSecond: number
  /** CPU time of the serving process per request. */
  readonly cpuMicros: number
}

export async function load({ server, path, ifNoneMatch }: Target, seconds: number): Promise<Load> {
  const paths = typeof path === 'string' ? [path] : path
  let next = 0
  const before = await server.cpuMicros()
  const result = await autocannon({
    url: `http://127.0.0.1:${server.port}${paths[0]}`,
    headers: ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch },
    connections: CONNECTIONS,
    duration: seconds,
    ...(paths.length === 1
      ? {}
      : {
          requests: [
            {
              setupRequest: (request: { path: string }) => ({
                ...request,
                path: paths[next++ % paths.length] ?? '',
              }),
            },
          ],
        }),
  })
  // A 304 is not counted as a 2xx.
  const expected = ifNoneMatch === undefined ? 0 : result.requests.total
  if (result.errors > 0 || result.non2xx > expected) throw new Error(`${paths[0]} failed under load`)
  return {
    perSecond: result.requests.average,
    cpuMicros: ((await server.cpuMicros()) - before) / result.requests.total,
  }
}
