import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Keypair } from '@solana/web3.js'
import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase, urlOf } from '../support/database.ts'
import { createGatewayProcess } from '../support/gateway-process.ts'
import { type Challenge, signInWallet } from '../support/sign-in.ts'
import { walletOf } from '../support/wallet.ts'
import { perFile } from '../support/lifetime.ts'

const feePayer = Keypair.generate()
const json = { 'content-type': 'application/json' }

const database = perFile(() => createTestDatabase())
const gateway = perFile(() =>
  createGatewayProcess({
    DATABASE_URL: urlOf(database),
    SEED_AGENTS: '0',
    LOG_LEVEL: 'debug',
    FEE_PAYER_KEYPAIR: JSON.stringify([...feePayer.secretKey]),
    WEBHOOK_SECRETS_KEY: '9c'.repeat(32),
  }),
)
let baseUrl: string
beforeAll(async () => {
  baseUrl = (await gateway.start()).baseUrl
})

/** Signs in with the text of the challenge, as a wallet without `solana:signIn` does. */
async function signIn(call: (path: string, init: RequestInit) => Promise<Response>): Promise<string> {
  const wallet = signInWallet('logged')
  const post = (path: string, body: object) =>
    call(path, { method: 'POST', headers: json, body: JSON.stringify(body) })
  const challenge = (await (await post('/auth/challenge', { wallet: wallet.address })).json()) as Challenge
  const message = challenge.message ?? ''
  const created = await post('/auth/session', { message, signature: wallet.sign(message) })
  expect(created.status).toBe(201)
  return ((await created.json()) as { token: string }).token
}

test('the log at level debug has request ids and no secrets', async () => {
  const call = (path: string, init: RequestInit = {}) => fetch(`${baseUrl}${path}`, init)
  const inviteCode = readFileSync(join(gateway.dataDir, 'invite-code'), 'utf8').trim()
  const signed = walletOf('logged').headers('POST', '/webhooks', Date.now())
  const body = JSON.stringify({ url: 'http://127.0.0.1:9/hook', eventTypes: ['agent.registered'] })
  const made = await call('/webhooks', {
    method: 'POST',
    headers: { ...json, ...signed, 'x-request-id': 'traced-1' },
    body,
  })
  expect(made.status).toBe(201)
  const { secret } = (await made.json()) as { secret: string }
  expect(secret).toMatch(/^whsec_/)
  // A used signature, a wrong one, invalid input, and a registration without instructions.
  expect((await call('/webhooks', { method: 'POST', headers: { ...json, ...signed }, body })).status).toBe(
    201,
  )
  const other = walletOf('logged').headers('POST', '/elsewhere', Date.now())
  expect((await call('/webhooks', { method: 'POST', headers: { ...json, ...other }, body })).status).toBe(401)
  const owner = Keypair.generate().publicKey.toBase58()
  const registration = JSON.stringify({ instructions: [], signerPubkey: owner, inviteCode })
  expect(
    (await call('/sponsor/register', { method: 'POST', headers: json, body: registration })).status,
  ).toBe(400)
  expect((await call(`/sponsor/eligibility?wallet=${owner}&code=${inviteCode}`)).status).toBe(200)
  expect((await call('/agents?limit=0')).status).toBe(400)
  // A sign-in with its token, and a token in a URL.
  const token = await signIn(call)
  const authorization = `Bearer ${token}`
  expect((await call('/auth/session', { headers: { authorization } })).status).toBe(200)
  expect((await call(`/auth/session?all=${token}`, { headers: { authorization } })).status).toBe(400)
  expect((await call('/webhooks', { headers: { authorization: `${authorization}x` } })).status).toBe(401)
  expect(await gateway.stop()).toBe(0)
  const log = gateway.output()
  expect(log).toContain('"reqId":"traced-1"')
  expect(log).toContain('/sponsor/eligibility')
  const lines = log.split('\n').filter((line) => !line.includes('the gateway is ready'))
  const secrets = {
    secret,
    bare: secret.replace(/^whsec_/, ''),
    inviteCode,
    signature: signed['x-wallet-signature'] ?? '',
    feePayer: [...feePayer.secretKey].slice(0, 8).join(','),
    key: '9c'.repeat(8),
    token: token.replace('ars_', ''),
  }
  for (const [name, value] of Object.entries(secrets))
    expect([name, lines.filter((line) => line.includes(value))]).toEqual([name, []])
})
