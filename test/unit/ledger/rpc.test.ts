import type { IncomingHttpHeaders } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createLedgerRpc,
  type LedgerRpc,
  type LedgerRpcOptions,
  retryingRpc,
} from '../../../src/ledger/rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import { scaled } from '../../support/machine-speed.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

interface Call {
  id: number
  method: string
  params: unknown[]
}
interface Answer {
  status?: number
  headers?: Record<string, string>
  body: string | Buffer
}

let receiver: Receiver

async function serve(
  answer: (calls: Call | Call[], headers: IncomingHttpHeaders) => Answer | null,
  options: Partial<LedgerRpcOptions> = {},
): Promise<LedgerRpc> {
  receiver = await startReceiver({
    reply: ({ body, headers }) => answer(JSON.parse(String(body)) as Call | Call[], headers) ?? undefined,
  })
  onTestFinished(receiver.close)
  return createLedgerRpc({ url: receiver.url('/key-s3cret'), ...options })
}
const bodies = (): string[] => receiver.requests.map(({ body }) => String(body))
/** How many calls each request had. */
const sizes = (): number[] => bodies().map((body) => (JSON.parse(body) as Call[]).length)

const result = (id: number, value: unknown) => ({ jsonrpc: '2.0', id, result: value })
const echo = (calls: Call | Call[]): Answer => ({
  body: JSON.stringify(
    Array.isArray(calls)
      ? calls.map((call) => result(call.id, call.params[0])).toReversed()
      : result(calls.id, calls.params),
  ),
})

