import { createHash, randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { WebSocket } from 'ws'
import { registryAddresses, registryInstruction } from '@agent-registry/program'
import { createPersistedDocuments } from '../../../rest/graphql/persisted-documents.ts'
import { limitReading } from '../../../rest/graphql/socket-reading.ts'
import { subscribedAgents } from '../../../rest/mcp/subscriptions.ts'
import { SseTransport } from '../../../rest/mcp/sse-transport.ts'
import { clientNetwork } from '../../../src/domain/client-network.ts'
import { createRateLimitCounter } from '../../../src/db/rate-limit-counter.ts'
import { checkCard } from '../../../src/identity/agent-cards/check-card.ts'
import { readCardContent } from '../../../src/identity/agent-cards/card-content.ts'
import { CARD_QUEUES, CREDENTIAL_FETCHES } from '../../../src/identity/agent-cards/limits.ts'
import { createFetchQueue } from '../../../src/identity/fetch-queue.ts'
import { CREDENTIALS_V2 } from '../../../src/identity/credentials/contexts/pinned.ts'
import { checkContext } from '../../../src/identity/credentials/verify/checks/context.ts'
import { checkProofPresent } from '../../../src/identity/credentials/verify/checks/proof-present.ts'
import { createVerifier } from '../../../src/identity/credentials/verify/verifier.ts'
import { trustRegistry } from '../../../src/identity/credentials/trusted-issuers/issuer.ts'
import { parseStatusEntries } from '../../../src/identity/credentials/verify/status/entries.ts'
import { createSiteSlots } from '../../../src/identity/site-slots.ts'
import { createStreams, STREAM_LIMITS } from '../../../src/live-events/streams.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { createGuardedHttp } from '../../../src/platform/net/guarded-http.ts'
import { createAdmission } from '../../../src/platform/overload/admission.ts'
import type { RateLimitKind } from '../../../src/platform/rate-limits/kinds.ts'
import { createRateLimits } from '../../../src/platform/rate-limits/rate-limits.ts'
import { createTransactionStore } from '../../../src/relay/transaction-store.ts'
import { maxCost } from '../../../src/sponsorship/costs.ts'
import { SPONSOR_POLICY } from '../../../src/sponsorship/policy.ts'
import { inviteCodeHash } from '../../../src/sponsorship/invite-code.ts'
import { createInviteCodes } from '../../../src/sponsorship/invite-codes.ts'
import { chargeSends } from '../../../src/webhooks/deliveries/charge-sends.ts'
import { receiverProblemOf } from '../../../src/webhooks/subscriptions/receiver-problem.ts'
import { deleteOldRows } from '../../../src/webhooks/worker/maintenance.ts'
import { excerptOf, retryAfterMs } from '../../../src/webhooks/worker/response.ts'
import { retryDelay } from '../../../src/webhooks/worker/retry-schedule.ts'
import { settle } from '../../../src/webhooks/worker/settle.ts'
import { createTestApp, FEE_PAYER, FIXED_NOW, PROGRAM, type TestApp } from '../../support/app.ts'
import { clientAt, type TestClient } from '../../support/clients.ts'
import {
  createTestIssuer,
  contexts,
  type Json,
  NOW,
  unsigned,
  AGENT_DID,
} from '../../support/credentials/issuer.ts'
import { seal } from '../../support/credentials/seal.ts'
import { statusEntry } from '../../support/credentials/status-list.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'
import { startHost, type TestHost } from '../../support/identity/host.ts'
import { registrationArgs } from '../../support/indexer/registry-world.ts'
import {
  answerOf,
  below,
  type Check,
  covered,
  DOCUMENTS,
  is,
  least,
  list,
  lowered,
  most,
  numbersOf,
  outcomeOf,
  pad,
  raised,
  readRows,
} from '../../support/limits.ts'
import { toJson } from '../../support/relay/relay-world.ts'
import { bearer, requestChallenge, signIn, signInWallet } from '../../support/sign-in.ts'
import { walletOf } from '../../support/wallet.ts'

type Case = Check | readonly Check[]

const { config } = readConfig({ SOLANA_RPC_URL: 'https://rpc.example.org', DATABASE_URL: 'postgres://h/x' })
const localnet = readConfig({}).config
const KEY = keyOf('somebody')
const VERIFY = `/agents/${keyOf('agent 0')}/credentials/verify`
const MINUTE = 60_000
const issuer = createTestIssuer('limits')

let now = FIXED_NOW
const clock = { now: () => now }
/** What the ledger answers in place of the localnet. */
const ledger: Record<string, unknown> = {
  getGenesisHash: KEY,
  getRecentPerformanceSamples: [],
  getEpochInfo: { absoluteSlot: 10, blockHeight: 900, epoch: 0 },
  getLatestBlockhash: {
    context: { slot: 10 },
    value: { blockhash: KEY, lastValidBlockHeight: 1_000 },
  },
  getRecentPrioritizationFees: list(150, (slot) => ({ slot, prioritizationFee: 1e9 })),
  simulateTransaction: { value: { err: null, unitsConsumed: 1_000, logs: [] } },
}
const LAMPORTS_PER_BYTE = 5_000
/** The bytes of an account in addition to its data. */
const ACCOUNT_OVERHEAD = 128
const AGENT_BYTES = SPONSOR_POLICY.registration.creates.bytes + ACCOUNT_OVERHEAD
let t: TestApp
let host: TestHost
let client: TestClient
let statusList: Json
const verifier = createVerifier({
  contexts,
  size: 1,
  limitMs: 20_000,
  fetchStatusList: async () => ({
    kind: 'fetched',
    body: Buffer.from(statusList),
    headers: { 'cache-control': 'no-store' },
  }),
})
beforeAll(async () => {
  host = await startHost()
  t = await createTestApp({
    clock,
    webhooksPerNetwork: config.webhooks.dailyPerNetwork,
    ledger: { call: async (method) => ledger[method] as never },
    relay: { submitWaitMs: config.relay.submitWaitMs },
    sponsorship: {
      signer: { pubkey: FEE_PAYER, sign: () => Promise.reject(new Error('not signed')) },
      limits: config.sponsorship,
    },
  })
  await insertAgents(
    t.kysely,
    list(200, (i) => agentRow(`${i}`, i === 0 ? { owner: walletOf('owner').pubkey } : {})),
  )
  await t.app.listen({ port: 0, host: '127.0.0.1' })
  client = clientAt('127.0.0.2', portOf(t))
})
afterAll(async () => {
  await client?.close()
  await t?.close()
  await host?.close()
  await verifier.close()
})

const portOf = ({ app }: TestApp): number => (app.server.address() as AddressInfo).port
let labels = 0
/** A new name for each probe, because most limits count by client, wallet or key. */
const label = (): string => `limits ${(labels += 1)}`
const address = (): string => `2001:db8:${(labels += 1).toString(16)}::1`

type Headers = Record<string, string>
const post = (url: string, payload: object | string, headers: Headers = {}, remoteAddress = address()) =>
  t.app.inject({
    method: 'POST',
    url,
    remoteAddress,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    payload,
  })
const get = async (url: string): Promise<string> => answerOf(await t.app.inject(url))
const send = async (...request: Parameters<typeof post>): Promise<string> => answerOf(await post(...request))
/** Signs as a wallet of this name. */
const sendAs = (name: string, url: string, payload: object | string): Promise<string> =>
  // Each signature is used once.
  send(url, payload, walletOf(name).headers('POST', url, (now += 1_000)))
/** The outcome of the last of `count` requests. */
async function last(count: number, request: (i: number) => Promise<string>): Promise<string> {
  for (let i = 0; i < count - 1; i += 1) expect(await request(i)).toBe('ok')
  return request(count - 1)
}

const processes = list(2, () => {
  const sharedCounter = (...count: [string, string, number]) => createRateLimitCounter(t.kysely)(...count)
  return createRateLimits({ sharedCounter, clock, limits: config.rateLimits })
})
const charge = (kind: Exclude<RateLimitKind, 'sends'>, process: number, ip: string): Promise<unknown> =>
  outcomeOf(() => {
    if (kind === 'reads') return processes[process]!.charge(ip, 1)
    return processes[process]!.count(kind, ip)
  })
/** All but the last unit of a minute is used, by one process. */
const perMinute =
  (kind: Exclude<RateLimitKind, 'sends'>): Check =>
  async (n, { exceeded }) => {
    const ip = address()
    const isShared = exceeded === 'all processes together'
    if (isShared) {
      const used = sql`extract(epoch from clock_timestamp())::float8 * 1000 + ${((n - 1) * MINUTE) / config.rateLimits![kind]}::float8`
      await sql`insert into rate_limits (kind, client, arrival) select ${kind}, ${clientNetwork(ip)}, ${used}`.execute(
        t.kysely,
      )
    } else for (let i = 1; i < n; i += 1) expect(await charge(kind, 0, ip)).toBe('ok')
    const refused = '429 RATE_LIMITED'
    expect(await charge(kind, 0, ip)).toBe('ok')
    expect([await charge(kind, 0, ip), await charge(kind, 1, ip)]).toEqual([
      refused,
      isShared ? refused : 'ok',
    ])
  }

const graphql = async (query: string, extensions?: object): Promise<string> =>
  send('/graphql', { query, extensions, ...(query.startsWith('query A') && { operationName: 'A' }) })
const document = (kind: string): Check => most((n) => graphql(DOCUMENTS[kind]!(n)))

/** Opens a connection and returns the first bytes of the response. */
async function open(bytes: string, from = client): Promise<[socket: Socket, head: string]> {
  const socket = from.open(bytes)
  const [data] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | false]
  return [socket, String(data)]
}
const statusOf = (response: string): string => {
  const [, code] = /"code":"(\w+)"/.exec(response) ?? []
  const [, status] = /"status":(\d+)/.exec(response) ?? /^HTTP\/1\.1 (\d+)/.exec(response) ?? []
  return code === undefined && status === '200' ? 'ok' : `${status} ${code}`
}
/** Opens `count` connections of a new client, and returns the outcome of the last. */
async function lastOpened(count: number, bytes: string): Promise<string> {
  const own = clientAt(`127.0.1.${(labels += 1)}`, portOf(t))
  const heads: string[] = []
  for (let i = 0; i < count; i += 1) heads.push(statusOf((await open(bytes, own))[1]))
  await own.close()
  expect(new Set(heads.slice(0, -1))).toEqual(new Set(['ok']))
  return heads.at(-1)!
}
const EVENTS = encodeURIComponent('subscription { registryEvents { id } }')
const STREAM = `GET /graphql?query=${EVENTS} HTTP/1.1\r\nHost: g\r\nAccept: text/event-stream\r\n\r\n`
const SESSION = 'GET /mcp/sse HTTP/1.1\r\nHost: g\r\n\r\n'

