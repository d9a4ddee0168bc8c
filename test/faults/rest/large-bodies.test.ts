import { expect, test } from 'vitest'
import { BODY_LIMIT } from '../../../rest/plugins/server-options.ts'
import { serveApp } from '../../support/clients.ts'
import { perFile } from '../../support/lifetime.ts'

const t = perFile(() => serveApp({ rateLimits: { reads: 600 } }))
const client = perFile(() => t.client('127.0.0.10'))

const members = Object.fromEntries(Array.from({ length: 19_000 }, (_, i) => [`k${i}`, 0]))
const lists = Array.from({ length: 60_000 }, () => [])
test.each([
  ['/relay/prepare', members],
  ['/relay/prepare', { instructions: lists }],
  ['/auth/session', members],
  ['/graphql', members],
])('a body of %s with many values is refused before it is parsed', async (path, body) => {
  const { status, text } = await client.send(path, { method: 'POST', body: JSON.stringify(body) })
  expect([status, text]).toEqual([400, expect.stringContaining('more than 3000 values')])
})

test.each(['/relay/submit', '/nowhere', '/mcp'])('a large body of %s costs more units', async (path) => {
  const remaining = async (): Promise<number> =>
    Number((await client.send('/agents?limit=1')).headers['ratelimit-remaining'])
  const before = await remaining()
  const body = JSON.stringify({ id: 'x', signedTx: ''.padEnd(BODY_LIMIT - 100, 'z') })
  await client.send(path, { method: 'POST', body })
  // This body, its request and the request that reads the rest.
  expect(before - (await remaining())).toBe(Math.floor(body.length / 32_768) + 2)
})
