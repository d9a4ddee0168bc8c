import { afterAll, beforeAll, expect, test } from 'vitest'
import { UrlRefused } from '../../../src/platform/net/check-url.ts'
import { createDnsLookup } from '../../../src/platform/net/address-guard.ts'
import { createNetMetrics } from '../../../src/platform/net/connector.ts'
import {
  createGuardedHttp,
  type GuardedHttp,
  type GuardedHttpOptions,
} from '../../../src/platform/net/guarded-http.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { type DnsAnswer, type DnsServer, startDnsServer } from './dns-server.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { createTestCa, type TestCa } from '../../support/tls.ts'
import { scaled } from '../../support/machine-speed.ts'

/** DNS responses per name, one for each query. The last one repeats. */
const NAMES = new Map<string, DnsAnswer[]>()

const PUBLIC_NAMES = ['receiver.example', 'inside.example', 'rebinding.example']

const metrics = createMetrics()
let ca: TestCa
let dns: DnsServer
/**
 * Listens on every address of this machine, with a trusted certificate for all names below. Only
 * the guard can keep requests away from it.
 */
let canary: Receiver
let http: GuardedHttp

beforeAll(async () => {
  dns = await startDnsServer(({ name, before }) => {
    const answers = NAMES.get(name) ?? ['no_such_name']
    return answers[Math.min(before, answers.length - 1)]!
  })
  ca = await createTestCa()
  const tls = await ca.issue([...PUBLIC_NAMES, '*.hostile.example', 'localhost', '127.0.0.1', '::1'])
  canary = await startReceiver({ tls, host: '::' }).catch(() => startReceiver({ tls, host: '0.0.0.0' }))
  http = guarded({ metrics: createNetMetrics(metrics) })
})

afterAll(async () => {
  await http.close()
  await canary.close()
  await dns.close()
})

/** Expected connections to the canary. */
let reached = 0

function guarded(options: Partial<GuardedHttpOptions> = {}): GuardedHttp {
  return createGuardedHttp({
    devMode: false,
    allowedPorts: [443, canary.port],
    extraCa: ca.pem,
    lookup: createDnsLookup({ servers: [dns.address], timeoutMs: scaled(300) }),
    ...options,
  })
}

async function refusedWhenCalled(url: string): Promise<void> {
  const failed = {
    outcome: 'failed',
    errorCode: 'ssrf_blocked',
    redirected: false,
    receivedBytes: 0,
    durationMs: expect.any(Number),
  }
  expect(await http.post(url, { headers: {}, body: '{}', totalMs: 3000 })).toEqual(failed)
  expect(await http.get(url, { maxBytes: 1000, maxRedirects: 3, totalMs: 3000 })).toEqual(failed)
  expect(canary.connections).toBe(reached)
}

const PUBLIC = 'must point to a public address'
const PUBLIC_NAME = 'must name a public host'
const NO_DOT = 'must name its host in full, with a dot'
const END_DOT = 'must name its host without a dot at the end'
const INVALID = 'must be a URL with a host, such as https://example.com/path'
const USER = 'must not contain a user name or password'
const CHARACTERS = 'must not contain spaces, control characters or backslashes'

