import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * What happens to a submit. `delayed`: the network delivers it later, also if its client is gone.
 * `outage`: the response is lost, and then nothing gets through for a time.
 */
export const SUBMIT_FAULTS = [
  'request lost',
  'response lost',
  'response cut',
  'delayed',
  '502',
  '502 and passed on',
  'outage',
] as const
export type SubmitFault = (typeof SUBMIT_FAULTS)[number] | 'none'

interface Faults {
  readonly fault: SubmitFault
  /** The first submits that it happens to. 1 by default. */
  readonly times?: number
  /** Of `delayed` and `outage`, in milliseconds. */
  readonly delayMs?: number
  /** Added as X-Forwarded-For. */
  readonly client?: string
}

/** A proxy before a gateway, in which submits of transactions have faults. */
export async function createFaultyGateway(target: string, faults: Faults) {
  const { fault, times = 1, delayMs = 0, client } = faults
  const submits = { received: 0, delivered: 0 }
  const delayed = new Set<Promise<void>>()
  let isDown = false

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat((await incoming.toArray()) as Buffer[])
    const isSubmit = incoming.url?.endsWith('/submit') === true
    if (isSubmit) submits.received += 1
    if (isDown) return void response.destroy()
    const pass = async (): Promise<IncomingMessage> => {
      if (isSubmit) submits.delivered += 1
      return forward(target, incoming, body, client)
    }
    if (!isSubmit || fault === 'none' || submits.received > times) return respond(await pass(), response)
    switch (fault) {
      case 'request lost':
        return void response.destroy()
      case 'delayed':
        await delay(delayMs)
        return respond(await pass(), response)
      case '502':
        return void response.writeHead(502).end('<html>Bad gateway</html>')
      case '502 and passed on':
        await readAll(await pass())
        return void response.writeHead(502).end('<html>Bad gateway</html>')
      case 'response cut': {
        const answer = await pass()
        const text = await readAll(answer)
        response.writeHead(answer.statusCode ?? 0, { 'content-length': text.length })
        response.write(text.subarray(0, text.length / 2), () => response.destroy())
        return undefined
      }
      case 'response lost':
      case 'outage':
        isDown = fault === 'outage'
        if (isDown) delayed.add(delay(delayMs).then(() => void (isDown = false)))
        await readAll(await pass())
        return void response.destroy()
    }
  }

  const server = createServer((incoming, response) => {
    const work = handle(incoming, response).catch(() => void response.destroy())
    delayed.add(work)
    void work.finally(() => delayed.delete(work))
  })
  server.on('upgrade', (incoming: IncomingMessage, socket, head: Buffer) => {
    const { hostname, port } = new URL(target)
    const upstream = connect(Number(port), hostname, () => {
      const { rawHeaders: raw } = incoming
      const lines = raw.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${raw[i + 1]}`] : []))
      upstream.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
      upstream.write(head)
      upstream.pipe(socket).pipe(upstream)
    })
    upstream.on('error', () => socket.destroy())
    socket.on('error', () => upstream.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Submits that reached the proxy, and the gateway. */
    submits,
    /** Delivers what is still delayed, and closes all connections. */
    close: async () => {
      await Promise.all(delayed)
      server.close()
      server.closeAllConnections()
    },
  }
}
/** The response of the gateway. Its body is not read yet. */
async function forward(
  target: string,
  { method, url = '', headers }: IncomingMessage,
  body: Buffer,
  client?: string,
): Promise<IncomingMessage> {
  const outgoing = request(new URL(url, target), {
    method,
    headers: {
      ...headers,
      host: new URL(target).host,
      connection: 'close',
      ...(client !== undefined && { 'x-forwarded-for': client }),
    },
  })
  outgoing.end(body)
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  return answer
}

const readAll = async (answer: IncomingMessage): Promise<Buffer> =>
  Buffer.concat((await answer.toArray()) as Buffer[])

function respond(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 0, answer.headers)
  answer.pipe(response)
  response.on('close', () => answer.destroy())
}
