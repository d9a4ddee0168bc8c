import { createPrivateKey, sign } from 'node:crypto'
import { parseSignInMessage, verifySignIn } from '@solana/wallet-standard-util'
import bs58 from 'bs58'
import nacl from 'tweetnacl'
import { describe, expect, test } from 'vitest'
import { quoted } from '../../../src/domain/quoted.ts'
import { createAppOfTest, FIXED_NOW, NO_LEDGER, type TestApp, useTestApp } from '../../support/app.ts'
import { requestChallenge, type SignedMessage, signInWallet } from '../../support/sign-in.ts'
import { refused, responseOf } from '../../support/refusal.ts'

const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
const PAGE = 'https://app.example.org'
let now = FIXED_NOW
const options = {
  clock: { now: () => now },
  ledger: { call: async <Result>() => GENESIS as Result },
  signInOrigins: { origins: ['https://gateway.example.org', PAGE], anyLoopback: false },
}
const t = useTestApp(options)
const replica = useTestApp(() => ({ ...options, database: t.database }))

const wallet = signInWallet('sign-in')
const open = async (payload: object, { app }: TestApp = t): Promise<[number, Record<string, unknown>]> => {
  const response = await app.inject({ method: 'POST', url: '/auth/session', payload })
  return [response.statusCode, response.json()]
}
const refusal = async (signed: object): Promise<string> => {
  const [status, { error }] = await open(signed)
  return `${status} ${String(error)}`
}

const USED = '401 The nonce is unknown, expired or already used. Request a new challenge.'
const replace = (part: RegExp | string, by: string) => (text: string) => text.replace(part, by)

describe('POST /auth/challenge', () => {
  test('returns the input for solana:signIn, and the text that the Wallet Standard writes for it', async () => {
    const { input, message, expiresAt } = await requestChallenge(t, { wallet: wallet.address, origin: PAGE })
    expect(input).toEqual({
      domain: 'app.example.org',
      address: wallet.address,
      statement: 'Sign in to the agent registry. This sends no transaction and costs nothing.',
      uri: PAGE,
      version: '1',
      chainId: 'solana:mainnet',
      nonce: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{16,22}$/),
      issuedAt: new Date(now).toISOString(),
      expirationTime: new Date(now + 300_000).toISOString(),
    })
    expect(expiresAt).toBe(input.expirationTime)
    expect(message).toBe(wallet.signIn(input).message)
    expect(parseSignInMessage(new TextEncoder().encode(message!))).toMatchObject(input)
  })

  test('without a wallet, the input has no address, and without an origin that of the service', async () => {
    const { input, message } = await requestChallenge(t)
    expect(input).not.toHaveProperty('address')
    expect([input.domain, input.uri, message]).toEqual([
      'gateway.example.org',
      'https://gateway.example.org',
      null,
    ])
  })

  test.each(['https://evil.example', `${PAGE}/`, 'http://app.example.org', 'http://localhost:5173', 'x', ''])(
    'the origin %j is refused with the allowed ones',
    async (origin) => {
      const response = await t.app.inject({ method: 'POST', url: '/auth/challenge', payload: { origin } })
      expect(responseOf(response)).toEqual(
        refused(
          400,
          'SIGN_IN_ORIGIN',
          `origin must be one of https://gateway.example.org, ${PAGE}, got ${JSON.stringify(origin)}`,
          { parameter: 'origin' },
        ),
      )
    },
  )
})