/** `PORT` is replaced by the port of the canary. */
const URLS: readonly (readonly [what: string, url: string, reason: string])[] = [
  ['loopback', 'https://127.0.0.1:PORT/', PUBLIC],
  ['another loopback', 'https://127.8.8.8:PORT/', PUBLIC],
  ['decimal', 'https://2130706433:PORT/', PUBLIC],
  ['hexadecimal', 'https://0x7f000001:PORT/', PUBLIC],
  ['hexadecimal parts', 'https://0x7f.0x0.0x0.0x1:PORT/', PUBLIC],
  ['octal', 'https://0177.0.0.1:PORT/', PUBLIC],
  ['octal number', 'https://017700000001:PORT/', PUBLIC],
  ['short', 'https://127.1:PORT/', PUBLIC],
  ['mixed and short', 'https://0x7f.1:PORT/', PUBLIC],
  ['zero', 'https://0:PORT/', PUBLIC],
  ['unspecified', 'https://0.0.0.0:PORT/', PUBLIC],
  ['trailing dot of an address', 'https://127.0.0.1.:PORT/', PUBLIC],
  ['fullwidth digits', 'https://１２７.０.０.１:PORT/', PUBLIC],
  ['circled digits', 'https://①②⑦.⓪.⓪.①:PORT/', PUBLIC],
  ['ideographic dots', 'https://127。0。0。1:PORT/', PUBLIC],
  ['percent-encoded', 'https://%31%32%37.0.0.1:PORT/', PUBLIC],
  ['private 10/8', 'https://10.0.0.1/', PUBLIC],
  ['private 172.16/12', 'https://172.31.255.255/', PUBLIC],
  ['private 192.168/16', 'https://192.168.1.1/', PUBLIC],
  ['carrier-grade NAT', 'https://100.64.0.1/', PUBLIC],
  ['metadata', 'https://169.254.169.254/latest/meta-data/', PUBLIC],
  ['metadata in decimal', 'https://2852039166/', PUBLIC],
  ['metadata of another cloud', 'https://100.100.100.200/', PUBLIC],
  ['protocol assignments', 'https://192.0.0.192/', PUBLIC],
  ['documentation', 'https://203.0.113.7/', PUBLIC],
  ['benchmarks', 'https://198.18.0.1/', PUBLIC],
  ['multicast', 'https://224.0.0.1/', PUBLIC],
  ['broadcast', 'https://255.255.255.255/', PUBLIC],
  ['IPv6 loopback', 'https://[::1]:PORT/', PUBLIC],
  ['IPv6 loopback in full', 'https://[0:0:0:0:0:0:0:1]:PORT/', PUBLIC],
  ['IPv6 unspecified', 'https://[::]:PORT/', PUBLIC],
  ['mapped', 'https://[::ffff:127.0.0.1]:PORT/', PUBLIC],
  ['mapped in hexadecimal', 'https://[::ffff:7f00:1]:PORT/', PUBLIC],
  ['compatible', 'https://[::127.0.0.1]:PORT/', PUBLIC],
  ['translated', 'https://[::ffff:0:127.0.0.1]:PORT/', PUBLIC],
  ['NAT64', 'https://[64:ff9b::127.0.0.1]:PORT/', PUBLIC],
  ['NAT64 of a local prefix', 'https://[64:ff9b:1::a9fe:a9fe]/', PUBLIC],
  ['6to4', 'https://[2002:7f00:1::]:PORT/', PUBLIC],
  ['Teredo', 'https://[2001:0:7f00:1::]:PORT/', PUBLIC],
  ['unique local', 'https://[fc00::1]/', PUBLIC],
  ['unique local metadata', 'https://[fd00:ec2::254]/', PUBLIC],
  ['IPv6 link-local', 'https://[fe80::1]/', PUBLIC],
  ['IPv6 site-local', 'https://[fec0::1]/', PUBLIC],
  ['IPv6 multicast', 'https://[ff02::1]/', PUBLIC],
  ['IPv6 documentation', 'https://[2001:db8::1]/', PUBLIC],
  ['segment routing', 'https://[5f00::1]/', PUBLIC],
  ['IPv6 with a zone', 'https://[fe80::1%25lo]:PORT/', INVALID],
  ['localhost', 'https://localhost:PORT/', PUBLIC_NAME],
  ['localhost in capitals', 'https://LOCALHOST:PORT/', PUBLIC_NAME],
  ['localhost in circles', 'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/', PUBLIC_NAME],
  ['localhost with a trailing dot', 'https://localhost.:PORT/', END_DOT],
  ['below localhost', 'https://x.localhost:PORT/', PUBLIC_NAME],
  ['.local', 'https://printer.local/', PUBLIC_NAME],
  ['.internal', 'https://metadata.google.internal/', PUBLIC_NAME],
  ['.localdomain', 'https://localhost.localdomain:PORT/', PUBLIC_NAME],
  ['home.arpa', 'https://router.home.arpa/', PUBLIC_NAME],
  ['one label', 'https://registry/', NO_DOT],
  ['a trailing dot', 'https://receiver.example.:PORT/', END_DOT],
  ['user name', 'https://user@receiver.example:PORT/', USER],
  ['password', 'https://user:secret@receiver.example:PORT/', USER],
  ['an address behind userinfo', 'https://receiver.example@127.0.0.1:PORT/', USER],
  ['empty userinfo', 'https://@127.0.0.1:PORT/', USER],
  ['fragment', 'https://receiver.example/#a', 'must not contain a fragment (#)'],
  ['empty fragment', 'https://receiver.example/#', 'must not contain a fragment (#)'],
  ['http', 'http://receiver.example/', 'must use https'],
  ['port of SSH', 'https://receiver.example:22/', 'must use port'],
  ['port of PostgreSQL', 'https://receiver.example:5432/', 'must use port'],
  ['port 0', 'https://receiver.example:0/', 'must use port'],
  ['port out of range', 'https://receiver.example:65536/', INVALID],
  ['file', 'file:///etc/passwd', INVALID],
  ['gopher', 'gopher://127.0.0.1:PORT/_x', INVALID],
  ['data', 'data:text/plain,x', INVALID],
  ['no scheme', '//127.0.0.1:PORT/', INVALID],
  ['one slash', 'https:/127.0.0.1:PORT/', INVALID],
  ['three slashes', 'https:///127.0.0.1:PORT/', INVALID],
  ['backslashes', String.raw`https:\\127.0.0.1:PORT\ `.trim(), CHARACTERS],
  ['backslash before userinfo', String.raw`https://127.0.0.1:PORT\@receiver.example/`, CHARACTERS],
  ['line break', 'https://receiver.example/\r\nHost: 127.0.0.1', CHARACTERS],
  ['tab in the host', 'https://127.0.\t0.1:PORT/', CHARACTERS],
  ['soft hyphen in the host', 'https://127.0.0.1\u{ad}:PORT/', CHARACTERS],
  ['space in front', ' https://127.0.0.1:PORT/', CHARACTERS],
  ['too long', `https://receiver.example/${'a'.repeat(2048)}`, 'must have at most 2048 characters'],
  [
    'too long when encoded',
    `https://receiver.example/${'ä'.repeat(900)}`,
    'must have at most 2048 characters when',
  ],
  ['an IPv4 address too big', 'https://256.1.1.1/', INVALID],
  ['nothing', '', INVALID],
]

