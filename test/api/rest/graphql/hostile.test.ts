import { once } from 'node:events'
import { Writable } from 'node:stream'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { LIMITS } from '../../../../schema/limits.ts'
import { useTestApp } from '../../../support/app.ts'
import { insertAgents } from '../../../support/factories.ts'
import { type GraphQLAnswer, post } from '../../../support/graphql.ts'
import { refused, responseOf } from '../../../support/refusal.ts'

const logged: string[] = []
const log = new Writable({
  write: (line: Buffer, _, done) => {
    logged.push(line.toString())
    done()
  },
})

const t = useTestApp({ log })
beforeAll(() => insertAgents(t.kysely, ['Any']))

const first = ({ errors }: GraphQLAnswer) => ({ message: errors?.[0]?.message, ...errors?.[0]?.extensions })
const send = (payload: string, headers: Record<string, string> = {}) =>
  t.app.inject({
    method: 'POST',
    url: '/graphql',
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  })
const LISTING = 'query ($f: AgentFilter) { agents(filter: $f) { totalCount } }'

describe('an invalid request gets a client error without internal details', () => {
  test.each(['null', '7', '"x"', '{}', '[]', '[{"query":"{ health { status } }"}]'])(
    'for the body %s',
    async (payload) => {
      const response = await send(payload)
      expect([response.statusCode, response.json<{ error: string }>().error]).toEqual([
        400,
        'The body must be one JSON object with a query',
      ])
    },
  )

  test.each([5, true, null, ['{ __typename }'], { length: -1_000_000 }])(
    'for the query %j',
    async (query) => {
      const persistedQuery = { version: 1, sha256Hash: 'a'.repeat(64) }
      for (const extensions of [undefined, { persistedQuery }]) {
        const response = await send(JSON.stringify({ query, extensions }))
        expect(first(response.json<GraphQLAnswer>())).toMatchObject({
          message: expect.stringMatching(/query/i) as string,
          code: expect.stringMatching(/^(INVALID_REQUEST|PERSISTED_QUERY_NOT_FOUND)$/) as string,
        })
      }
    },
  )

  test.each(['variables={x', 'extensions=[1'])('for GET with %s', async (part) => {
    const response = await t.app.inject(`/graphql?query={health{status}}&${part}`)
    expect(response.statusCode).toBe(400)
    expect(response.json<GraphQLAnswer>()).toEqual({
      errors: [
        {
          message: 'variables and extensions must be JSON',
          extensions: { code: 'INVALID_REQUEST', status: 400 },
        },
      ],
    })
  })

  test('for a content type that needs no preflight: 415 in JSON', async () => {
    const response = await send('{"query":"{ health { status } }"}', { 'content-type': 'text/plain' })
    expect(responseOf(response)).toEqual(
      refused(415, 'UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json, got "text/plain"'),
    )
  })

  test('for an Accept without a supported type: 406 in JSON', async () => {
    const response = await send('{"query":"{ health { status } }"}', { accept: 'text/xml' })
    expect(responseOf(response)).toEqual(
      refused(406, 'NOT_ACCEPTABLE', 'Accept must allow application/json, got "text/xml"'),
    )
  })

  test.each([
    ['an object', '{a: 1}'],
    ['a list', '["x"]'],
    ['a name', 'somebody'],
  ])('for %s instead of a public key', async (_, literal) => {
    const error = first(await post(t, `{ agent(pda: ${literal}) { pda } }`))
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', status: 400 })
    expect(error.message).toMatch(/^Pubkey must be base-58 text/)
  })

  test.each([
    ['lists', '[', ''],
    ['objects', '{a:', ''],
    ['fields', '', '{a'],
  ])('for nested %s up to the token limit', async (_, value, fields) => {
    for (const levels of [LIMITS.tokens / 4, LIMITS.tokens / 2 - 20]) {
      const text = value === '' ? fields.repeat(levels) : `{ agent(pda: ${value.repeat(levels)}`
      const closed = value === '[' ? `${text}${']'.repeat(levels)}) { pda } }` : text
      expect(first(await post(t, text)).status).toBe(400)
      expect(first(await post(t, closed)).status).toBe(400)
    }
  })

  test('that is not logged, because clients could fill the disk with it', async () => {
    logged.length = 0
    await post(t, '{ nothing }')
    await post(t, '{ agent(pda: "x") { pda } }')
    await post(t, LISTING, { f: { tier: 'x'.repeat(1_000) } })
    await t.app.inject('/graphql?query={health{status}}&variables={x')
    expect(logged).toEqual([])
  })

  test('that is not logged for a broken WebSocket message either', async () => {
    const url = await t.app.listen({ port: 0, host: '127.0.0.1' })
    const onConsole = vi.spyOn(console, 'error')
    logged.length = 0
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    await once(socket, 'open')
    socket.send('x'.repeat(300_000))
    await once(socket, 'close')
    expect(logged).toEqual([])
    // web3.js reports lost connections of other files here.
    expect(onConsole.mock.calls.filter(([text]) => text !== 'ws error:')).toEqual([])
  })
})

// attacks.test.ts checks this for large documents and for variables with many members.
test('the response to a large text in a variable is small', async () => {
  const response = await send(
    JSON.stringify({ query: LISTING, variables: { f: { tier: 'x'.repeat(200_000) } } }),
  )
  expect(response.body.length).toBeLessThan(10_000)
  expect(first(response.json()).status).toBe(400)
})

describe('the cost of an operation is limited', () => {
  test('introspection fields count as root fields', async () => {
    const aliases = Array.from({ length: 11 }, (_, i) => `a${i}: __schema { types { name } }`)
    expect(first(await post(t, `{ ${aliases.join(' ')} }`)).message).toContain('more than 10 root fields')
  })
})