describe('POST /auth/session', () => {
  test('opens a session of the wallet that signed', async () => {
    const { input } = await requestChallenge(t)
    const [status, body] = await open(wallet.signIn(input))
    expect([status, body]).toEqual([
      201,
      {
        token: expect.stringMatching(/^ars_[\w-]{43}$/),
        wallet: wallet.address,
        createdAt: new Date(now).toISOString(),
        expiresAt: new Date(now + 43_200_000).toISOString(),
      },
    ])
    const rows = await t.kysely.selectFrom('wallet_sessions').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(String(body['token']).slice(4))
  })

  test('a wallet without solana:signIn signs the text of the challenge, and sends base64', async () => {
    const { message } = await requestChallenge(t, { wallet: wallet.address })
    const signature = Buffer.from(bs58.decode(wallet.sign(message!))).toString('base64')
    expect(await open({ message, signature })).toMatchObject([201, { wallet: wallet.address }])
  })

  test('a wallet may choose another of its accounts', async () => {
    const other = signInWallet('other account')
    const { input } = await requestChallenge(t, { wallet: wallet.address })
    const { address: _, ...rest } = input
    expect(await open(other.signIn(rest))).toMatchObject([201, { wallet: other.address }])
  })

  test.each<[string, (text: string) => string]>([
    ['without a statement', replace(/Sign in.*\n\n/, '')],
    ['without a statement, as EIP-4361 writes it', replace(/Sign in.*\n/, '')],
    ['with another statement', replace(/Sign in .*/, 'Log in')],
    ['with a statement of another script', replace('Sign in', 'وارد می\u200cشوید 👩\u200d💻')],
    ['with times of microseconds', replace(/(Issued At: .*)Z/, '$1456Z')],
    ['with times of an offset', replace(/(Issued At: .*)Z/, '$1+00:00')],
    ['with an address at the root of the page', replace(`URI: ${PAGE}`, `URI: ${PAGE}/`)],
    ['with a path in the URI', replace(`URI: ${PAGE}`, `URI: ${PAGE}/login?x=1`)],
    ['with the chain as a bare name', replace('solana:mainnet', 'mainnet')],
    ['with the chain in CAIP-2', replace('mainnet', GENESIS.slice(0, 32))],
    ['with the reference of CAIP-2', replace('solana:mainnet', GENESIS.slice(0, 32))],
    ['without an expiration', replace(/\nExpiration Time.*/, '')],
    ['with more fields', (text) => `${text}\nNot Before: 2026-11-20T00:00:00Z\nRequest ID: 1`],
    ['with resources', (text) => `${text}\nResources:\n- ipfs://x\n- https://example.org`],
    ['with a line feed at the end', (text) => `${text}\n`],
  ])('accepts the message of a wallet that writes it %s', async (_, change) => {
    const { input } = await requestChallenge(t, { origin: PAGE })
    const signed = wallet.signIn(input, change)
    expect(signed.message).not.toBe(wallet.signIn(input).message)
    expect(await refusal(signed)).toBe('201 undefined')
  })

  const line = (name: string, value: string) => (text: string) =>
    text.replace(new RegExp(`^${name}: .*$`, 'm'), `${name}: ${value}`)
  const ORIGINS = `https://gateway.example.org, ${PAGE}`
  test.each<[string, (text: string) => string, string]>([
    [
      'another domain',
      replace(/^app.example.org/, 'evil.example'),
      'the domain must be "app.example.org" as in URI, got "evil.example"',
    ],
    [
      'another domain and URI',
      (text) => text.replaceAll('app.example.org', 'evil.example'),
      `URI must be a page of ${ORIGINS}, got "https://evil.example"`,
    ],
    [
      'the domain of another allowed page',
      replace(/^app.example.org/, 'gateway.example.org'),
      'the domain must be "app.example.org" as in URI, got "gateway.example.org"',
    ],
    [
      'a URI with a user name',
      line('URI', 'https://app.example.org@evil.example'),
      `URI must be a page of ${ORIGINS}, got "https://app.example.org@evil.example"`,
    ],
    ...[
      'https://evil.example@app.example.org',
      'https://app.example.org:x@app.example.org/login',
      'https:app.example.org',
      'https:\\\\app.example.org',
      'HTTPS://APP.EXAMPLE.ORG',
      'https://app.example.org:443',
    ].map((uri): [string, (text: string) => string, string] => [
      `the URI ${uri}`,
      line('URI', uri),
      `URI must be a page of ${ORIGINS}, got ${JSON.stringify(uri)}`,
    ]),
    [
      'a blob: URL of the page, which has no host',
      (text) => text.replace(/^app.example.org/, '').replace('URI: ', 'URI: blob:'),
      `URI must be a page of ${ORIGINS}, got "blob:${PAGE}"`,
    ],
    ['another version', line('Version', '2'), 'Version must be 1, got "2"'],
    [
      'another chain',
      line('Chain ID', 'solana:devnet'),
      'Chain ID must be solana:mainnet, got "solana:devnet"',
    ],
    ['no nonce', replace(/\nNonce.*/, ''), 'the line "Nonce: …" is missing'],
    [
      'a nonce that is not one',
      line('Nonce', "' or 1=1"),
      `Nonce must be that of the challenge, got "' or 1=1"`,
    ],
    [
      'a repeated line',
      (text) => `${text}\nNonce: HWmtHVUiLwgvvBAM3HT1jZ`,
      'the line "Nonce: HWmtHVUiLwgvvBAM3HT1jZ" is unknown, repeated or in the wrong place',
    ],
    [
      'fields in the statement',
      replace('Sign in', 'URI: https://evil.example'),
      'the line "" is unknown, repeated or in the wrong place',
    ],
    [
      'a statement of several lines',
      replace('Sign in', 'Sign\nin'),
      'an empty line, one line of text and an empty line must follow the address',
    ],
    ...['yesterday', '1', '2026', '2026-11-21', '2026-11-21T06:29', '21 Nov 2026 06:29:22 GMT'].flatMap(
      (time) =>
        ['Issued At', 'Expiration Time'].map((name): [string, (text: string) => string, string] => [
          `${name} ${time}`,
          line(name, time),
          `${name} must be an RFC 3339 time, got "${time}"`,
        ]),
    ),
    ...['\r', '\t', '\0', '\u0085', '\u2028', '\u2029', '\u202e', '\u2066', '\u200f', '\u061c'].flatMap(
      (character): [string, (text: string) => string, string][] => {
        const code = character.charCodeAt(0).toString(16).padStart(4, '0')
        const expected = `control and bidirectional characters are not allowed, got ${quoted(character)}`
        return [
          [`${code} in the statement`, replace('Sign in', `Sign${character}in`), expected],
          [`${code} in the last line`, (text) => `${text}\nRequest ID: ${character}`, expected],
        ]
      },
    ),
    [
      'an address that is not one',
      replace(/^.{32,44}$/m, 'me'),
      'the second line must be the address of the wallet, got "me"',
    ],
    ['more than 2 KB', replace('Sign in', 'x'.repeat(2_000)), 'it has more than 2048 bytes'],
    [
      'another first line',
      replace('Solana', 'Ethereum'),
      'the first line must end with "wants you to sign in with your Solana account:"',
    ],
  ])('refuses a signed message with %s', async (_, change, problem) => {
    const { input } = await requestChallenge(t, { origin: PAGE })
    const expected = `400 Invalid sign-in message: ${problem}`
    expect(await refusal(wallet.signIn(input, change))).toBe(expected)
  })

  const later = new Date(FIXED_NOW + 61_000).toISOString()
  test.each<[string, (text: string) => string]>([
    ['an expiration that has passed', line('Expiration Time', new Date(FIXED_NOW - 1).toISOString())],
    ['a later start', (text) => `${text}\nNot Before: ${later}`],
    ['a time of issue more than 60 s ahead', line('Issued At', later)],
  ])('refuses a signed message with %s', async (_, change) => {
    const { input } = await requestChallenge(t, { origin: PAGE })
    expect(await refusal(wallet.signIn(input, change))).toBe(
      '401 The sign-in message has expired or is not valid yet. Request a new challenge.',
    )
  })

  test('refuses a signed message with a nonce of its own', async () => {
    const { input } = await requestChallenge(t, { origin: PAGE })
    expect(await refusal(wallet.signIn(input, line('Nonce', 'HWmtHVUiLwgvvBAM3HT1jZ')))).toBe(USED)
  })

  const SIGNATURE = '401 Invalid signature: the wallet that the message names must sign exactly this message'
  test('refuses a message that names another wallet than the one that signed', async () => {
    const victim = signInWallet('victim')
    const { input } = await requestChallenge(t)
    const { message } = victim.signIn(input)
    const signed = { message, signature: wallet.sign(message) }
    expect(await refusal(signed)).toBe(SIGNATURE)
    // The library of the Wallet Standard accepts it, so it does not decide here.
    const output = {
      account: { publicKey: bs58.decode(wallet.address) },
      signedMessage: new TextEncoder().encode(message),
      signature: bs58.decode(signed.signature),
    }
    expect(verifySignIn({ ...input }, output as never)).toBe(true)
  })

  test('refuses a changed text, another signature and one that is not encoded as documented', async () => {
    const { input } = await requestChallenge(t)
    const { message, signature } = wallet.signIn(input)
    expect(await refusal({ message: message.replace('costs nothing', 'is free'), signature })).toBe(SIGNATURE)
    expect(await refusal({ message, signature: wallet.sign('another text') })).toBe(SIGNATURE)
    for (const encoded of [signature.slice(0, 63), 'x', 'A'.repeat(86), `${'A'.repeat(2_000)}==`])
      expect(await refusal({ message, signature: encoded })).toMatch(
        /^400 signature must be 64 bytes in base-58 or base64, got "/,
      )
    expect(await refusal({ message })).toBe('400 signature is required')
    expect(await refusal({ signature })).toBe('400 message is required')
    expect(await refusal({ message, signature })).toBe('201 undefined')
  })

  test.each([
    ['the all-zero key', '11111111111111111111111111111111'],
    ['the identity key', bs58.encode(Buffer.from(`01${'00'.repeat(31)}`, 'hex'))],
  ])('refuses a made-up signature of %s', async (_, address) => {
    const { input } = await requestChallenge(t)
    const { message } = wallet.signIn({ ...input, address })
    const identity = Buffer.alloc(64)
    identity[0] = 1
    for (const signature of [bs58.encode(identity), bs58.encode(Buffer.alloc(64))])
      expect(await refusal({ message, signature })).toBe(SIGNATURE)
  })
})