/** Runs a callback with timers that only advance by the result's first function. */
async function withTimers<Result>(
  work: (advance: (ms: number) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    return await work(async (ms) => {
      vi.advanceTimersByTime(ms)
      for (let i = 0; i < 20; i += 1) await turn()
    })
  } finally {
    vi.useRealTimers()
  }
}
/** Waits without a timer. */
async function patiently(isTrue: () => boolean): Promise<void> {
  const begin = performance.now()
  while (!isTrue() && performance.now() - begin < 5_000) await turn()
  expect(isTrue()).toBe(true)
}
/** What is open without traffic is still open just before the limit, and closed at it. */
const closesAt =
  (begin: () => Promise<() => boolean>): Check =>
  (n) =>
    withTimers(async (advance) => {
      const isClosed = await begin()
      await advance(n - 1)
      expect(isClosed()).toBe(false)
      await advance(1)
      await patiently(isClosed)
    })

const INSTRUCTION = { programId: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', keys: [] }
const memo = (bytes: number) => ({ ...INSTRUCTION, data: Buffer.alloc(bytes, 65).toString('base64') })
const prepare = (instructions: object[], more: object = {}) =>
  post('/relay/prepare', { instructions, signerPubkeys: [walletOf('payer').pubkey], ...more })
/** The compute units and the priority fee of a prepared transaction. */
const prepared = async (units: number): Promise<{ estimatedComputeUnits: number; priorityFee: number }> => {
  uses(units)
  return (await prepare([memo(1)], { priorityLevel: 'high' })).json()
}
/** The simulated transaction uses as many units as lead to this compute-unit limit, or one more. */
function uses(limit: number): void {
  ledger['simulateTransaction'] = {
    value: { err: null, unitsConsumed: Math.ceil((limit * 100) / 120), logs: [] },
  }
}

interface Sponsored {
  kind?: 'registration' | 'transaction'
  wallet?: string
  client_network?: string
  spent_lamports?: number
  code_hash?: string | null
  state?: 'confirmed' | 'failed'
}
const store = (count: number, row: Sponsored): Promise<unknown> =>
  count === 0
    ? Promise.resolve()
    : t.kysely
        .insertInto('sponsorships')
        .values(
          list(count, () => ({
            id: label(),
            kind: 'transaction' as const,
            wallet: label(),
            state: 'confirmed' as const,
            reserved_lamports: 0,
            ...row,
          })),
        )
        .execute()
const addresses = registryAddresses(PROGRAM)
const newCode = async (maxUses = 1): Promise<string> =>
  (await createInviteCodes(t.database.orm.em).create({ maxUses, expiresAt: null })).code
/** With these amounts of the ledger, which are cached for less than an hour. */
function setLedger({ units = 1_000, balance = 2_000_000_000, perByte = LAMPORTS_PER_BYTE } = {}): void {
  now += 3_600_000
  uses(units)
  ledger['getBalance'] = { value: balance }
  ledger['getMinimumBalanceForRentExemption'] = perByte * ACCOUNT_OVERHEAD
}
type Given = Parameters<typeof setLedger>[0] & { ip?: string; name?: string; code?: string; count?: number }
async function register({ ip = address(), name = label(), code, ...amounts }: Given = {}): Promise<string> {
  setLedger(amounts)
  const { pubkey: owner } = walletOf(name)
  const accounts = { payer: FEE_PAYER, owner, agent: addresses.agent(owner) }
  const instructions = [
    toJson(registryInstruction(PROGRAM, 'register_agent', accounts, registrationArgs('x'))),
  ]
  const body = { instructions, signerPubkey: owner, inviteCode: code ?? (await newCode()) }
  return send('/sponsor/register', body, {}, ip)
}
/** Prepares transactions of a wallet whose registration the service paid. */
async function sponsor({ ip = address(), name = label(), count = 1, ...amounts }: Given = {}) {
  setLedger(amounts)
  const { pubkey: owner } = walletOf(name)
  await store(1, { kind: 'registration', wallet: owner, code_hash: inviteCodeHash(await newCode()) })
  const accounts = { owner, agent: addresses.agent(owner) }
  const update = toJson(registryInstruction(PROGRAM, 'update_agent', accounts, { name: 'x' }))
  const body = { instructions: list(count, () => update), signerPubkeys: [owner], priorityLevel: 'high' }
  return post('/relay/prepare/sponsored', body, {}, ip)
}
const sponsorAs = async (given: Given): Promise<string> => answerOf(await sponsor(given))
/** A registration or another transaction with which the lamports of a day are exactly `total`. */
const spending =
  (kind: 'registration' | 'transaction') =>
  async (total: number): Promise<string> => {
    const code_hash = kind === 'registration' ? inviteCodeHash(await newCode()) : null
    await store(1, { kind, code_hash, spent_lamports: total - costOf(kind) })
    const outcome = await (kind === 'registration' ? register() : sponsorAs({}))
    await t.kysely.deleteFrom('sponsorships').execute()
    return outcome
  }
const costOf = (kind: 'registration' | 'transaction', perByte = LAMPORTS_PER_BYTE): number =>
  Number(maxCost(kind, BigInt(perByte * AGENT_BYTES)))

/** A webhook with these columns, and deliveries that ended or are in flight. */
async function webhook(columns: object = {}, deliveries = 0, delivery: object = {}): Promise<string> {
  const id = randomUUID()
  const row = {
    id,
    wallet: walletOf(id).pubkey,
    url: 'https://a.example/',
    event_types: [],
    secret_encrypted: Buffer.alloc(0),
    ...columns,
  }
  await t.kysely.insertInto('webhook_subscriptions').values(row).execute()
  const given = {
    subscription_id: id,
    event_type: 'agent.updated',
    body: '{}',
    next_attempt_at: null,
    ...delivery,
  }
  if (deliveries > 0)
    await sql`insert into webhook_deliveries ${sql.raw(`(event_id, ${Object.keys(given).join(', ')})`)}
      select n::text, ${sql.join(Object.values(given))} from generate_series(1, ${deliveries}::int) n`.execute(
      t.kysely,
    )
  return id
}
const ENDED = {
  status: 'failed',
  completed_at: new Date(FIXED_NOW).toISOString(),
  created_at: new Date(FIXED_NOW).toISOString(),
}
/** Settles an attempt that failed at a webhook with these columns. */
async function fail(columns: object): Promise<Awaited<ReturnType<typeof settle>>> {
  const lease = {
    status: 'in_flight',
    lease_token: 'token',
    lease_until: new Date(Date.now() + MINUTE).toISOString(),
  }
  const id = await webhook(columns, 1, lease)
  const { rows } = await sql<{
    id: string
  }>`select id from webhook_deliveries where subscription_id = ${id}`.execute(t.kysely)
  const attempt = {
    number: 1,
    trigger: 'event',
    outcome: 'failure',
    started_at: new Date().toISOString(),
    duration_ms: 1,
  } as const
  const nothing = {
    response_status: null,
    error_code: 'timeout',
    response_excerpt: null,
    retry_ms: 1_000,
    pause_ms: null,
  }
  return settle(t.kysely, [
    {
      ...attempt,
      ...nothing,
      id: rows[0]!.id,
      token: 'token',
      unreachable: true,
      response_ms: 1,
      probe: false,
    },
  ])
}
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString()

/** The checks that a credential fails. */
async function failed(raw: unknown): Promise<string> {
  const trust = trustRegistry([issuer.trusted])
  const { checks } = await verifier.verify(raw, { agentDid: AGENT_DID, now: NOW, trust })
  const names = checks.filter(({ passed }) => !passed).map(({ check }) => check)
  return names.length === checks.length ? 'all' : names.join(' ') || 'ok'
}
const ALL = { refused: 'all' }
const plain = unsigned('2.0', 'eddsa-jcs-2022', issuer.did)
const sealed = (members: Json): Promise<Json> => seal({ ...plain, ...members }, 'eddsa-jcs-2022', issuer)
const inSubject = (members: Json): Promise<Json> =>
  sealed({ credentialSubject: { ...plain.credentialSubject, ...members } })
const valuesIn = (value: Json): number =>
  typeof value === 'object'
    ? 1 + Object.values(value).reduce((sum: number, each) => sum + valuesIn(each), 0)
    : 1
const LIST_URL = 'https://lists.example/1'
/** The checks that a credential fails with a status list of so many entries and bytes. */
async function failedWithList(entries: number, bytes?: number): Promise<string> {
  const encodedList = `u${gzipSync(Buffer.alloc(entries / 8)).toString('base64url')}`
  const subject = {
    id: `${LIST_URL}#list`,
    type: 'BitstringStatusList',
    statusPurpose: 'revocation',
    encodedList,
  }
  const type = ['VerifiableCredential', 'BitstringStatusListCredential']
  const text = JSON.stringify(await sealed({ id: LIST_URL, type, credentialSubject: subject }))
  statusList = pad(text, bytes ?? text.length)
  return failed(await sealed({ credentialStatus: statusEntry(LIST_URL, 1) }))
}
const isListed = (entries: Json): string =>
  typeof parseStatusEntries(entries) === 'string' ? 'refused' : 'ok'

const WEBHOOK = { url: 'https://receiver.example.com/', eventTypes: ['agent.closed'] }
const getAs = async (token: string): Promise<string> =>
  answerOf(await t.app.inject({ url: '/webhooks', headers: bearer(token) }))
const DATE = 'Sat, 21 Nov 2026 12:01:30 GMT'
const retryAfterIn = (ms: number) => retryAfterMs(DATE, Date.parse(DATE) - ms)

const SUBSCRIBE = { query: 'subscription { registryEvents { id } }' }
/** An open WebSocket that has sent `connection_init`, and an operation if one is given. */
async function connected(from: TestClient, payload?: object): Promise<WebSocket> {
  const socket = from.webSocket()
  await once(socket, 'open')
  socket.send('{"type":"connection_init"}')
  await once(socket, 'message')
  if (payload === undefined) return socket
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload }))
  // The answer shows that the operation was read.
  socket.send('{"type":"ping"}')
  await once(socket, 'message')
  return socket
}
/** The reading of a WebSocket that has so many bytes to send. */
function readingOf(bufferedAmount: number) {
  const socket = Object.assign(new EventEmitter(), {
    bufferedAmount,
    isPaused: false,
    pause: () => (socket.isPaused = true),
    resume: () => (socket.isPaused = false),
  })
  return { socket, reading: limitReading(socket as never) }
}

