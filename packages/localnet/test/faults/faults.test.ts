import { once } from 'node:events'
import { connect } from 'node:net'
import { Connection, Keypair } from '@solana/web3.js'
import * as fc from '../../../../test/support/property.ts'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../../../../test/support/eventually.ts'
import { failure, startTestLedger, type TestLedger, transfer } from '../ledger.ts'

const fault = async (ledger: TestLedger, kind: string, options: object = {}): Promise<unknown> => {
  const answer = await ledger.rpc('localnet_fault', [{ kind, ...options }])
  expect(answer.error).toBeUndefined()
  return answer.result
}

it('a fork removes unfinalized blocks, transactions, balances and blockhashes, and nothing older', async () => {
  await using ledger = await startTestLedger({ finalizedDepth: 5 })
  const { connection, net } = ledger
  const [from, to] = [await ledger.wallet(), Keypair.generate().publicKey]
  const kept = await ledger.land(transfer(from.publicKey, to, 1e9), [from])
  net.stepSlot(5)
  const height = await connection.getBlockHeight('confirmed')
  const lost = await ledger.land(transfer(from.publicKey, to, 2e9), [from])
  const { blockhash } = await connection.getLatestBlockhash('confirmed')
  const processed = await connection.sendTransaction(transfer(from.publicKey, to, 3e9), [from])
  const { slot } = net

  expect(await fault(ledger, 'fork')).toEqual([lost, processed])
  expect(net.slot).toBe(slot + 1)
  expect(await connection.getBalance(to, 'processed')).toBe(1e9)
  expect(await connection.getTransaction(lost)).toBeNull()
  expect(
    (await connection.getSignatureStatuses([lost, processed, kept])).value.map((each) => each !== null),
  ).toEqual([false, false, true])
  expect((await connection.getSignaturesForAddress(to)).map((each) => each.signature)).toEqual([kept])
  expect((await connection.isBlockhashValid(blockhash, { commitment: 'processed' })).value).toBe(false)
  net.stepSlot()
  expect(await connection.getBlockHeight('confirmed')).toBeLessThanOrEqual(height)
  expect(await connection.getBalance(to, 'confirmed')).toBe(1e9)
})

it('a fork with reland moves the transactions to a later slot', async () => {
  await using ledger = await startTestLedger()
  const { connection, net } = ledger
  const [from, to] = [await ledger.wallet(), Keypair.generate().publicKey]
  net.stepSlot()
  const signature = await ledger.land(transfer(from.publicKey, to, 2e9), [from])
  const before = (await connection.getTransaction(signature))?.slot
  expect(await fault(ledger, 'fork', { slots: 1, reland: true })).toEqual([])
  net.stepSlot()
  expect((await connection.getTransaction(signature))?.slot).toBeGreaterThan(before ?? Infinity)
  expect(await connection.getBalance(to)).toBe(2e9)
  expect((await connection.getSignaturesForAddress(to)).map((each) => each.signature)).toEqual([signature])
})

it('reads equal a model after any order of transfers, slots and forks', async () => {
  const wallets = Array.from({ length: 4 }, () => Keypair.generate())
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('send' as const),
        to: fc.nat(3),
        lamports: fc.integer({ min: 1e6, max: 1e8 }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('slot' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('fork' as const), slots: fc.nat(4) }) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      await using ledger = await startTestLedger({ finalizedDepth: 3 })
      const { connection, net } = ledger
      // The balances after each block of the chain, newest last.
      const history = [[0, 0, 0, 0]]
      let current = [0, 0, 0, 0]
      for (const each of steps) {
        if (each.kind === 'send') {
          await connection.requestAirdrop(wallets[each.to]?.publicKey ?? fail(), each.lamports)
          current = current.map((balance, index) => balance + (index === each.to ? each.lamports : 0))
        } else if (each.kind === 'slot') {
          net.stepSlot()
          history.push(current)
        } else {
          const { slot } = net
          const final = await connection.getSlot('finalized')
          const blocks = await connection.getBlocks(Math.max(final, slot - 1 - each.slots) + 1, slot)
          net.fault.fork({ slots: each.slots })
          history.splice(history.length - blocks.length, blocks.length)
          current = history.at(-1) ?? fail()
        }
        for (const commitment of ['processed', 'confirmed', 'finalized'] as const) {
          const seen = await Promise.all(
            wallets.map(({ publicKey }) => connection.getBalance(publicKey, commitment)),
          )
          const height = await connection.getBlockHeight(commitment)
          expect(seen).toEqual(commitment === 'processed' ? current : history[height])
        }
      }
    }),
    { numRuns: 15 },
  )
})

function fail(): never {
  throw new Error('missing')
}

it('hides signatures by slot or by signature, for a number of slots', async () => {
  await using ledger = await startTestLedger()
  const { connection, net } = ledger
  const from = await ledger.wallet()
  const sent: string[] = []
  for (let index = 0; index < 3; index += 1) {
    sent.unshift(await ledger.land(transfer(from.publicKey, from.publicKey, index), [from]))
  }
  const seen = async (): Promise<string[]> =>
    (await connection.getSignaturesForAddress(from.publicKey, { limit: 3 })).map((each) => each.signature)
  const [newest = '', middle = '', oldest = ''] = sent
  const slotOf = (await connection.getTransaction(middle))?.slot
  await fault(ledger, 'hideSignatures', { fromSlot: slotOf, toSlot: slotOf, forSlots: 2 })
  expect(await seen()).not.toContain(middle)
  expect(await connection.getTransaction(middle)).toBeNull()
  expect((await connection.getSignatureStatus(middle, { searchTransactionHistory: true })).value).toBeNull()
  expect(await connection.getTransaction(newest)).not.toBeNull()
  net.stepSlot(2)
  expect(await seen()).toEqual(sent)
  await fault(ledger, 'hideSignatures', { signatures: [oldest] })
  expect(await seen()).not.toContain(oldest)
  await fault(ledger, 'clear')
  expect(await seen()).toEqual(sent)
})