describe('a nonce', () => {
  test('opens one session, whatever number of requests two replicas receive at once', async () => {
    const { input } = await requestChallenge(t)
    const signed = wallet.signIn(input)
    const results = await Promise.all(Array.from({ length: 10 }, (_, i) => open(signed, i % 2 ? t : replica)))
    expect(results.filter(([status]) => status === 201)).toHaveLength(1)
    expect(results.filter(([status]) => status === 401)).toHaveLength(9)
    expect(await refusal(signed)).toBe(USED)
  })

  test('is not used up by a message that is refused', async () => {
    const { input } = await requestChallenge(t)
    const signed = wallet.signIn(input)
    expect(await refusal({ ...signed, signature: wallet.sign('x') })).toMatch(/^401 Invalid signature/)
    expect(await refusal(signed)).toBe('201 undefined')
  })

  test('expires after five minutes, also if the message says nothing about it', async () => {
    const start = now
    const withoutTime = (text: string) => text.replace(/\nExpiration Time.*/, '')
    const { input } = await requestChallenge(t)
    const { input: late } = await requestChallenge(t)
    now = start + 299_999
    expect(await refusal(wallet.signIn(input, withoutTime))).toBe('201 undefined')
    now = start + 300_000
    expect(await refusal(wallet.signIn(late))).toMatch(/^401 The sign-in message has expired/)
    expect(await refusal(wallet.signIn(late, withoutTime))).toBe(USED)
    now = start
  })

  test('that expired is deleted by the next challenges', async () => {
    const expires_at = new Date(now - 400_000).toISOString()
    const rows = Array.from({ length: 15 }, (_, i) => ({ nonce: `old ${i}`, expires_at }))
    await t.kysely.insertInto('sign_in_challenges').values(rows).execute()
    const left = async () =>
      (
        await t.kysely
          .selectFrom('sign_in_challenges')
          .select('nonce')
          .where('nonce', 'like', 'old %')
          .execute()
      ).length
    const counts: number[] = []
    for (let i = 0; i < 2; i += 1) {
      await requestChallenge(t)
      counts.push(await left())
    }
    expect(counts).toEqual([5, 0])
  })
})