test.for(URLS)('a URL is refused by its text: %s', async ([, text, reason]) => {
  const url = text.replace('PORT', String(canary.port))
  const refusal = thrownBy(() => http.checkUrl(url))
  expect(refusal).toBeInstanceOf(UrlRefused)
  expect(refusal.reason).toContain(reason)
  expect(refusal.message).not.toContain('127.0.0.1')
  await refusedWhenCalled(url)
})

function thrownBy(run: () => unknown): UrlRefused {
  try {
    run()
  } catch (error) {
    return error as UrlRefused
  }
  throw new Error('nothing was thrown')
}

const ANSWERS: readonly (readonly [what: string, answer: DnsAnswer])[] = [
  ['loopback', ['127.0.0.1']],
  ['unspecified', ['0.0.0.0']],
  ['private', ['10.1.2.3']],
  ['metadata', ['169.254.169.254']],
  ['carrier-grade NAT', ['100.64.1.1']],
  ['IPv6 loopback', ['::1']],
  ['mapped', ['::ffff:127.0.0.1']],
  ['mapped and public', ['::ffff:93.184.215.14']],
  ['compatible', ['::127.0.0.1']],
  ['NAT64', ['64:ff9b::7f00:1']],
  ['6to4', ['2002:7f00:1::1']],
  ['Teredo', ['2001:0:1::1']],
  ['unique local', ['fd12::1']],
  ['link-local', ['fe80::1']],
  ['public and loopback', ['93.184.215.14', '127.0.0.1']],
  ['public and IPv6 loopback', ['93.184.215.14', '::1']],
  [
    'loopback after many public ones',
    [...Array.from({ length: 12 }, (_, i) => `93.184.215.${i + 1}`), '127.0.0.1'],
  ],
  ['an alias of localhost', { alias: 'localhost', addresses: ['127.0.0.1'] }],
  ['an alias of metadata', { alias: 'metadata.google.internal', addresses: ['169.254.169.254'] }],
]

