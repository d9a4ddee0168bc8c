import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { scaled } from '../../support/machine-speed.ts'

const CHECK_MS = 250
/**
 * Twice a usual limit of balancers, for machines that pause. A request that waits for the ledger
 * takes 10 s, which `/ready` must not do.
 */
const CHECK_TIMEOUT_MS = Math.min(scaled(2_000), 9_000)

/** Sends each request to the next replica whose last `/ready` was 200, and never to two. */
export async function startBalancer() {
  const replicas = new Map<string, boolean>()
  let failedChecks = 0
  let turn = 0
  const check = async (url: string): Promise<void> => {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS)
    const isReady = await fetch(`${url}/ready`, { signal }).then(
      (response) => response.ok,
      () => false,
    )
    if (!isReady) failedChecks += 1
    replicas.set(url, isReady)
  }
  const timer = setInterval(() => {
    for (const url of replicas.keys()) void check(url)
  }, CHECK_MS)
  const server = createServer((request, response) => {
    const ready = [...replicas].flatMap(([url, isReady]) => (isReady ? [url] : []))
    const target = ready[(turn += 1) % ready.length]
    const forward = async (): Promise<void> => {
      const body = (await request.toArray()) as Buffer[]
      const answer = await fetch(`${target}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { 'content-type': 'application/json' },
        ...(request.method === 'POST' && { body: Buffer.concat(body) }),
      })
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      response.end(Buffer.from(await answer.arrayBuffer()))
    }
    const failed = (): void => void response.writeHead(502).end()
    if (target === undefined) failed()
    else forward().catch(failed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Checks so far that were not 200. */
    get failedChecks() {
      return failedChecks
    },
    add: check,
    close: async () => {
      clearInterval(timer)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
export type Balancer = Awaited<ReturnType<typeof startBalancer>>
