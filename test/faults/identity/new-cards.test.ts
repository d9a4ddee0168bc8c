import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createNewCardChecks } from '../../../src/identity/agent-cards/check-new-card.ts'
import { NEW_CARD_CHECKS } from '../../../src/identity/agent-cards/limits.ts'
import { MAX_PUBLISHED_CARD } from '../../../src/identity/agent-cards/publish-card.ts'
import { createGuardedHttp, type GuardedHttp } from '../../../src/platform/net/guarded-http.ts'
import { createByteBudget } from '../../../src/platform/net/hosted/fetch-hosted.ts'
import { createTestApp, FIXED_NOW, type TestApp } from '../../support/app.ts'
import { post, query } from '../../support/graphql.ts'
import { perTest } from '../../support/lifetime.ts'
import { scaled } from '../../support/machine-speed.ts'
import { type Receiver, type Reply, startReceiver } from '../../support/receiver.ts'
import { createTestCa } from '../../support/tls.ts'

const CARD = JSON.stringify({
  name: 'Scout',
  description: 'Looks around.',
  version: '1.0.0',
  supportedInterfaces: [
    { url: 'https://scout.test/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ],
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [{ id: 'look', name: 'Look', description: 'Looks.', tags: [] }],
})
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const HASH = sha256(CARD)

/** Addresses for each query of a name, the last one for all further ones. */
const ADDRESSES: Record<string, string[][]> = {
  'private.test': [['10.0.0.1']],
  'metadata.test': [['169.254.169.254']],
  'loopback.test': [['127.0.0.2']],
  'mixed.test': [['127.0.0.1', '127.0.0.2']],
}
const asked: Record<string, number> = {}
const lookup = async (name: string): Promise<string[]> => {
  const answers = ADDRESSES[name] ?? [['127.0.0.1']]
  asked[name] = (asked[name] ?? 0) + 1
  return answers[Math.min(asked[name], answers.length) - 1]!
}

interface World {
  /** The only public address is that of `host`. */
  readonly host: Receiver
  /** Only the guard can keep requests away from it. It has the port of `host`. */
  readonly inside: Receiver
  readonly http: GuardedHttp
  readonly close: () => Promise<void>
}

async function createWorld(): Promise<World> {
  const ca = await createTestCa()
  const tls = await ca.issue(['cards.test', '*.cards.test', 'rebinding.test', ...Object.keys(ADDRESSES)])
  const host = await startReceiver({ tls })
  const inside = await startReceiver({ tls, host: '127.0.0.2', port: host.port })
  const http = createGuardedHttp({
    devMode: false,
    allowedPorts: [host.port],
    allowCidrs: ['127.0.0.1/32'],
    extraCa: ca.pem,
    lookup,
  })
  const close = async (): Promise<void> => {
    await Promise.all([http.close(), host.close(), inside.close()])
  }
  return { host, inside, http, close }
}

const world = perTest(createWorld)
let apps: TestApp[] = []
let timers: NodeJS.Timeout[] = []
afterEach(async () => {
  for (const timer of timers) clearInterval(timer)
  for (const app of apps) await app.close()
  ;[apps, timers] = [[], []]
})

async function openApp(verify?: number): Promise<TestApp> {
  const hosted = { http: world.http, gateways: { ipfs: null, arweave: null } }
  const app = await createTestApp({ hosted, ...(verify !== undefined && { rateLimits: { verify } }) })
  apps.push(app)
  return app
}

/** Without an app, whose timers come and go. */
const checksWith = (totalMs: number) =>
  createNewCardChecks(
    {
      http: world.http,
      gateways: { ipfs: null, arweave: null },
      budget: createByteBudget({ now: () => FIXED_NOW }),
      cardUrlOf: async () => null,
      totalMs,
    },
    { now: () => FIXED_NOW },
  )

const url = (path = '/card', name = 'cards.test'): string => world.host.url(path, name)
const CHECK = `query ($source: AgentCardSource!, $hash: String) {
  checkAgentCard(source: $source, hash: $hash) { state reason matchedBy hash a2aVersion problems { path problem } }
}`
interface Verdict {
  state: string
  reason: string | null
  hash: string | null
  problems: { path: string; problem: string }[]
}
async function check(t: TestApp, source: object, hash?: string): Promise<Verdict> {
  return (await query<{ checkAgentCard: Verdict }>(t, CHECK, { source, hash })).checkAgentCard
}
async function refusal(t: TestApp, source: object, hash?: string): Promise<string> {
  const [error] = (await post(t, CHECK, { source, hash })).errors ?? []
  return error === undefined ? 'none' : `${error.extensions.code} ${error.message}`
}
const timeouts = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

test('a hosted card is compared with the hash, by its bytes and its canonical form, and by the rules of A2A', async () => {
  const t = await openApp()
  world.host.respondWith({ body: CARD })
  const valid = {
    state: 'MATCHED',
    reason: null,
    matchedBy: 'RAW',
    hash: HASH,
    a2aVersion: '1.0',
    problems: [],
  }
  expect(await check(t, { url: url() }, HASH.toUpperCase())).toEqual(valid)
  expect(await check(t, { url: url() })).toEqual({ ...valid, state: 'UNCHECKED', matchedBy: null })
  expect(await check(t, { url: url() }, 'ab'.repeat(32))).toEqual({
    ...valid,
    state: 'MISMATCHED',
    reason: 'The hosted card has another hash, and so does its canonical form',
    matchedBy: null,
  })
  // All of them shared a fetch.
  expect(world.host.requests).toHaveLength(1)
  world.host.respondWith({ body: '{"name":"","url":"http://a.test","skills":[{"id":"a"}]}' })
  const invalid = await check(t, { url: url('/invalid') })
  expect(invalid).toMatchObject({ a2aVersion: '0.3' })
  expect(invalid.problems.map(({ path, problem }) => `${path} ${problem}`)).toEqual([
    'name must be a text that is not empty',
    'description is missing',
    'version is missing',
    'capabilities is missing',
    'defaultInputModes is missing',
    'defaultOutputModes is missing',
    'skills[0].name is missing',
    'skills[0].description is missing',
    'skills[0].tags is missing',
    'url must be a URL that begins with https',
    'protocolVersion is missing',
  ])
})

test('a card that is sent as text is checked by the same rules, and nothing is fetched', async () => {
  const t = await openApp()
  expect(await check(t, { card: CARD }, HASH)).toMatchObject({ state: 'MATCHED', hash: HASH, problems: [] })
  const problems = async (card: string) => (await check(t, { card })).problems
  expect(await problems('{')).toEqual([{ path: '', problem: 'must be JSON' }])
  expect(await problems('[]')).toEqual([{ path: '', problem: 'must be a JSON object' }])
  expect(await problems('{"name":"a","name":"b"}')).toEqual([
    { path: '', problem: expect.stringContaining('the key "name" twice') as unknown },
  ])
  expect(await problems(CARD.replace('https://scout.test/a2a', 'scout.test'))).toEqual([
    { path: 'supportedInterfaces[0].url', problem: 'must be a URL that begins with https' },
  ])
  expect(await problems(`{"skills":[${'{},'.repeat(99)}{}]}`)).toHaveLength(20)
  const longest = `${CARD}${' '.repeat(MAX_PUBLISHED_CARD - CARD.length)}`
  expect(await problems(longest)).toEqual([])
  expect(await refusal(t, { card: `${longest} ` })).toMatch(
    /^INVALID_TEXT card must have at most 16384 bytes/,
  )
  expect(world.host.connections).toBe(0)
})

test('arguments that cannot be checked are refused', async () => {
  const t = await openApp()
  expect(await refusal(t, { url: 'http://cards.test/' })).toMatch(
    /^INVALID_TEXT url must begin with https, ipfs/,
  )
  expect(await refusal(t, { url: `https://cards.test/${'a'.repeat(200)}` })).toMatch(
    /^INVALID_TEXT url must have/,
  )
  expect(await refusal(t, { url: 'file:///etc/passwd' })).toMatch(/^INVALID_TEXT/)
  expect(await refusal(t, { url: url(), card: CARD })).toMatch(/^INVALID_REQUEST/)
  expect(await refusal(t, {})).toMatch(/^INVALID_REQUEST/)
  expect(await refusal(t, { card: CARD }, 'abc')).toMatch(/^INVALID_TYPE hash must be a SHA-256 hash/)
  expect(world.host.connections).toBe(0)
})

test('no private address is called, by its number, a name, a redirect or a second DNS response, and all read alike', async () => {
  const t = await openApp()
  const NO_ADDRESS = 'The host has no public address'
  const { port } = world.host
  const numbers = ['127.0.0.2', '2130706434', '[::1]', '10.0.0.1', '169.254.169.254']
  for (const address of numbers)
    expect((await check(t, { url: `https://${address}:${port}/` })).reason).toBe(
      'The URL must point to a public address',
    )
  expect((await check(t, { url: 'https://cards.test:22/' })).reason).toMatch('The URL must use port')
  for (const name of ['private.test', 'metadata.test', 'loopback.test'])
    expect((await check(t, { url: url('/', name) })).reason).toBe(NO_ADDRESS)
  const targets = [url('/', 'loopback.test'), `https://127.0.0.2:${port}/`, 'https://metadata.test/latest']
  for (const [i, location] of targets.entries()) {
    world.host.respondWith({ status: 302, headers: { location } })
    expect((await check(t, { url: url(`/redirect${i}`) })).reason).toBe(NO_ADDRESS)
  }
  // The name is public when it is asked first, and private for the redirect to itself.
  ADDRESSES['rebinding.test'] = [['127.0.0.1'], ['127.0.0.2']]
  const close = { status: 302, headers: { location: url('/again', 'rebinding.test'), connection: 'close' } }
  world.host.respondWith(close)
  const rebound = await check(t, { url: url('/', 'rebinding.test') })
  expect(rebound).toMatchObject({ state: 'UNREACHABLE', reason: NO_ADDRESS, hash: null, problems: [] })
  expect(asked['rebinding.test']).toBe(2)
  world.host.respondWith({ body: CARD })
  await check(t, { url: url('/', 'mixed.test') })
  expect(world.inside.connections).toBe(0)
})

/** Writes `again` to the socket every 20 ms, or all that fits. */
const drip: Reply = (_, { socket }) => {
  socket!.write('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n')
  timers.push(setInterval(() => socket!.write('a'), 20))
}
const sockets: Socket[] = []
const endless: Reply = (_, response) => {
  sockets.push(response.socket!)
  const chunk = Buffer.alloc(65_536, 'x')
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more).writeHead(200)
  more()
}

test('a host that is silent, slow or endless holds neither sockets nor timers', async () => {
  const { check: run } = checksWith(scaled(500))
  const before = timeouts()
  const reasons: (string | null)[] = []
  for (const [i, reply] of [() => undefined, drip, endless].entries()) {
    world.host.respondWith(reply)
    reasons.push((await run({ url: url(`/${i}`) })).reason)
    for (const timer of timers.splice(0)) clearInterval(timer)
  }
  const late = 'The host did not respond in time'
  expect(reasons).toEqual([late, late, 'The document is too large'])
  expect(sockets.at(-1)!.bytesWritten).toBeLessThan(16 * 1024 * 1024)
  await expect.poll(() => world.host.openConnections).toBe(0)
  expect(timeouts()).toBeLessThanOrEqual(before)
})

test('100 checks of one URL at once are one request, and of 100 URLs of one site four', async () => {
  const t = await openApp()
  const hundred = (of: (i: number) => string) =>
    Promise.all(Array.from({ length: 100 }, (_, i) => post(t, CHECK, { source: { url: of(i) } })))
  world.host.respondWith({ body: CARD })
  const shared = await hundred(() => url())
  expect(shared.filter(({ errors }) => errors === undefined)).toHaveLength(100)
  expect(world.host.requests).toHaveLength(1)
  // They hang until all others were refused.
  const held: (() => void)[] = []
  world.host.respondWith((_, response) => void held.push(() => response.end(CARD)))
  const running = hundred((i) => url(`/${i}`, `a${i}.cards.test`))
  const { site } = NEW_CARD_CHECKS.atOnce
  await expect.poll(() => held.length).toBe(site)
  for (const end of held) end()
  const answers = await running
  const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'ok')
  expect(codes.filter((code) => code === 'ok')).toHaveLength(site)
  expect(codes.filter((code) => code === 'CARD_CHECKS_BUSY')).toHaveLength(100 - site)
  expect(world.host.requests).toHaveLength(1 + site)
  expect(world.host.openConnections).toBeLessThanOrEqual(site + 1)
  await world.http.close()
  await expect.poll(() => world.host.openConnections).toBe(0)
})

test('the cards of a site are fetched at most 60 times a minute, and each client has a limit of its own', async () => {
  world.host.respondWith({ body: CARD })
  const { check: run } = checksWith(scaled(10_000))
  const max = NEW_CARD_CHECKS.perMinute.site
  for (let i = 0; i < max; i += 1) expect((await run({ url: url(`/${i}`) })).state).toBe('unchecked')
  await expect(run({ url: url('/more') })).rejects.toMatchObject({ code: 'CARD_CHECKS_BUSY', status: 503 })
  expect(world.host.requests).toHaveLength(max)
  const t = await openApp(2)
  const both = (of: string) =>
    `{ a: checkAgentCard(source: ${of}) { state } b: checkAgentCard(source: ${of}) { state } }`
  expect((await post(t, both('{ card: "{}" }'))).errors).toBeUndefined()
  const [error] = (await post(t, both(`{ url: "${url()}" }`))).errors ?? []
  expect(error?.extensions.code).toBe('RATE_LIMITED')
})
