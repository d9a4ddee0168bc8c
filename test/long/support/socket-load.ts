import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n'
const SUBSCRIPTION = encodeURIComponent('subscription { registryEvents { id } }')

const get = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`
const upgrade = (path: string, headers = ''): string =>
  get(path, `Connection: Upgrade\r\nUpgrade: websocket\r\n${KEY}${headers}`)
const halfBody = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"jso`

export interface Ports {
  readonly http: number
  readonly rpc: number
  readonly ws: number
}

/** What clients send: upgrades, most of which are refused, streams and halves of requests. */
export function requestsOf({ http, rpc, ws }: Ports): [port: number, bytes: string][] {
  const toGateway = [
    upgrade('/graphql', 'Origin: https://evil.example\r\n'),
    upgrade('/graphql', 'Sec-WebSocket-Protocol: graphql-transport-ws\r\n'),
    upgrade('/nothing'),
    upgrade('/mcp'),
    upgrade('/graphql').replace('websocket', 'h2c'),
    upgrade('/graphql').replace('Version: 13', 'Version: 7'),
    get('/health') + upgrade('/graphql'),
    get(`/graphql?query=${SUBSCRIPTION}`, 'Accept: text/event-stream\r\n'),
    get('/mcp/sse'),
    get('/console/').slice(0, -2),
    get('/metrics').slice(0, -2),
    get('/agents').slice(0, 9),
    get('/agents'),
    '',
    ...['/graphql', '/mcp', '/mcp/messages', '/relay/prepare', '/webhooks'].map(halfBody),
  ]
  const toLedger = [halfBody('/'), get('/health').slice(0, -2), get('/health'), upgrade('/'), '']
  return [
    ...toGateway.map((bytes): [number, string] => [http, bytes]),
    ...[rpc, ws].flatMap((port) => toLedger.map((bytes): [number, string] => [port, bytes])),
  ]
}

/** Opens a connection and sends bytes. The client neither reads nor closes it by itself. */
export async function hold(port: number, bytes: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  await Promise.race([once(socket, 'connect'), new Promise((resolve) => socket.once('close', resolve))])
  socket.write(bytes)
  socket.pause()
  return socket
}

export async function holdMany(ports: Ports, count: number): Promise<Socket[]> {
  const requests = requestsOf(ports)
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const batch = Array.from({ length: Math.min(100, count - sockets.length) }, (_, i) => {
      const [port, bytes] = requests[(sockets.length + i) % requests.length]!
      return hold(port, bytes)
    })
    sockets.push(...(await Promise.all(batch)))
  }
  return sockets
}
