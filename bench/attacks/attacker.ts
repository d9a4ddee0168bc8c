import { connect } from 'node:net'
import { WebSocket } from 'ws'

/**
 * Attacks the service at a port from a few loopback addresses until the process is killed. Each
 * attack costs its client nothing, or should.
 */
const [name = '', port = ''] = process.argv.slice(2)

/** Sends a request on each connection again as soon as something of the response arrives. */
function flood(count: number, head: string): void {
  const request = `${head}\r\nHost: g\r\n\r\n`
  const open = (): void => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: '127.0.0.50' })
    socket.on('connect', () => socket.write(request))
    socket.on('data', () => socket.write(request))
    socket.on('error', () => undefined)
    socket.on('close', () => setTimeout(open, 50))
  }
  for (let i = 0; i < count; i += 1) open()
}

/** Sends messages on WebSockets, as many as they take. */
function messages(sockets: number, first: string[], next: () => string): void {
  for (let i = 0; i < sockets; i += 1) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', {
      localAddress: '127.0.0.50',
    })
    socket.on('error', () => undefined)
    socket.on('open', () => {
      socket.send('{"type":"connection_init"}')
      for (const message of first) socket.send(message)
      setInterval(() => {
        while (socket.readyState === socket.OPEN && socket.bufferedAmount < 500_000) socket.send(next())
      }, 5)
    })
  }
}

/** Requests large responses from several networks, and reads none of them. */
function unread(networks: number, connections: number, body: string): void {
  for (let i = 0; i < networks * connections; i += 1) {
    const localAddress = `127.0.0.${50 + (i % networks)}`
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress })
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: g\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`.repeat(
        4,
      ),
    )
  }
}

const ping = (values: number): string =>
  JSON.stringify({ type: 'ping', payload: { values: Array.from({ length: values }, () => ({ a: 1 })) } })
const introspection = JSON.stringify({
  query: '{ __schema { types { name description fields { name description args { name description } } } } }',
})
let id = 0
const attacks: Record<string, () => void> = {
  'nobody attacks': () => undefined,
  'large pings on 2 WebSockets': () => messages(2, [], () => ping(1_400)),
  'large pings on 20 WebSockets': () => messages(20, [], () => ping(1_400)),
  'small pings on 20 WebSockets': () => messages(20, [], () => ping(10)),
  'replays of all events on 20 WebSockets': () =>
    messages(20, [], () => {
      id += 1
      const query = `subscription { registryEvents(after: "${process.env['OLDEST_EVENT']}") { id } }`
      return JSON.stringify({ type: 'subscribe', id: String(id), payload: { query } })
    }),
  'GET /ready on 500 connections': () => flood(500, 'GET /ready HTTP/1.1'),
  'GET /health/detailed on 500 connections': () => flood(500, 'GET /health/detailed HTTP/1.1'),
  'GET /metrics on 500 connections': () => flood(500, 'GET /metrics HTTP/1.1\r\nX-Forwarded-For: 192.0.2.1'),
  'refused reads on 500 connections': () => flood(500, 'GET /agents HTTP/1.1'),
  'large responses that 4 networks do not read': () => unread(4, 20, introspection),
}
if (name === '--names') process.stdout.write(JSON.stringify(Object.keys(attacks)))
else attacks[name]!()
