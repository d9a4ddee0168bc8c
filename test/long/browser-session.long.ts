import { expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { createTestApp } from '../support/app.ts'
import { BROWSER } from './support/browser.ts'
import { createBrowserPages } from './support/browser-pages.ts'
import { perFile } from '../support/lifetime.ts'
import { codeBlockOf, readGuide } from '../support/guide.ts'

/** Runs in the page: a wallet with a key of WebCrypto signs in, and uses the session everywhere. */
const PROGRAM = `
import { call, signIn } from '/sessions.js'

const gateway = new URLSearchParams(location.search).get('gateway')
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function base58(bytes) {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  let text = ''
  for (; number > 0n; number /= 58n) text = ALPHABET[Number(number % 58n)] + text
  return '1'.repeat(bytes.findIndex((byte) => byte !== 0)) + text
}

async function createWallet() {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
  const address = base58(new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey)))
  const signMessage = async (bytes) => new Uint8Array(await crypto.subtle.sign('Ed25519', pair.privateKey, bytes))
  return { publicKey: { toBase58: () => address }, signMessage }
}

function querySocket(token, query) {
  const { promise, resolve, reject } = Promise.withResolvers()
  const socket = new WebSocket(gateway.replace('http', 'ws') + '/graphql', 'graphql-transport-ws')
  const send = (message) => socket.send(JSON.stringify(message))
  socket.onopen = () => send({ type: 'connection_init', payload: { Authorization: 'Bearer ' + token } })
  socket.onclose = ({ reason }) => reject(new Error('closed: ' + reason))
  socket.onmessage = ({ data }) => {
    const { type, payload } = JSON.parse(data)
    if (type === 'connection_ack') send({ id: '1', type: 'subscribe', payload: { query } })
    if (type === 'next') resolve(payload.data)
  }
  return promise
}

async function run() {
  const wallet = await createWallet()
  const { token } = await signIn(gateway, wallet)
  sessionStorage.setItem('token', token)
  const query = '{ session { wallet } }'
  const stream = await fetch(gateway + '/graphql', {
    method: 'POST',
    headers: { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({ query }),
  })
  return {
    address: wallet.publicKey.toBase58(),
    webhooks: await call(gateway, 'GET', '/webhooks', { token }),
    again: await call(gateway, 'GET', '/webhooks', { token }),
    graphql: (await call(gateway, 'POST', '/graphql', { token, body: { query } })).data,
    stream: (await stream.text()).match(/\\{.*\\}/)[0],
    socket: await querySocket(token, query),
    ended: await call(gateway, 'DELETE', '/auth/session', { token }),
    refused: await call(gateway, 'GET', '/webhooks', { token }).catch(({ status }) => status),
  }
}

const result = await run().catch((error) => ({ error: String(error) }))
await fetch('/result', { method: 'POST', body: JSON.stringify(result) })
`

const FILES = new Map([
  ['/', '<!doctype html><script type="module" src="/program.js"></script>'],
  ['/program.js', PROGRAM],
  ['/sessions.js', codeBlockOf(readGuide('sessions'), 'js')],
])

const pages = perFile(() => createBrowserPages((path) => FILES.get(path) ?? null))
const t = perFile(() =>
  createTestApp({
    listens: true,
    clock: systemClock,
    ledger: { call: async <Result>() => 'genesis' as Result },
    signInOrigins: { origins: ['http://127.0.0.1:3000', pages.origin], anyLoopback: false },
  }),
)

test.runIf(BROWSER !== undefined)(
  'a page of another origin signs in by the code of the guide, and uses the session in every interface',
  async () => {
    pages.open(`/?gateway=${encodeURIComponent(t.url)}`)
    const { address, ...result } = (await pages.result) as { address: string }
    const session = { session: { wallet: address } }
    expect(result).toEqual({
      webhooks: { subscriptions: [] },
      again: { subscriptions: [] },
      graphql: session,
      stream: JSON.stringify({ data: session }),
      socket: session,
      ended: { ended: 1 },
      refused: 401,
    })
    expect(address).toMatch(/^\w{32,44}$/)
  },
)