it('fills a page of signatures with older ones if some are hidden', async () => {
  await using ledger = await startTestLedger()
  const from = await ledger.wallet()
  const signatures: string[] = []
  for (let lamports = 1; lamports <= 5; lamports += 1) {
    signatures.unshift(await ledger.land(transfer(from.publicKey, from.publicKey, lamports), [from]))
  }
  await fault(ledger, 'hideSignatures', { signatures: [signatures[0], signatures[2]] })
  const page = await ledger.connection.getSignaturesForAddress(from.publicKey, { limit: 2 })
  expect(page.map((each) => each.signature)).toEqual([signatures[1], signatures[3]])
})

it('responds to chosen methods with 429 and Retry-After or with 5xx, a given number of times', async () => {
  await using ledger = await startTestLedger()
  await fault(ledger, 'http', { methods: ['getBalance'], status: 429, retryAfter: 7, count: 2 })
  const key = Keypair.generate().publicKey.toBase58()
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getBalance', params: [key] })
  const first = await ledger.post(body)
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '7'])
  expect((await ledger.post(`[${body}]`)).status).toBe(429)
  expect((await ledger.rpc('getSlot')).error).toBeUndefined()
  expect((await ledger.post(body)).status).toBe(200)
  await fault(ledger, 'http', { status: 503, count: 1 })
  expect((await failure(ledger.connection.getSlot())).message).toContain('503')
})

it('delays responses', async () => {
  await using ledger = await startTestLedger()
  await fault(ledger, 'http', { methods: ['getHealth'], delayMs: 300, count: 1 })
  const order: string[] = []
  const ask = async (method: string): Promise<void> => {
    await ledger.rpc(method)
    order.push(method)
  }
  const delayed = ask('getHealth')
  await ask('getSlot')
  await delayed
  expect(order).toEqual(['getSlot', 'getHealth'])
})

it('closes sockets, refuses new ones, and sends nothing on open ones', async () => {
  await using ledger = await startTestLedger()
  const open = async (): Promise<WebSocket> => {
    const socket = new WebSocket(ledger.net.wsUrl)
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    return socket
  }
  const socket = await open()
  const code = new Promise((resolve) => socket.once('close', resolve))
  await fault(ledger, 'dropSockets')
  expect(await code).toBe(1006)
  await fault(ledger, 'refuseSockets')
  expect((await failure(open())).message).toContain('503')
  await fault(ledger, 'clear')

  const messages: string[] = []
  const listener = await open()
  listener.on('message', (data) => messages.push((data as Buffer).toString()))
  listener.send('{"jsonrpc":"2.0","id":1,"method":"slotSubscribe"}')
  await eventually(() => expect(messages).toHaveLength(1))
  await fault(ledger, 'muteSockets')
  ledger.net.stepSlot(3)
  await fault(ledger, 'clear')
  ledger.net.stepSlot()
  await eventually(() => expect(messages).toHaveLength(2))
  expect(messages[1]).toContain(`"slot":${ledger.net.slot}`)
  listener.terminate()
})

const upgrade = [
  'GET / HTTP/1.1',
  'Host: localnet',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
  '\r\n',
].join('\r\n')

it('closes refused sockets, although their clients keep them open', async () => {
  const ledger = await startTestLedger()
  await fault(ledger, 'refuseSockets')
  const port = Number(new URL(ledger.net.wsUrl).port)
  const clients = Array.from({ length: 20 }, () => connect({ port, host: '127.0.0.1', allowHalfOpen: true }))
  for (const client of clients) client.end(upgrade).resume()
  await Promise.all(clients.map((client) => once(client, 'end')))
  // It waits for all connections.
  await expect(ledger[Symbol.asyncDispose]()).resolves.toBeUndefined()
  for (const client of clients) client.destroy()
})

it('survives clients that reset a connection while it is refused', async () => {
  await using ledger = await startTestLedger()
  await fault(ledger, 'refuseSockets')
  const port = Number(new URL(ledger.net.wsUrl).port)
  for (let count = 0; count < 100; count += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(upgrade)
    setImmediate(() => socket.resetAndDestroy())
    await once(socket, 'close')
  }
  expect((await ledger.rpc('getHealth')).result).toBe('ok')
})

it('with a lag, responses are a number of slots old', async () => {
  await using ledger = await startTestLedger({ finalizedDepth: 4 })
  const { connection, net } = ledger
  const to = Keypair.generate().publicKey
  net.stepSlot(10)
  await connection.requestAirdrop(to, 1e9)
  net.stepSlot(2)
  const own = new Connection(net.rpcUrl, 'confirmed')
  const before = await own.getSlot()
  await fault(ledger, 'lag', { slots: 3 })
  expect(await own.getSlot()).toBe(before - 3)
  expect(await own.getBalance(to)).toBe(0)
  expect((await ledger.rpc('getHealth')).error).toMatchObject({ code: -32005, data: { numSlotsBehind: 3 } })
  expect(await own.getSignaturesForAddress(to)).toEqual([])
  await fault(ledger, 'lag', { slots: 0 })
  expect(await own.getBalance(to)).toBe(1e9)
})
