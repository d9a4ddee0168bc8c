import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { MAX_BODY_PARTS, MAX_IGNORED_BYTES } from '../../../rest/plugins/connections.ts'
import { MAX_UNANSWERED } from '../../../rest/plugins/open-connections.ts'
import { serveApp } from '../../support/clients.ts'
import { perFile } from '../../support/lifetime.ts'

const t = perFile(() => serveApp({ clock: { now: () => Date.now() }, rateLimits: { reads: 600 } }))
const client = perFile(() => t.client('127.0.0.10'))

const CHUNKED = 'Host: g\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
const onePart = '1\r\n \r\n'

/** Sends the text again and again until the connection is closed. Returns the bytes sent. */
async function flood(socket: Socket, text: string): Promise<number> {
  socket.resume()
  const block = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)))
  let sent = 0
  while (!socket.destroyed && sent < 50_000_000) {
    sent += block.length
    if (!socket.write(block))
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => 0)
  }
  return sent
}

describe('a body', () => {
  test.each(['POST /graphql', 'POST /nowhere', 'GET /health'])(
    'in too many parts ends its connection, whether or not it is read: %s',
    async (route) => {
      const socket = client.open(`${route} HTTP/1.1\r\n${CHUNKED}`)
      await flood(socket, onePart)
      await expect.poll(() => socket.closed).toBe(true)
    },
  )

  test('that is not read ends its connection when it is too large', async () => {
    const socket = client.open('POST /nowhere HTTP/1.1\r\nHost: g\r\nContent-Length: 99999999999\r\n\r\n')
    expect(await flood(socket, ' '.repeat(65_536))).toBeLessThan(50_000_000)
  })

  test('of the usual size can have many parts', async () => {
    const parts = '40\r\n'.concat(' '.repeat(64), '\r\n').repeat(MAX_BODY_PARTS - 100)
    const socket = client.open(`POST /graphql HTTP/1.1\r\n${CHUNKED}${parts}0\r\n\r\n`)
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 400 /)
  })

  test('that is refused may still arrive whole, and the connection stays open', async () => {
    const size = MAX_IGNORED_BYTES / 2
    const socket = client.open(`POST /nowhere HTTP/1.1\r\nHost: g\r\nContent-Length: ${size}\r\n\r\n`)
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 404 /)
    socket.write(' '.repeat(size))
    socket.write('GET /health HTTP/1.1\r\nHost: g\r\n\r\n')
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /)
  })
})

test('of requests that arrive together, the service parses only as many as it answers', async () => {
  let requests = 0
  t.app.server.on('request', () => (requests += 1))
  const socket = client.open('GET /nowhere HTTP/1.1\r\nHost: g\r\n\r\n'.repeat(1_500)).resume()
  await once(socket, 'close')
  expect(requests).toBeLessThanOrEqual(MAX_UNANSWERED + 1)
})
