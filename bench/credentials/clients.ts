import { Agent } from 'undici'

/** Clients that post these bodies until the next message. Then they report the response counts. */
interface Order {
  readonly origin: string
  /** base64 */
  readonly bodies: readonly string[]
  readonly clients: number
}

process.once('message', (order: Order) => {
  void post(order)
})

async function post({ origin, bodies, clients }: Order): Promise<void> {
  const agent = new Agent({ connections: clients })
  const decoded = bodies.map((body) => Buffer.from(body, 'base64'))
  const stop = new AbortController()
  let next = 0
  const statuses: Record<number, number> = {}
  process.once('message', () => {
    stop.abort()
  })
  const client = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const body = decoded[next++ % decoded.length]!
      const { statusCode, body: answer } = await agent.request({ origin, path: '/', method: 'POST', body })
      await answer.dump()
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  await agent.close()
  process.send?.(statuses)
}