test('a key of WebCrypto or OpenSSL signs in without a wallet library', async () => {
  const seed = nacl.sign.keyPair()
  const pkcs8 = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.from(seed.secretKey.subarray(0, 32)),
  ])
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  const { message } = await requestChallenge(t, { wallet: bs58.encode(seed.publicKey) })
  const signed: SignedMessage = {
    message: message!,
    signature: sign(null, Buffer.from(message!), key).toString('base64'),
  }
  expect(await open(signed)).toMatchObject([201, { wallet: bs58.encode(seed.publicKey) }])
})

test('pages of the same machine may sign in while anyLoopback is set, and no other pages', async () => {
  const development = await createAppOfTest({
    database: t.database,
    ledger: { call: async <Result>() => GENESIS as Result },
    signInOrigins: { origins: ['http://localhost:3000'], anyLoopback: true },
  })
  const challenge = async (origin: string) =>
    (await development.app.inject({ method: 'POST', url: '/auth/challenge', payload: { origin } })).statusCode
  for (const origin of [
    'http://localhost:5173',
    'http://127.0.0.1:8080',
    'http://[::1]:1',
    'https://localhost',
  ])
    expect([origin, await challenge(origin)]).toEqual([origin, 200])
  for (const origin of ['http://localhost.example.org', 'http://192.168.0.1', 'ftp://localhost'])
    expect([origin, await challenge(origin)]).toEqual([origin, 400])
  const { input } = await requestChallenge(development, { origin: 'http://localhost:5173' })
  expect(await open(wallet.signIn(input), development)).toMatchObject([201, { wallet: wallet.address }])
  expect(await refusal(wallet.signIn(input))).toMatch(/^400 Invalid sign-in message: URI must be/)
})

test('if no ledger node was ever reached, a sign-in is 503', async () => {
  const bare = await createAppOfTest({ ledger: NO_LEDGER })
  await bare.kysely.deleteFrom('indexer_state').execute()
  const response = await bare.app.inject({ method: 'POST', url: '/auth/challenge', payload: {} })
  expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5'])
})