test.for(ANSWERS)('a URL is refused by the addresses of its name: %s', async ([what, answer]) => {
  const name = `${what.replaceAll(' ', '-').toLowerCase()}.hostile.example`
  NAMES.set(name, [answer])
  const url = `https://${name}:${canary.port}/`
  expect(http.checkUrl(url).href).toBe(url)
  await refusedWhenCalled(url)
  expect(dns.questions.filter((each) => each.name === name)).toHaveLength(4)
})

test.for([
  ['no such name', 'no_such_name'],
  ['no address', []],
  ['a name server that fails', 'server_failure'],
  ['a name server that is silent', 'silence'],
] as const)('a DNS error fails the request: %s', async ([what, answer]) => {
  const name = `${what.replaceAll(' ', '-')}.hostile.example`
  NAMES.set(name, [answer])
  const result = await http.post(`https://${name}:${canary.port}/`, { headers: {}, body: 'x' })
  expect(result).toMatchObject({ outcome: 'failed', errorCode: 'dns_error' })
  expect(result.durationMs).toBeLessThan(scaled(3_000))
})

test('a name server that does not respond to IPv6 queries causes a short delay only', async () => {
  const half = await startDnsServer(({ type }) => (type === 'A' ? ['93.184.215.14'] : 'silence'))
  const began = performance.now()
  expect(await createDnsLookup({ servers: [half.address] })('half.example')).toEqual(['93.184.215.14'])
  // Two tries without an answer take 2.4 s.
  expect(performance.now() - began).toBeLessThan(2_300)
  await half.close()
})

test('a name that was public when checked and is private when called is refused', async () => {
  const url = `https://rebound.hostile.example:${canary.port}/`
  NAMES.set('rebound.hostile.example', [['93.184.215.14']])
  expect(http.checkUrl(url).hostname).toBe('rebound.hostile.example')
  NAMES.set('rebound.hostile.example', [['127.0.0.1']])
  await refusedWhenCalled(url)
})

test('blocked requests are counted', async () => {
  const text = await metrics.metrics()
  const blocked = Number(/^gateway_net_failures_total\{code="ssrf_blocked"\} (\d+)$/m.exec(text)?.[1])
  expect(blocked).toBeGreaterThanOrEqual(2 * (URLS.length + ANSWERS.length))
  expect(text).toContain('gateway_net_sockets_opened_total 0\n')
})

// On Linux all of 127/8 is this machine: 127.0.0.2 acts as the public receiver, and 127.0.0.1 must
// not be reached.
const isNotLinux = process.platform !== 'linux'

test.skipIf(isNotLinux)(
  'the socket connects to the checked address, even if a second DNS response differs',
  async () => {
    const { receiver, outside } = await receiverOutside()
    NAMES.set('rebinding.example', [['127.0.0.2'], ['127.0.0.1']])
    const url = `https://rebinding.example:${receiver.port}/`
    expect(await outside.post(url, { headers: {}, body: 'x' })).toMatchObject({
      outcome: 'response',
      status: 200,
    })
    expect(dns.questions.filter(({ name }) => name === 'rebinding.example')).toHaveLength(2)
    await outside.close()
    await receiver.close()
  },
)

