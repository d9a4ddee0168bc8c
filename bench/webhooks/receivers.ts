import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A process with one receiver per port. It sends its parent the ports and, on request, the
 * arrivals.
 */
export interface Arrivals {
  /** `at` is in milliseconds since the epoch, with fractions. */
  arrived: [event: string, receiver: number, at: number][]
}

const [count = 0, silent = 0] = process.argv.slice(2).map(Number)
let arrived: Arrivals['arrived'] = []
let wanted = Infinity

const now = (): number => performance.timeOrigin + performance.now()
const report = (): void => {
  if (arrived.length < wanted) return
  wanted = Infinity
  process.send?.({ arrived } satisfies Arrivals)
  arrived = []
}

const ports = await Promise.all(
  Array.from({ length: count }, async (_, receiver) => {
    const server = createServer((request, response) => {
      const at = now()
      let body = ''
      request.setEncoding('utf8')
      request.on('data', (chunk: string) => (body += chunk))
      request.on('end', () => {
        // The last receivers read the request and never respond.
        if (receiver >= count - silent) return
        response.end('ok')
        arrived.push([(JSON.parse(body) as { id: string }).id, receiver, at])
        report()
      })
    })
    server.keepAliveTimeout = 60_000
    server.listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    return (server.address() as AddressInfo).port
  }),
)
process.on('message', (message: { wanted: number }) => {
  wanted = message.wanted
  report()
})
process.on('disconnect', () => process.exit(0))
process.send?.({ ports })