interface ToolResult {
  readonly isError?: boolean
  readonly structuredContent?: { readonly agents: readonly unknown[] }
}
async function toolResult(name: string, args: object): Promise<ToolResult> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  return (await post('/mcp', message)).json<{ result: ToolResult }>().result
}
const tool = async (name: string, args: object): Promise<string> =>
  (await toolResult(name, args)).isError === true ? 'Tool error' : 'ok'
/** What the transport adds to the name of a method. */
const FRAME = `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', method: '' })}\n\n`

async function* hanging(): AsyncGenerator<void, void> {
  yield await new Promise<void>(() => undefined)
}

type CardList = 'skills' | 'interfaces' | 'credentials'
/** All entries of a list of a card are shown if they have at most so many bytes as JSON. */
const fits = (make: (text: string) => object | string, given: string, shown: CardList): Check => {
  const read = (entries: readonly unknown[]) => readCardContent({ [given]: entries })?.[shown] ?? []
  return most(
    (bytes) => {
      const size = Buffer.byteLength(JSON.stringify(read([make('x')])[0])) - 1
      const count = Math.ceil(bytes / 2_000)
      // Texts of different lengths, because an interface is shown once.
      const texts = list(count - 1, (i) => 'x'.repeat(1_900 - i))
      const left = bytes - count * size - texts.join('').length
      const entries = [...texts, 'x'.repeat(left)].map(make)
      const all = read(entries)
      const isWhole =
        all.length < count ||
        all.reduce<number>((sum, each) => sum + JSON.stringify(each).length, 0) === bytes
      return isWhole ? count - all.length : 'wrong size'
    },
    { accepted: 0, refused: 1 },
  )
}

