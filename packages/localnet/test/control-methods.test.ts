import { Keypair, SYSVAR_RENT_PUBKEY } from '@solana/web3.js'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { METHODS } from '../src/rpc/methods/index.ts'
import { CONTROL, type JsonRpcAnswer, useTestLedger } from './ledger.ts'

const ledger = useTestLedger()

const REFUSED = {
  code: -32600,
  message:
    'Invalid request: localnet methods need the header x-localnet-control: 1, and are not for web pages',
}
const PAGE = { origin: 'https://attacker.example' }
const JSON_BODY = { 'content-type': 'application/json' }
const warp = { jsonrpc: '2.0', id: 1, method: 'localnet_warp', params: [1_000_000] }
const call = async (body: unknown, headers: Record<string, string>): Promise<Response> =>
  fetch(ledger.net.rpcUrl, { method: 'POST', body: JSON.stringify(body), headers })
const answer = async (response: Response) => (await response.json()) as JsonRpcAnswer & JsonRpcAnswer[]

/** As a browser asks before a request with these headers. */
const preflight = (requested: string): Promise<Response> =>
  fetch(ledger.net.rpcUrl, {
    method: 'OPTIONS',
    headers: {
      ...PAGE,
      'access-control-request-method': 'POST',
      'access-control-request-headers': requested,
    },
  })

describe('the methods that control the localnet', () => {
  const own = Object.keys(METHODS).filter((name) => name.startsWith('localnet_'))

  it.each(own)('%s needs the header', async (method) => {
    const params = [Keypair.generate().publicKey.toBase58(), 1]
    const response = await call({ ...warp, method, params }, JSON_BODY)
    expect((await answer(response)).error).toEqual(REFUSED)
  })

  it('need the header inside a batch too', async () => {
    const getHealth = { jsonrpc: '2.0', id: 2, method: 'getHealth' }
    const answers = await answer(await call([warp, getHealth], JSON_BODY))
    expect(answers.map(({ error, result }) => error ?? result)).toEqual([REFUSED, 'ok'])
  })

  it('refuse every value but 1, and every request of a web page', async () => {
    for (const headers of [
      { 'x-localnet-control': '0' },
      { ...CONTROL, ...PAGE },
      { ...CONTROL, origin: 'null' },
    ])
      expect((await answer(await call(warp, { ...JSON_BODY, ...headers }))).error).toEqual(REFUSED)
    // A form or a request without a preflight.
    expect((await call(warp, { ...CONTROL, 'content-type': 'text/plain' })).status).toBe(415)
  })

  it('are refused in the preflight, and other headers are allowed', async () => {
    for (const requested of [
      'x-localnet-control',
      'content-type, X-Localnet-Control',
      'x-localnet-control,x',
    ]) {
      const refused = await preflight(requested)
      expect(refused.status).toBe(403)
      expect(refused.headers.get('access-control-allow-headers')).toBeNull()
    }
    const allowed = await preflight('content-type, solana-client')
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    // A cached `*` would allow the control header without another preflight.
    expect(allowed.headers.get('access-control-allow-headers')).toBe('content-type, solana-client')
  })

  it('need the header on a WebSocket too', async () => {
    const ask = async (headers: Record<string, string>): Promise<JsonRpcAnswer> => {
      const socket = new WebSocket(ledger.net.wsUrl, { headers })
      await new Promise((resolve) => socket.once('open', resolve))
      socket.send(JSON.stringify(warp))
      const text = await new Promise<string>((resolve) =>
        socket.once('message', (data: Buffer) => resolve(data.toString('utf8'))),
      )
      socket.close()
      return JSON.parse(text) as JsonRpcAnswer
    }
    expect((await ask({})).error).toEqual(REFUSED)
    expect((await ask(PAGE)).error).toEqual(REFUSED)
    expect((await ask({ ...CONTROL, ...PAGE })).error).toEqual(REFUSED)
    expect((await ask(CONTROL)).error).toBeUndefined()
  })

  it('leave the calls of wallets in web pages as they are', async () => {
    const wallet = Keypair.generate().publicKey.toBase58()
    const airdrop = { ...warp, method: 'requestAirdrop', params: [wallet, 1_000_000_000] }
    const response = await call(airdrop, { ...JSON_BODY, ...PAGE })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect((await answer(response)).result).toEqual(expect.any(String))
  })

  it('change the rent of new accounts', async () => {
    const rent = (bytes: number) => ledger.connection.getMinimumBalanceForRentExemption(bytes)
    const before = await rent(421)
    expect((await ledger.rpc('localnet_setRent', [696])).result).toBe(128 * 696)
    expect(await rent(421)).toBe(549 * 696)
    const sysvar = await ledger.connection.getAccountInfo(SYSVAR_RENT_PUBKEY, 'processed')
    expect(sysvar?.data.readBigUInt64LE()).toBe(696n)
    const { error } = await ledger.rpc('localnet_setRent', [1_000_001])
    expect(error?.message).toBe('Invalid params: lamportsPerByte; max 1000000')
    ledger.net.setRent(before / 549)
    expect(await rent(421)).toBe(before)
  })
})