describe('calls', () => {
  test('results, null results and params are transferred, on reused connections', async () => {
    const rpc = await serve(echo)
    expect(await rpc.call('x', [1, null])).toEqual([1, null])
    expect(await rpc.batch([{ method: 'x', params: [null] }])).toEqual([null])
    for (let i = 0; i < 20; i += 1) await rpc.call('x')
    expect(receiver.connections).toBeLessThan(5)
  })

  test('a batch keeps its order with any order of responses, and is split by calls and bytes', async () => {
    const rpc = await serve(echo)
    const params = [
      ...Array.from({ length: 250 }, (_, i) => i),
      ...Array.from({ length: 4 }, () => 'y'.repeat(20_000)),
    ]
    expect(await rpc.batch(params.map((each) => ({ method: 'x', params: [each] })))).toEqual(params)
    expect(sizes()).toEqual([100, 100, 52, 2])
    expect(Math.max(...bodies().map((body) => body.length))).toBeLessThan(51_200)
  })

  test('a refused call of a batch is an error in its place', async () => {
    const rpc = await serve((calls) => ({
      body: JSON.stringify(
        (calls as Call[]).map((call, i) =>
          i === 1 ? { id: call.id, error: { code: -32015, message: 'version' } } : result(call.id, i),
        ),
      ),
    }))
    const calls = [1, 2, 3].map(() => ({ method: 'x', params: [] }))
    expect(await rpc.settle(calls)).toEqual([0, expect.objectContaining({ kind: 'rpc', code: -32015 }), 2])
    await expect(rpc.batch(calls)).rejects.toMatchObject({ code: -32015 })
  })

  test('a compressed response is read', async () => {
    let accepted: string | undefined
    const rpc = await serve((calls, headers) => {
      accepted = String(headers['accept-encoding'])
      return { headers: { 'content-encoding': 'gzip' }, body: gzipSync(echo(calls).body) }
    })
    expect(await rpc.call('x', ['y'.repeat(100_000)])).toEqual(['y'.repeat(100_000)])
    expect(accepted).toBe('gzip')
  })

  test.each(['plain', 'compressed'])(
    'a %s response that is too large is requested in parts',
    async (form) => {
      const rpc = await serve((calls) => {
        const text = JSON.stringify((calls as Call[]).map(({ id }) => result(id, 'y'.repeat(5_000_000))))
        return form === 'plain'
          ? { body: text }
          : { headers: { 'content-encoding': 'gzip' }, body: gzipSync(text, { level: 1 }) }
      })
      const results = await rpc.settle<string>(Array.from({ length: 5 }, () => ({ method: 'x', params: [] })))
      expect(results.map((each) => (each as string).length)).toEqual(
        Array.from({ length: 5 }, () => 5_000_000),
      )
      expect(sizes()).toEqual([5, 3, 2])
    },
  )

  test('one call may have a response of any size', async () => {
    const rpc = await serve((call) => ({
      body: JSON.stringify(result((call as Call).id, 'y'.repeat(20_000_000))),
    }))
    expect(await rpc.call<string>('x')).toHaveLength(20_000_000)
  })

  test('credentials in the URL become a header', async () => {
    let header: string | undefined
    await serve((calls, headers) => {
      header = headers.authorization
      return echo(calls)
    })
    await createLedgerRpc({ url: receiver.url('', 'me:p%40ss@127.0.0.1') }).call('x')
    expect(header).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`)
  })
})

describe('failures have distinct errors, without the URL', () => {
  test.each<[string, Answer | null, object]>([
    [
      'HTTP 429',
      { status: 429, headers: { 'retry-after': '2' }, body: 'slow down' },
      { kind: 'http', code: 429, retryAfterMs: 2_000, isTransient: true },
    ],
    ['HTTP 403', { status: 403, body: '' }, { kind: 'http', code: 403, isTransient: false }],
    ['HTML', { body: '<html>' }, { kind: 'transport', isTransient: true }],
    ['null', { body: 'null' }, { kind: 'transport' }],
    ['silence', null, { kind: 'timeout', isTransient: true }],
    [
      'an error that quotes the URL',
      { body: '{"error":{"code":-32005,"message":"see https://node.example/key-s3cret now"}}' },
      { kind: 'rpc', code: -32005, message: 'see [url] now', isTransient: true },
    ],
  ])('%s', async (_, answer, expected) => {
    const rpc = await serve(() => answer, { timeoutMs: answer === null ? 100 : scaled(10_000) })
    const error = await rpc.call('x').catch((each: unknown) => each)
    expect(error).toBeInstanceOf(LedgerRpcError)
    expect(error).toMatchObject(expected)
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toMatch(/s3cret|127\.0\.0\.1/)
  })

  test('no listener', async () => {
    const rpc = createLedgerRpc({ url: 'http://127.0.0.1:1/key-s3cret' })
    const error = await rpc.call('x').catch((each: unknown) => each)
    expect(error).toMatchObject({ kind: 'transport', message: 'the ledger node cannot be reached' })
  })
})

describe('retries', () => {
  test('transient failures are retried, others are not', async () => {
    let failures = 2
    const rpc = await serve((calls) => {
      if ((calls as Call).method === 'bad') return { body: '{"error":{"code":-32602,"message":"no"}}' }
      failures -= 1
      return failures >= 0 ? { status: 503, body: '' } : echo(calls)
    })
    const waits: number[] = []
    const retrying = retryingRpc(rpc, {
      signal: new AbortController().signal,
      minDelayMs: 1,
      onRetry: (_, wait) => waits.push(wait),
    })
    expect(await retrying.call('good', [7])).toEqual([7])
    expect(waits).toEqual([1, 2])
    await expect(retrying.call('bad')).rejects.toMatchObject({ code: -32602 })
  })

  test.each([
    ['that never arrives', null, { timeoutMs: scaled(400) }],
    ['that a proxy refuses', { status: 502, body: '' }, {}],
  ])('a batch with a response %s is sent again in smaller parts', async (_, answer, options) => {
    const rpc = await serve((calls) => ((calls as Call[]).length > 3 ? answer : echo(calls)), options)
    const { signal } = new AbortController()
    const retrying = retryingRpc(rpc, { signal, minDelayMs: 1, maxAttempts: 4 })
    const calls = Array.from({ length: 10 }, (__, i) => ({ method: 'x', params: [i] }))
    const results = calls.map(({ params }) => params[0])
    expect(await retrying.settle(calls)).toEqual(results)
    expect(await retrying.batch(calls)).toEqual(results)
    expect(sizes()).toEqual([10, 5, 3, 3, 3, 1, 10, 5, 3, 3, 3, 1])
  })

  test('a rate limit does not make batches smaller', async () => {
    let refused = 0
    const rpc = await serve((calls) => (refused++ < 2 ? { status: 429, body: '' } : echo(calls)))
    const retrying = retryingRpc(rpc, { signal: new AbortController().signal, minDelayMs: 1 })
    const calls = Array.from({ length: 4 }, (_, i) => ({ method: 'x', params: [i] }))
    expect(await retrying.batch(calls)).toEqual([0, 1, 2, 3])
    expect(sizes()).toEqual([4, 4, 4])
  })

  const tooMany = (calls: Call | Call[]): Answer => ({
    body: JSON.stringify(
      [calls].flat().map(({ id, params }, i) => (i < 3 ? result(id, params[0]) : limitedCall(id))),
    ),
  })
  const limitedCall = (id: number) => ({ jsonrpc: '2.0', id, error: { code: 429, message: 'too many' } })

  test.each([
    ['refuses the whole batch', () => ({ status: 429, body: '' })],
    ['refuses the calls above it', tooMany],
  ])('a node that allows few calls at once, and %s, gets smaller batches', async (_, refuse) => {
    const rpc = await serve((calls) => ((calls as Call[]).length > 3 ? refuse(calls) : echo(calls)))
    const retrying = retryingRpc(rpc, { signal: new AbortController().signal, minDelayMs: 1 })
    const calls = Array.from({ length: 6 }, (__, i) => ({ method: 'x', params: [i] }))
    expect(await retrying.settle(calls)).toEqual([0, 1, 2, 3, 4, 5])
    expect(sizes()).toEqual([6, 6, 6, 3, 3])
  })

  test('a node that allows few calls in a second gets the rest of a batch later', async () => {
    let left = 3
    const rpc = await serve((calls) => {
      left -= (calls as Call[]).length
      if (left >= 0) return echo(calls)
      left = 3
      return { status: 429, body: '' }
    })
    const retrying = retryingRpc(rpc, { signal: new AbortController().signal, minDelayMs: 1 })
    const calls = Array.from({ length: 6 }, (_, i) => ({ method: 'x', params: [i] }))
    expect(await retrying.batch(calls)).toEqual([0, 1, 2, 3, 4, 5])
    expect(sizes()).toEqual([6, 6, 6, 3, 3, 3])
  })

  test('aborting ends a call that hangs', async () => {
    const rpc = await serve(() => null)
    const abort = new AbortController()
    const hanging = retryingRpc(rpc, { signal: abort.signal }).call('x')
    abort.abort(new Error('stop'))
    await expect(hanging).rejects.toThrow('stop')
  })
})