test.skipIf(isNotLinux)(
  'redirects to private addresses are refused, also by name, scheme and number',
  async () => {
    const { receiver, outside } = await receiverOutside()
    NAMES.set('receiver.example', [['127.0.0.2']])
    NAMES.set('inside.example', [['127.0.0.1']])
    const follow = async (...locations: string[]): Promise<unknown> => {
      receiver.respondWith(
        ...locations.map((location, i) => ({
          status: [301, 302, 303, 307, 308][i % 5]!,
          headers: { location },
        })),
        { body: 'end' },
      )
      const url = `https://receiver.example:${receiver.port}/start`
      return outside.get(url, { maxBytes: 100, maxRedirects: 3 })
    }
    const blocked = { outcome: 'failed', errorCode: 'ssrf_blocked' }
    const bad = { outcome: 'failed', errorCode: 'bad_redirect' }
    const port = String(canary.port)
    expect(await follow(`https://127.0.0.1:${port}/`)).toMatchObject(blocked)
    expect(await follow(`//127.0.0.1:${port}/`)).toMatchObject(blocked)
    expect(await follow(`https://[::1]:${port}/`)).toMatchObject(blocked)
    expect(await follow(`https://2130706433:${port}/`)).toMatchObject(blocked)
    expect(await follow(`https://inside.example:${port}/`)).toMatchObject(blocked)
    expect(await follow('https://169.254.169.254/latest')).toMatchObject(blocked)
    expect(await follow('/next', '/next', `https://inside.example:${port}/`)).toMatchObject(blocked)
    expect(await follow(`http://receiver.example:${receiver.port}/`)).toMatchObject(bad)
    expect(await follow('/next', '/next', '/next', '/next')).toMatchObject(bad)
    expect(await follow('https://')).toMatchObject(bad)
    expect(await follow('/next', '../other?x=1#part')).toMatchObject({
      outcome: 'response',
      status: 200,
      url: `https://receiver.example:${receiver.port}/other?x=1`,
    })
    expect(canary.connections).toBe(reached)
    await outside.close()
    await receiver.close()
  },
)

test.skipIf(isNotLinux)('a redirect is returned as a response by default, and always for POST', async () => {
  const { receiver, outside } = await receiverOutside()
  NAMES.set('receiver.example', [['127.0.0.2']])
  receiver.respondWith({ status: 307, headers: { location: `https://127.0.0.1:${canary.port}/` } })
  const url = `https://receiver.example:${receiver.port}/`
  expect(await outside.get(url, { maxBytes: 100 })).toMatchObject({ outcome: 'response', status: 307 })
  expect(await outside.post(url, { headers: {}, body: 'x' })).toMatchObject({
    outcome: 'response',
    status: 307,
  })
  await outside.close()
  await receiver.close()
})

async function receiverOutside(): Promise<{ receiver: Receiver; outside: GuardedHttp }> {
  const receiver = await startReceiver({ tls: await ca.issue(PUBLIC_NAMES), host: '127.0.0.2' })
  const outside = guarded({ allowedPorts: [receiver.port, canary.port], allowCidrs: ['127.0.0.2/32'] })
  return { receiver, outside }
}

test('dev mode reaches loopback addresses and localhost, but no other private address', async () => {
  const dev = guarded({ devMode: true, allowedPorts: [443] })
  for (const host of ['127.0.0.1', 'localhost']) {
    const answer = await dev.post(`https://${host}:${canary.port}/`, { headers: {}, body: 'x' })
    expect([host, answer.outcome]).toEqual([host, 'response'])
  }
  // This proves that the canary can be reached.
  expect(canary.connections).toBe((reached += 2))
  for (const host of ['10.0.0.1', '169.254.169.254', '[fd00:ec2::254]', '[fe80::1]', '0.0.0.0']) {
    const result = await dev.get(`https://${host}/`, { maxBytes: 10 })
    expect([host, result]).toEqual([host, expect.objectContaining({ errorCode: 'ssrf_blocked' })])
  }
  for (const url of [
    'http://8.8.8.8:22/',
    'https://receiver.example:8443/',
    'http://registry/',
    'http://printer.local/',
    'http://localhost.example:3000/',
  ]) {
    expect(() => dev.checkUrl(url)).toThrow(UrlRefused)
  }
  for (const url of ['http://receiver.example/', 'http://[::1]:3000/', 'http://a.localhost:3000/x']) {
    expect(dev.checkUrl(url).href).toBe(url)
  }
  await dev.close()
})

test('URLs of public hosts are accepted and normalised', () => {
  const called = (url: string): string => http.checkUrl(url).href
  expect(called('https://hooks.example.com/a?b=c')).toBe('https://hooks.example.com/a?b=c')
  expect(called('HTTPS://Hooks.Example.com:443')).toBe('https://hooks.example.com/')
  expect(called('https://bücher.example/ü')).toBe('https://xn--bcher-kva.example/%C3%BC')
  expect(called('https://xn--bcher-kva.example/')).toBe('https://xn--bcher-kva.example/')
  expect(called('https://8.8.8.8/')).toBe('https://8.8.8.8/')
  expect(called('https://[2606:4700::1111]/')).toBe('https://[2606:4700::1111]/')
})
