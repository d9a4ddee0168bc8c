import { Keypair } from '@solana/web3.js'
import * as fc from '../../../test/support/property.ts'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { METHODS } from '../src/rpc/methods/index.ts'
import { type JsonRpcAnswer, transfer, useTestLedger } from './ledger.ts'

const ledger = useTestLedger()

const post = async (body: unknown): Promise<JsonRpcAnswer & JsonRpcAnswer[]> =>
  (await (await ledger.post(typeof body === 'string' ? body : JSON.stringify(body))).json()) as never

const call = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })

describe('protocol', () => {
  it('responds to batches in order, and does not respond to notifications', async () => {
    const notification = { jsonrpc: '2.0', method: 'getSlot' }
    const answers = await post([call('getHealth'), notification, call('nope', [], 'b'), 5])
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 1, result: 'ok' },
      { jsonrpc: '2.0', id: 'b', error: { code: -32601, message: 'Method not found' } },
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid request' } },
    ])
    const silent = await ledger.post(JSON.stringify(notification))
    expect([silent.status, await silent.text()]).toEqual([200, ''])
  })

  it.each([
    ['{"jsonrpc":', -32700],
    ['', -32700],
    ['[]', -32600],
    ['"x"', -32600],
    ['{"id":1,"method":"getSlot"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"getSlot"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"getSlot","params":"x"}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"__proto__"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32601],
  ])('responds to %j with %i', async (body, code) => {
    expect((await post(body)).error?.code).toBe(code)
  })

  it('refuses other methods, other types and bodies over the limit', async () => {
    const { rpcUrl } = ledger.net
    expect((await fetch(rpcUrl)).status).toBe(405)
    expect(await (await fetch(`${rpcUrl}/health`)).text()).toBe('ok')
    expect((await ledger.post('{}', { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await ledger.post(JSON.stringify(call('getSlot', ['x'.repeat(60_000)])))).status).toBe(413)
    expect((await fetch(rpcUrl, { method: 'OPTIONS' })).headers.get('access-control-allow-origin')).toBe('*')
  })
})

const KEY = Keypair.generate().publicKey.toBase58()
const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'

describe('parameters', () => {
  it.each<[string, unknown[]]>([
    ['getBalance', []],
    ['getBalance', [5]],
    ['getBalance', ['0OIl']],
    ['getBalance', [KEY, 'confirmed']],
    ['getBalance', [KEY, { commitment: 'sure' }]],
    ['getBalance', [KEY, { commitment: 'constructor' }]],
    ['getBalance', [KEY, { minContextSlot: -1 }]],
    ['getBalance', [KEY, { minContextSlot: '1' }]],
    ['getAccountInfo', [KEY, { encoding: 'hex' }]],
    ['getAccountInfo', [KEY, { encoding: 'base64', dataSlice: { offset: 1 } }]],
    ['getProgramAccounts', [KEY, { filters: [{}] }]],
    ['getProgramAccounts', [KEY, { filters: [{ memcmp: { offset: 0, bytes: '0' } }] }]],
    ['getProgramAccounts', [KEY, { filters: Array.from({ length: 5 }, () => ({ dataSize: 1 })) }]],
    ['getTokenAccountsByOwner', [KEY, {}]],
    ['getTransaction', ['abc']],
    ['getTransaction', [SIGNATURE, { encoding: 'json', maxSupportedTransactionVersion: 'legacy' }]],
    ['getSignatureStatuses', [[KEY]]],
    ['getSignatureStatuses', [Array(257).fill(SIGNATURE)]],
    ['getSignaturesForAddress', [KEY, { limit: 0 }]],
    ['getSignaturesForAddress', [KEY, { before: 'x' }]],
    ['getBlock', ['5']],
    ['getBlock', [1.5]],
    ['getBlocks', [0, 1_000_000]],
    ['sendTransaction', ['AAAA', { encoding: 'hex' }]],
    ['sendTransaction', ['AAAA', { encoding: 'base64' }]],
    ['sendTransaction', ['!!', { encoding: 'base64' }]],
    ['sendTransaction', ['x'.repeat(5000)]],
    ['simulateTransaction', [7]],
    ['getFeeForMessage', ['gQ==']],
    ['requestAirdrop', [KEY, 0.5]],
    ['isBlockhashValid', ['x']],
    ['getRecentPrioritizationFees', [Array(129).fill(KEY)]],
    ['localnet_mintUsdc', [KEY, '1e3']],
    ['localnet_mintUsdc', [KEY, '18446744073709551616']],
    ['localnet_warp', [-1]],
    ['localnet_fault', [{ kind: 'flood' }]],
  ])('%s refuses %j with -32602', async (method, params) => {
    expect(await ledger.rpc(method, params)).toMatchObject({ error: { code: -32602 } })
  })
})

describe('fuzz', () => {
  // Faults and time affect the other tests.
  const names = Object.keys(METHODS).filter((name) => name !== 'localnet_fault' && name !== 'localnet_warp')
  const methods = fc.constantFrom(...names)
  const configKeys = [
    'commitment',
    'encoding',
    'filters',
    'dataSlice',
    'limit',
    'before',
    'accounts',
    'mint',
    'memcmp',
    'range',
    'identity',
  ]
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(KEY, SIGNATURE, 'base64', 'jsonParsed', 'confirmed', 0, 1, -1, 2 ** 53),
    fc.dictionary(fc.constantFrom(...configKeys), fc.jsonValue()),
  )

  it('responds to any request with JSON-RPC and never with an internal error', async () => {
    const request = fc.record({
      jsonrpc: fc.constant('2.0'),
      id: fc.integer(),
      method: methods,
      params: fc.array(value, { maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(request, async (body) => {
        const answer = await post(body)
        expect(answer).toMatchObject({ jsonrpc: '2.0', id: body.id })
        expect(answer.error?.code).not.toBe(-32603)
      }),
      { numRuns: 1000 },
    )
  })

  it('responds to any JSON and any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string()), async (body) => {
        const response = await ledger.post(body)
        expect(response.status).toBe(200)
      }),
      { numRuns: 200 },
    )
  })

  it('survives transactions with any bytes changed', async () => {
    const from = await ledger.wallet()
    const transaction = transfer(from.publicKey, Keypair.generate().publicKey, 1)
    transaction.recentBlockhash = (await ledger.connection.getLatestBlockhash()).blockhash
    transaction.sign(from)
    const valid = transaction.serialize()
    const change = fc.record({ at: fc.nat(valid.length - 1), to: fc.nat(255) })
    const cut = fc.nat(valid.length)
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 6 }), cut, fc.boolean(), async (changes, end, whole) => {
        const bytes = Buffer.from(valid)
        for (const { at, to } of changes) bytes[at] = to
        const wire = (whole ? bytes : bytes.subarray(0, end)).toString('base64')
        for (const method of ['simulateTransaction', 'sendTransaction']) {
          const config = {
            encoding: 'base64',
            replaceRecentBlockhash: true,
            skipPreflight: true,
            commitment: 'confirmed',
          }
          const answer = await ledger.rpc(method, [wire, config])
          expect(answer.error?.code).not.toBe(-32603)
        }
      }),
      { numRuns: 400 },
    )
  })

  it('responds to any message on a WebSocket', async () => {
    const socket = new WebSocket(ledger.net.wsUrl)
    await new Promise((resolve) => socket.once('open', resolve))
    const answer = (body: string): Promise<JsonRpcAnswer> =>
      new Promise((resolve) => {
        socket.once('message', (data) => resolve(JSON.parse((data as Buffer).toString()) as JsonRpcAnswer))
        socket.send(body)
      })
    const kinds = fc.constantFrom('account', 'program', 'logs', 'signature', 'slot', 'root')
    const verbs = fc.constantFrom('Subscribe', 'Unsubscribe')
    await fc.assert(
      fc.asyncProperty(kinds, verbs, fc.array(value, { maxLength: 3 }), async (kind, verb, params) => {
        const shown = await answer(JSON.stringify(call(kind + verb, params)))
        expect(shown).toMatchObject({ id: 1 })
        expect(shown.error?.code).not.toBe(-32603)
      }),
      { numRuns: 200 },
    )
    expect((await answer('{')).error?.code).toBe(-32700)
    expect((await answer(JSON.stringify(call('getHealth')))).result).toBe('ok')
    socket.terminate()
  })
})
