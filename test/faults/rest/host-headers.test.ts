import { expect, test } from 'vitest'
import { serveApp } from '../../support/clients.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { perFile } from '../../support/lifetime.ts'

const t = perFile(() => serveApp({ console: true }))

const UPGRADE =
  'Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n'
const PREFLIGHT = 'Origin: https://a.example\r\nAccess-Control-Request-Method: GET\r\n'
const ROUTES: [string, string][] = [
  ['GET /agents HTTP/1.1', ''],
  ['GET /agents HTTP/1.0', ''],
  ['GET /health HTTP/1.1', ''],
  ['GET /ready HTTP/1.1', ''],
  ['GET /metrics HTTP/1.1', ''],
  ['GET /nothing HTTP/1.1', ''],
  ['GET /console HTTP/1.1', ''],
  ['GET /docs HTTP/1.1', ''],
  ['OPTIONS /agents HTTP/1.1', ''],
  ['OPTIONS /agents HTTP/1.1', PREFLIGHT],
  ['POST /graphql HTTP/1.1', ''],
  ['GET /graphql HTTP/1.1', UPGRADE],
  ['POST /mcp HTTP/1.1', ''],
  ['GET /mcp/sse HTTP/1.1', ''],
]

/** RFC 9112, section 3.2: a proxy may have chosen the other one. */
test.each(ROUTES)('two Host headers are refused: %s %j', async (line, rest) => {
  const connection = rest === UPGRADE ? 'Upgrade' : 'close'
  const head = `${line}\r\nHost: a.example\r\nhOST: b.example\r\nConnection: ${connection}\r\n${rest}\r\n`
  const { status, body } = await sendRaw(t.port, Buffer.from(head))
  expect([status, JSON.parse(body)]).toEqual([
    400,
    { error: 'There must be one Host header', details: { code: 'INVALID_REQUEST' } },
  ])
})

test.each(ROUTES)('no Host header is refused, except in HTTP/1.0: %s %j', async (line, rest) => {
  const connection = rest === UPGRADE ? 'Upgrade' : 'close'
  const head = `${line}\r\nX-Host: Host\r\nConnection: ${connection}\r\n${rest}\r\n`
  const { status } = await sendRaw(t.port, Buffer.from(head))
  expect(status).toBe(line.endsWith('1.0') ? 200 : 400)
})