/** Settled transactions are kept for this time after they were prepared. */
const kept = (signed_tx: string | null): Check =>
  most(
    async (ms) => {
      await t.kysely.deleteFrom('prepared_transactions').execute()
      const transactions = createTransactionStore(t.kysely)
      await transactions.insertSimulated({
        id: randomUUID(),
        message: '',
        lastValidBlockHeight: 1,
        blockhashSlot: 1,
        now: now - ms,
      })
      await t.kysely.updateTable('prepared_transactions').set({ settled: true, signed_tx }).execute()
      return transactions.deleteOld(now)
    },
    { accepted: 0, refused: 1 },
  )

const INCOMPLETE = covered('faults/rest/client-connections', 'above the limit, the oldest get 408: %s')
const CLAIMS = covered(
  'faults/webhooks/claims.property',
  'claims exceed no limit and start everything that is due, at once or in turns',
)
const SLOW_HOST = covered('faults/net/hostile-servers', 'a host that never responds times out')
const CASES: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  'Rate limits': {
    'Units of all requests': perMinute('reads'),
    'Prepared transactions, and reads of wallet balances': perMinute('prepare'),
    'Submitted transactions': perMinute('submit'),
    'Prepared sponsored transactions': perMinute('sponsoredPrepare'),
    'Prepared sponsored registrations': perMinute('register'),
    'Verified credentials': perMinute('verify'),
    'Requests with a wallet signature or a session': perMinute('authenticated'),
    'Challenges and sign-ins; each sign-in needs two': perMinute('signIn'),
    'Pings, resends and recovered deliveries of webhooks; also per wallet': async (n) => {
      const max = config.rateLimits!.sends
      const sends = (wallet: string, clientIp: string, wanted: number) =>
        outcomeOf(() => chargeSends(t.kysely, { wallet: walletOf(wallet).pubkey, clientIp }, wanted, max))
      const [ip, wallet] = [address(), label()]
      expect([await sends(label(), ip, n), await sends(wallet, address(), n + 1)]).toEqual([n, n])
      const more = [await sends(label(), ip, n), await sends(wallet, address(), n)]
      // A unit comes back each 100 ms.
      for (const each of more)
        expect(Number.isInteger(each) ? Number(each) < n / 2 : each === '429 RATE_LIMITED').toBe(true)
    },
  },
  'Requests and connections': {
    'Path of a request, and names and values of its headers': most(async (n) => {
      const [path, headers] = ['/health', 'HostgConnectioncloseX']
      const value = 'x'.repeat(n - path.length - headers.length)
      const [, head] = await open(
        `GET ${path} HTTP/1.1\r\nHost: g\r\nConnection: close\r\nX: ${value}\r\n\r\n`,
      )
      return statusOf(head)
    }),
    'Body of a request': most((n) => send('/graphql', pad('{"query":"{__typename}"}', n))),
    'Body of a credential verification': most((n) => sendAs('owner', VERIFY, pad('{"credential":{}}', n))),
    'Time for the headers': is(() => t.app.server.headersTimeout),
    'Time for headers and body': is(() => t.app.server.requestTimeout),
    'Idle connection between two requests': is(() => t.app.server.keepAliveTimeout),
    'Connection without traffic during a response': is(() => t.app.server.timeout),
    // Ten probes, one per second.
    'Client that does not answer TCP probes, after its last packet': is(
      () =>
        ((t.app.server as { keepAliveInitialDelay?: number }).keepAliveInitialDelay ?? 0) * 1_000 + 10_000,
    ),
    'Upgrade to a WebSocket': is(async () => {
      const { promise, resolve } = Promise.withResolvers<number | undefined>()
      t.app.server.once('upgrade', (_, socket: Socket) => resolve(socket.timeout))
      client.webSocket()
      return promise
    }),
    'Requests of a process that stops': async (n, row) => {
      const stopping = await createTestApp({ database: t.database, ledger: t.rpc })
      const url = new URL(await stopping.app.listen({ port: 0, host: '127.0.0.1' }))
      const connection = once(stopping.app.server, 'connection') as Promise<[Socket]>
      const half = connect(Number(url.port), '127.0.0.1').on('error', () => undefined)
      half.write('POST /graphql HTTP/1.1\r\nHost: g\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n')
      await once(half, 'data')
      const [socket] = await connection
      let stopped: Promise<void> | undefined
      await closesAt(async () => {
        stopped = stopping.close()
        for (let i = 0; i < 20; i += 1) await turn()
        return () => socket.destroyed
      })(n, row)
      await stopped
    },
    'Pipelined requests on a connection': most(
      async (n) => {
        const socket = client.open('GET /agents HTTP/1.1\r\nHost: g\r\n\r\n'.repeat(n))
        let text = ''
        socket.on('data', (data: Buffer) => (text += data.toString()))
        const answers = (): number => text.match(/HTTP\/1\.1 200/g)?.length ?? 0
        await vi.waitUntil(() => socket.closed || answers() === n)
        return answers() === n ? 'ok' : 'closed'
      },
      { refused: 'closed' },
    ),
    'Connections of a client network without a complete request': [INCOMPLETE, INCOMPLETE],
    'Connections of a process': is(() => t.app.server.maxConnections),
    'Requests in flight in a process': most((n) => {
      const admission = createAdmission({ queue: { length: 0 } as never, clock, limits: config.overload! })
      for (const priority of ['high', 'low'] as const)
        for (let i = 1; i < n; i += 1) admission.admit(priority)
      for (const priority of ['high', 'low'] as const) admission.admit(priority)
    }),
  },
  Lists: {
    '`limit` of a list': [
      least((n) => get(`/agents?limit=${n}`)),
      most((n) => get(`/agents?limit=${n}`)),
      is(async () => (await t.app.inject('/agents')).json<{ limit: number }>().limit),
    ],
    '`name` of `GET /agents`': [
      least((n) => get(`/agents?name=${'x'.repeat(n)}`)),
      most((n) => get(`/agents?name=${'𝔊'.repeat(n)}`)),
    ],
  },
  'GraphQL and live streams': {
    'Length of a document': document('characters'),
    'Tokens of a document': document('tokens'),
    'Depth of an operation': document('depth'),
    'Root fields of an operation': document('rootFields'),
    'Fields of an operation, fragments included': document('fields'),
    'Fields of all operations and fragments of a document': document('documentFields'),
    'Pairs of fields with the same name in one object, and of fragments': document('repeatedFields'),
    // `query`, `extensions` and `x` are values, too.
    'Values in the JSON of a request': most((n) => graphql('{ __typename }', { x: list(n - 3, () => 1) })),
    'Values in nested lists of a response': document('nestedValues'),
    'Persisted documents of a process': most(
      (n) => {
        const documents = createPersistedDocuments()
        const persisted = list(n, (i) => {
          const query = `{ a${i} }`
          const sha256Hash = createHash('sha256').update(query).digest('hex')
          return { query, extensions: { persistedQuery: { version: 1, sha256Hash } } }
        })
        for (const each of persisted) documents.store(each)
        documents.complete({ extensions: persisted[0]!.extensions })
      },
      { refused: '404 PERSISTED_QUERY_NOT_FOUND' },
    ),
    'WebSockets of a client network': async (n) => {
      const own = clientAt('127.0.0.3', portOf(t))
      for (let i = 0; i < n; i += 1) await connected(own, SUBSCRIBE)
      const [, response] = await once(
        own.webSocket().on('error', () => undefined),
        'unexpected-response',
      )
      const body = Buffer.concat(await response.toArray()).toString()
      expect([response.statusCode, response.headers['retry-after'], body]).toEqual([
        429,
        '30',
        expect.stringContaining('CLIENT_SOCKETS_FULL'),
      ])
      await own.close()
    },
    'WebSockets of a process': covered(
      'faults/rest/shared-places',
      'when none is idle, the network with the most loses its oldest; a network that has as many gets none',
    ),
    'WebSocket without an operation': closesAt(async () => {
      const socket = await connected(client)
      let code: number | null = null
      socket.on('close', (given: number) => (code = given))
      return () => code === 1000
    }),
    'Message on a WebSocket': most(
      async (n) => {
        const socket = await connected(client)
        socket.send(pad('{"type":"ping"}', n))
        const [data] = (await Promise.race([once(socket, 'message'), once(socket, 'close')])) as [unknown]
        socket.terminate()
        return String(data)
      },
      { accepted: '{"type":"pong"}', refused: '1009' },
    ),
    'Messages on a WebSocket': async (n) => {
      vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
      const { socket, reading } = readingOf(0)
      for (let i = 0; i < n; i += 1) reading.received()
      expect(socket.isPaused).toBe(false)
      // The time of one message later, one more is read.
      for (let i = 0; i < 2; i += 1) {
        reading.received()
        expect(socket.isPaused).toBe(true)
        vi.advanceTimersByTime(1_000 / n)
        expect(socket.isPaused).toBe(false)
      }
      vi.useRealTimers()
    },
    'Unsent bytes of a WebSocket': most(
      (n) => {
        const { socket, reading } = readingOf(n)
        reading.sendingChanged()
        return socket.isPaused
      },
      { accepted: false, refused: true },
    ),
    'Live streams of a client network': most((n) => lastOpened(n, STREAM)),
    'Live streams of a process': most((n) => {
      const streams = createStreams(createMetrics(), STREAM_LIMITS)
      // Networks with one stream each, so that none has more than the last one.
      const opened = list(n, (i) => streams.open(`198.18.${i >> 8}.${i & 255}`, hanging).next())
      return Promise.race([...opened, turn()])
    }),
  },
  MCP: {
    '`limit` of `list_agents`': [
      least((n) => tool('list_agents', { limit: n }), { refused: 'Tool error' }),
      most((n) => tool('list_agents', { limit: n }), { refused: 'Tool error' }),
      is(async () => (await toolResult('list_agents', {})).structuredContent?.agents.length),
    ],
    'Open SSE sessions of a client network': most((n) => lastOpened(n, SESSION)),
    'Open SSE sessions of a process': covered(
      'faults/rest/shared-places',
      'when all are taken, a new client gets one, and the network with the most loses its oldest',
    ),
    'SSE session without a message': closesAt(async () => {
      const [socket] = await open(SESSION)
      let ended = false
      socket.on('data', (data: Buffer) => (ended ||= data.toString().endsWith('0\r\n\r\n')))
      return () => ended
    }),
    'Agents of a subscription': most((n) => {
      const notifications = { resourceSubscriptions: list(n, () => `agent://${KEY}`) }
      return subscribedAgents({ method: 'subscriptions/listen', params: { notifications } })?.length === n
        ? 'ok'
        : 'other'
    }),
    // The message has four members, and its parameters one.
    'Values in the JSON of a message': most((n) =>
      send('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping', params: { x: list(n - 5, () => 1) } }),
    ),
    'Unread responses of a session': most(
      async (n) => {
        const stream = new Writable({ highWaterMark: 1, write: () => undefined })
        const transport = new SseTransport('', stream as never, '')
        await transport.send({ jsonrpc: '2.0', method: 'x'.repeat(n - FRAME.length) })
        return stream.destroyed
      },
      { accepted: false, refused: true },
    ),
  },
  Relay: {
    Instructions: most(async (n) => answerOf(await prepare(list(n, () => memo(1))))),
    // All but the text of the memo.
    'Transaction with signatures': most(async (n) => answerOf(await prepare([memo(n - 224)]))),
    '`accountKeys` of a fee estimate': most((n) =>
      send('/relay/estimate-fees', { accountKeys: list(n, () => KEY) }),
    ),
    'Compute units': lowered(async (n) => (await prepared(n)).estimatedComputeUnits),
    'Priority fee': is(async () => (await prepared(1_000)).priorityFee),
    'Time that a submit waits for `confirmed`': is(() => config.relay.submitWaitMs),
  },
  Sponsorship: {
    'Sponsored registrations of a wallet': covered(
      'api/sponsorship/register',
      'refuses a second registration of a wallet or a code, and the sixth of a client',
    ),
    'Sponsored registrations of a client network: signed in 24 hours, or prepared and not expired': [
      most(async (n) => {
        const [ip, code] = [address(), inviteCodeHash(await newCode())]
        await store(n - 2, { kind: 'registration', client_network: clientNetwork(ip), code_hash: code })
        return last(2, () => register({ ip }))
      }),
      is(() => localnet.sponsorship.dailyRegistrationsPerClient),
    ],
    'Other sponsored transactions of a wallet in 24 hours': most(async (n) => {
      const name = label()
      await store(n - 1, { wallet: walletOf(name).pubkey })
      return sponsorAs({ name })
    }),
    'Other sponsored transactions of a client network in 24 hours': most(async (n) => {
      const ip = address()
      await store(n - 1, { client_network: clientNetwork(ip) })
      return sponsorAs({ ip })
    }),
    'Failed registrations of an invite code that return its use': most(async (n) => {
      const code = await newCode()
      await store(n, { kind: 'registration', state: 'failed', code_hash: inviteCodeHash(code) })
      return register({ code })
    }),
    'Lamports for sponsorship in 24 hours': [
      most(spending('registration')),
      is(() => Number(localnet.sponsorship.dailyBudget)),
    ],
    'Part of these lamports for other transactions': (n, row) =>
      most(spending('transaction'))((Number(config.sponsorship.dailyBudget) * n) / 100, row),
    'Minimum balance of the fee payer in lamports': least((n) =>
      register({ balance: n + costOf('registration') }),
    ),
    // The cost grows with the rent of a byte.
    'Lamports for one transaction': (n, row) =>
      most((perByte) => register({ perByte }))(
        Math.floor((n - costOf('registration', 0)) / AGENT_BYTES),
        row,
      ),
    'Compute units of a registration': most((units) => register({ units })),
    'Compute units of another transaction': most((units) => sponsorAs({ units })),
    'Instructions of another transaction': most((count) => sponsorAs({ count })),
    'Priority fee': is(async () => (await sponsor()).json<{ priorityFee: number }>().priorityFee),
  },
  'Wallet authentication': {
    'Difference between the timestamp and the clock': most(async (n) => {
      const signed = Math.ceil(now / 1_000) * 1_000
      const outcomes = new Set<string>()
      for (const ms of [n, -n]) {
        const headers = walletOf(label()).headers('GET', '/webhooks', signed)
        now = signed + ms
        outcomes.add(answerOf(await t.app.inject({ url: '/webhooks', headers })))
      }
      now = signed
      return [...outcomes].join()
    }),
    'Client networks that use a signature': most((n) => {
      const headers = walletOf(label()).headers('GET', '/webhooks', now)
      return last(n, async () =>
        answerOf(await t.app.inject({ url: '/webhooks', headers, remoteAddress: address() })),
      )
    }),
    'Age of a challenge': below(async (n) => {
      const { input } = await requestChallenge(t)
      const signed = signInWallet(label()).signIn(input, (text) => text.replace(/\nExpiration Time.*/, ''))
      now += n
      return send('/auth/session', signed)
    }),
    'Size of a sign-in message': most(async (n) => {
      const { input } = await requestChallenge(t)
      const wallet = signInWallet(label())
      const { length } = wallet.signIn(input).message
      return send(
        '/auth/session',
        wallet.signIn(input, (text) => text.replace('Sign in', `Sign in${'x'.repeat(n - length)}`)),
      )
    }),
    'Length of a session': below(async (n) => {
      const token = await signIn(t, signInWallet(label()))
      const end = now + n
      while (now + 50 * MINUTE < end) {
        now += 50 * MINUTE
        await getAs(token)
      }
      now = end
      return getAs(token)
    }),
    'Session without a request': below(async (n) => {
      const token = await signIn(t, signInWallet(label()))
      now += n
      return getAs(token)
    }),
    'Sessions of a wallet': most(
      async (n) => {
        const wallet = signInWallet(label())
        const tokens: string[] = []
        for (let i = 0; i < n; i += 1) {
          now += MINUTE
          tokens.push(await signIn(t, wallet))
        }
        return getAs(tokens[0]!)
      },
      { refused: '401 SESSION_INVALID' },
    ),
  },
  Webhooks: {
    'Webhooks of a wallet': most(async (n) => {
      const name = label()
      for (let i = 1; i < n; i += 1) await webhook({ wallet: walletOf(name).pubkey })
      return sendAs(name, '/webhooks', WEBHOOK)
    }),
    'New webhooks of a client network in 24 hours, deleted ones too': most(async (n) => {
      const [name, ip] = [label(), address()]
      for (let i = 1; i < n; i += 1) await webhook({ network: clientNetwork(ip), deleted_at: ago(0) })
      return send('/webhooks', WEBHOOK, walletOf(name).headers('POST', '/webhooks', now), ip)
    }),
    'Length of `url`': most((n) => {
      const url = 'https://receiver.example.com/'
      return sendAs(label(), '/webhooks', { ...WEBHOOK, url: url + 'x'.repeat(n - url.length) })
    }),
    'Ports of `url`': async (n) => {
      const { allowedPorts } = config.webhooks
      const problem = receiverProblemOf(createGuardedHttp({ devMode: false, allowedPorts }))
      const isAccepted = (port: number): boolean => problem(`https://receiver.example.com:${port}/`) === null
      expect([n - 1, n, n + 1].map(isAccepted)).toEqual([false, true, false])
    },
    'Time of an attempt': SLOW_HOST,
    'Time of a first attempt to a new or slow webhook': covered(
      'faults/webhooks/lanes',
      'first attempts to a new webhook end early, and their retries have the whole time',
    ),
    'Attempts of a delivery': most((n) => n === 1 || retryDelay(n - 2, {}, () => 0.5) !== null, {
      accepted: true,
      refused: false,
    }),
    'Attempts at once, per webhook': CLAIMS,
    'Attempts at once, per site (registrable domain)': CLAIMS,
    'Attempts at once, per process, to fast webhooks': CLAIMS,
    'Attempts at once, per process, to new and slow webhooks': CLAIMS,
    '`Retry-After` of a receiver': [raised(retryAfterIn), lowered(retryAfterIn)],
    'Attempts in a row that reach nobody': below(
      async (n) => (await fail({ connect_failures: n - 1 })).breakersOpened,
      { accepted: 0, refused: 1 },
    ),
    'Time with only failures': below(
      async (n) => (await fail({ failing_since: ago(n) })).disabled.map(({ reason }) => reason).join(),
      // The clock of the database goes on.
      { accepted: '', refused: 'failing', step: MINUTE },
    ),
    'Time range of a recovery': most(async (n) => {
      const [id, name] = [await webhook(), label()]
      await sql`update webhook_subscriptions set wallet = ${walletOf(name).pubkey} where id = ${id}`.execute(
        t.kysely,
      )
      const range = { since: new Date(now - n).toISOString(), until: new Date(now).toISOString() }
      return sendAs(name, `/webhooks/${id}/recover`, range)
    }),
    'Deliveries of a recovery': async (n) => {
      const name = label()
      for (const [given, more] of [
        [n, false],
        [n + 1, true],
      ] as const) {
        const id = await webhook({ wallet: walletOf(name).pubkey }, given, ENDED)
        const path = `/webhooks/${id}/recover`
        const since = new Date(FIXED_NOW - MINUTE).toISOString()
        const until = new Date(FIXED_NOW + MINUTE).toISOString()
        const response = await post(path, { since, until }, walletOf(name).headers('POST', path, now))
        expect(response.json()).toEqual({ recovered: n, more })
      }
    },
    'Stored characters of a response': lowered((n) => {
      const headers = { 'content-type': 'text/plain' }
      return excerptOf({ headers, body: Buffer.from('x'.repeat(n)), truncated: false } as never)?.length
    }),
    'Attempts shown for a delivery': lowered(async (n) => {
      const name = label()
      const id = await webhook({ wallet: walletOf(name).pubkey }, 1, ENDED)
      await sql`insert into webhook_attempts (delivery_id, number, trigger, outcome, started_at, duration_ms)
        select d.id, n, 'retry', 'failure', now(), 1 from webhook_deliveries d, generate_series(1, ${n}::int) n
        where d.subscription_id = ${id}`.execute(t.kysely)
      const url = `/webhooks/${id}/deliveries`
      const response = await t.app.inject({ url, headers: walletOf(name).headers('GET', url, now) })
      return response.json<{ deliveries: { attempts: unknown[] }[] }>().deliveries[0]?.attempts.length
    }),
  },
  'Credentials and agent cards': {
    'Length of `credentialUrl`': most(
      (n) => {
        const url = 'https://a.example/'
        return sendAs('owner', VERIFY, { credentialUrl: url + 'x'.repeat(n - url.length) })
      },
      { accepted: '422 CREDENTIAL_NOT_FETCHED' },
    ),
    'Size of a credential': most(
      async (n) => failed(Buffer.from(pad(JSON.stringify(await sealed({})), n))),
      ALL,
    ),
    'Nesting of a credential': most(async (n) => {
      // The outermost object is the subject, which is in the credential.
      const nested = list(n - 1, () => 0).reduce<Json>((inner) => ({ a: inner }), 1)
      return failed(await inSubject(nested))
    }, ALL),
    'Values in a credential': most(async (n) => {
      const empty = valuesIn(await inSubject({ a: [], b: [], c: [] }))
      const [a, c] = [list(200, () => 1), list(n - empty - 400, () => 1)]
      return failed(await inSubject({ a, b: a, c }))
    }, ALL),
    'Entries of an array in a credential': most(
      async (n) => failed(await inSubject({ a: list(n, () => 1) })),
      ALL,
    ),
    'Length of a text in a credential': most(async (n) => failed(await inSubject({ a: 'x'.repeat(n) })), ALL),
    'Types of a credential': most(
      async (n) => failed(await sealed({ type: ['VerifiableCredential', ...list(n - 1, (i) => `T${i}`)] })),
      { refused: 'type proof_verified' },
    ),
    'Length of the issuer of a credential': most(
      async (n) => {
        const id = issuer.did + '#'.padEnd(n - issuer.did.length, 'x')
        const trust = trustRegistry([])
        const { issuer: read } = await verifier.verify(await sealed({ issuer: id }), {
          agentDid: AGENT_DID,
          now: NOW,
          trust,
        })
        return read.length === n ? 'ok' : read
      },
      { refused: '' },
    ),
    'Contexts of a credential': most(
      (n) => {
        const urls = [CREDENTIALS_V2, ...list(n - 1, (i) => `https://a.example/${i}`)]
        return checkContext({ '@context': urls }, new Set(urls)).passed
      },
      { accepted: true, refused: false },
    ),
    'Proofs of a credential': most((n) => checkProofPresent({ proof: list(n, () => ({})) }).passed, {
      accepted: true,
      refused: false,
    }),
    'Entries of a `credentialStatus`': most((n) => isListed(list(n, (i) => statusEntry(LIST_URL, i))), {
      refused: 'refused',
    }),
    'Length of the URL of a status list': most(
      (n) => isListed(statusEntry(LIST_URL + '0'.repeat(n - LIST_URL.length), 1)),
      { refused: 'refused' },
    ),
    'Size of a status list': most((n) => failedWithList(131_072, n), { refused: 'status' }),
    'Entries of a status list': [
      least((n) => failedWithList(n), { refused: 'status', step: 8 }),
      most((n) => failedWithList(n), { refused: 'status', step: 8 }),
    ],
    'Time for which a status list is kept': covered('unit/credentials/status-lists', 'at most 15 minutes'),
    'Credentials of an agent': covered(
      'api/identity/credentials',
      'an agent has at most ${MAX_CREDENTIALS} credentials',
    ),
    'Time between two checks of an agent card': covered(
      'faults/identity/card-checks',
      'a loop of changes causes one check a minute, and the last change is checked',
    ),
    'Time to fetch an agent card': SLOW_HOST,
    'Checks of agent cards of one site at once': covered(
      'faults/identity/card-checks',
      'many names of one site share a few checks, and further checks do not delay first ones',
    ),
    'Fetches of credentials of one site at once, and of status lists, per process': [
      'https://a.example/',
      'ipfs://x/',
    ].map((url) =>
      lowered(async (n) => {
        let running = 0
        const slots = createSiteSlots(CREDENTIAL_FETCHES)
        for (let i = 0; i < n; i += 1) void slots(url + i, () => new Promise(() => (running += 1)))
        await turn()
        return running
      }),
    ),
    'First checks of agent cards in a process at once': lowered((n) =>
      withTimers(async (advance) => {
        let left = n
        const take = async (max: number) => list(Math.min(max, left), () => (left -= 1))
        const queue = createFetchQueue({
          name: 'x',
          claim: take,
          run: () => new Promise(() => undefined),
          limits: CARD_QUEUES.first,
          idleMs: 1_000,
          clock,
          logger: { warn: () => undefined },
        })
        queue.start()
        for (let i = 0; i < 20; i += 1) await advance(CARD_QUEUES.first.slotMs)
        return queue.inFlight()
      }),
    ),
    'Time between two refreshes of an agent’s credentials': covered(
      'faults/identity/card-checks',
      'the credentials of an agent are refreshed at most every ten minutes',
    ),
    'Size of an agent card': most(
      async (n) => {
        const url = host.serve('/card', pad('{}', n))
        const gateways = { ipfs: null, arweave: null }
        const hosted = { http: host.http, gateways, cardUrlOf: async () => null, totalMs: 10_000 }
        return (await checkCard({ owner: KEY, url, hash: '' }, hosted)).state
      },
      { accepted: 'mismatched', refused: 'unreachable' },
    ),
    'Texts of an agent card': [
      lowered((n) => readCardContent({ description: 'x'.repeat(n) })?.description?.length),
      lowered((n) => readCardContent({ name: 'x'.repeat(n) })?.name?.length),
    ],
    'Skills of an agent card': [
      lowered((n) => readCardContent({ skills: list(n, () => ({})) })?.skills.length),
      fits((text) => ({ description: text }), 'skills', 'skills'),
    ],
    'Interfaces of an agent card': [
      lowered(
        (n) => readCardContent({ supportedInterfaces: list(n, (i) => ({ url: `${i}` })) })?.interfaces.length,
      ),
      fits((text) => ({ url: text }), 'supportedInterfaces', 'interfaces'),
    ],
    'Credentials that an agent card lists': [
      lowered((n) => readCardContent({ credentials: list(n, () => 'x') })?.credentials.length),
      fits((text) => text, 'credentials', 'credentials'),
    ],
  },
  Retention: {
    'Transactions that were prepared and not submitted': kept(null),
    'Other transactions': kept('AA=='),
    'Webhook deliveries and attempts': below(
      async (n) => {
        const id = await webhook({}, 1, { ...ENDED, completed_at: ago(n), created_at: ago(n) })
        await sql`insert into webhook_attempts (delivery_id, number, trigger, outcome, started_at, duration_ms)
          select id, 1, 'event', 'failure', created_at, 1 from webhook_deliveries where subscription_id = ${id}`.execute(
          t.kysely,
        )
        return deleteOldRows(t.kysely)
      },
      { accepted: 0, refused: 2, step: MINUTE },
    ),
  },
}

const ROWS = readRows().map((row) => [`${row.section}: ${row.name}`, row] as const)
const NAMES = Object.entries(CASES).flatMap(([section, cases]) =>
  Object.keys(cases).map((name) => `${section}: ${name}`),
)
test('every case belongs to a row', () => {
  expect(NAMES.toSorted()).toEqual(ROWS.map(([name]) => name).toSorted())
})

test.each(ROWS)('%s', async (_, row) => {
  const found = CASES[row.section]?.[row.name]
  if (found === undefined) throw new Error('this row has no case')
  const checks = [found].flat()
  const numbers = numbersOf(row)
  expect(numbers, 'a check for each number').toHaveLength(checks.length)
  for (const [i, check] of checks.entries()) await check(numbers[i]!, row)
})
