import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { LedgerCalls } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { sql } from 'kysely'
import type { Account } from '@agent-registry/localnet'
import { registryAddresses } from '@agent-registry/program'
import { withAdvisoryLock } from '../../../src/db/advisory-lock.ts'
import { type IndexerHealth, readIndexerHealth } from '../../../src/ledger/indexer/health.ts'
import { registryAccounts } from '../../support/registry-accounts.ts'
import { networkOf } from '../../../src/domain/network.ts'
import { rolesOf } from '../../../src/health/health.ts'
import {
  FEE_PAYER,
  LIVE,
  PROGRAM,
  type TestApp,
  type TestAppOptions,
  useTestApp,
  createAppOfTest,
} from '../../support/app.ts'
import { createTestDatabase } from '../../support/database.ts'

/** The error of a node that does not accept connections. */
const deafLedger: LedgerCalls = {
  call: () => Promise.reject(new Error('connect ECONNREFUSED http://secret-rpc/key')),
}

/** Has a localnet. */
const base = useTestApp()
/** An app whose surroundings change. */
let ledger: LedgerCalls
let indexer: () => Promise<IndexerHealth>
let now = Date.parse('2026-11-21T06:29:22.123Z')
const given = (options: Partial<TestAppOptions>): Partial<TestAppOptions> => ({
  clock: { now: () => now },
  database: base.database,
  ledger: base.rpc,
  ...options,
})
const t = useTestApp(() =>
  given({
    ledger: { call: (method, params) => ledger.call(method, params) },
    indexer: () => indexer(),
  }),
)
beforeEach(() => {
  // Nothing that a test before this one read is still in use.
  now += 60_000
  ledger = base.rpc
  indexer = async () => LIVE
})

const own = (options: Partial<TestAppOptions>): Promise<TestApp> => createAppOfTest(given(options))

const toRpc = ({ owner, executable, data }: Account) => ({
  owner,
  executable,
  data: [Buffer.from(data).toString('base64'), 'base64'] as [string, string],
})

/** A node with these accounts only. */
function registryLedger(accounts: Record<string, unknown>, calls: string[]): LedgerCalls {
  return {
    call: async <T>(method: string, params: unknown[] = []) => {
      calls.push(method)
      if (method === 'getSlot') return 1_000 as T
      if (method === 'getBalance') return { value: 1 } as T
      const keys = params[0] as string[]
      return { value: keys.map((key) => accounts[key] ?? null) } as T
    },
  }
}

async function get(url: string, { app } = t) {
  const response = await app.inject(url)
  return { status: response.statusCode, body: response.json<Record<string, unknown>>(), text: response.body }
}

test('/health returns ok and the time', async () => {
  ledger = deafLedger
  expect(await get('/health')).toMatchObject({
    status: 200,
    body: { status: 'ok', timestamp: new Date(now).toISOString() },
  })
})

describe('/health/detailed', () => {
  test('is healthy if everything works', async () => {
    const { status, body } = await get('/health/detailed')
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'healthy',
      reasons: [],
      rpc: { connected: true, slot: base.localnet!.slot - 1 },
      feePayer: { enabled: true, pubkey: FEE_PAYER, balanceLamports: 2_500_000_000, balanceSol: 2.5 },
      database: { connected: true },
      indexer: {
        phase: 'live',
        cursorSlot: 990,
        finalizedSlot: 960,
        lagSlots: 10,
        lagSeconds: 0.4,
        deadLetters: 0,
        ready: true,
        healthy: true,
      },
      timestamp: new Date(now).toISOString(),
    })
  })

  test('is degraded if the ledger does not respond, and does not reveal its address', async () => {
    ledger = deafLedger
    const { status, body, text } = await get('/health/detailed')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'degraded',
      reasons: ['no ledger node responds'],
      rpc: { connected: false, slot: null },
      feePayer: { enabled: true, pubkey: FEE_PAYER, balanceLamports: null, balanceSol: null },
    })
    expect(text).not.toContain('secret-rpc')
  })

  test('is degraded if the indexer fails', async () => {
    indexer = () => Promise.reject(new Error('no table'))
    expect((await get('/health/detailed')).body).toMatchObject({
      status: 'degraded',
      indexer: { phase: 'unknown', cursorSlot: null, healthy: false },
    })
  })

  test('is degraded if the database does not respond, and reads are 503 without details', async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const cut: TestApp = await own({ database, indexer: () => readIndexerHealth(null, cut.kysely) })
    await database.orm.close()
    expect((await get('/health/detailed', cut)).body).toMatchObject({
      status: 'degraded',
      database: { connected: false },
    })
    expect(await get('/agents', cut)).toMatchObject({
      status: 503,
      body: { error: 'The database is not available' },
    })
    expect(await get('/ready', cut)).toMatchObject({
      status: 503,
      body: { error: 'Not ready: the database does not answer' },
    })
  })

  test('shows no key and no balance without a fee payer', async () => {
    expect((await get('/health/detailed', await own({ feePayer: null }))).body).toMatchObject({
      status: 'healthy',
      feePayer: { enabled: false, pubkey: null, balanceLamports: null, balanceSol: null },
    })
  })

  test('calls the ledger at most once per second, whatever the number of requests', async () => {
    let asked = 0
    ledger = {
      call: (method, params) => {
        if (method === 'getSlot') asked += 1
        return base.rpc.call(method, params)
      },
    }
    await Promise.all([1, 2, 3].map(() => get('/health')))
    await Promise.all([1, 2, 3].map(() => get('/health/detailed')))
    expect(asked).toBe(1)
    now += 1_000
    await get('/health/detailed')
    expect(asked).toBe(2)
  })
})

describe('/ready', () => {
  test('is ready if everything works', async () => {
    expect(await get('/ready')).toMatchObject({ status: 200, body: { status: 'ready' } })
  })

  test('is ready without a ledger node, an indexer or a healthy registry if the tables were filled once', async () => {
    const api = await own({
      ledger: deafLedger,
      roles: rolesOf(['api']),
      indexer: () => readIndexerHealth(null, t.kysely),
    })
    await sql`update indexer_state set updated_at = now() - interval '1 hour'`.execute(t.kysely)
    expect(await get('/ready', api)).toMatchObject({ status: 200, body: { status: 'ready' } })
    expect((await get('/health/detailed', api)).body).toMatchObject({
      status: 'degraded',
      reasons: ['no ledger node responds', 'no process reads the ledger: start one with the role indexer'],
      indexer: { lagSeconds: expect.closeTo(3_600, -2) as number },
    })
  })

  test('does not wait for a node that is silent', async () => {
    const silent: LedgerCalls = { call: () => new Promise(() => undefined) }
    expect(await get('/ready', await own({ ledger: silent }))).toMatchObject({ status: 200 })
  })

  test('of an indexer without the role api is 503 while no ledger node responds', async () => {
    indexer = async () => ({ ...LIVE, healthy: false })
    const alone = await own({ ledger: deafLedger, roles: rolesOf(['indexer']), indexer })
    expect(await get('/ready', alone)).toMatchObject({
      status: 503,
      body: { error: 'Not ready: no ledger node responds; the indexer is behind the ledger (live)' },
    })
  })

  test('is 503 until the registry has been read once, with the reason', async () => {
    ledger = deafLedger
    indexer = async () => ({
      phase: 'backfilling',
      cursorSlot: null,
      finalizedSlot: null,
      lagSlots: null,
      lagSeconds: null,
      deadLetters: null,
      ready: false,
      isEmpty: true,
      hasLeader: true,
      healthy: false,
    })
    expect(await get('/ready')).toMatchObject({
      status: 503,
      body: {
        error:
          'Not ready: no ledger node responds; the registry has not been read from the ledger yet (backfilling)',
      },
    })
  })
})

describe('what is wrong with the registry', () => {
  const accounts = new Map(registryAccounts(PROGRAM).map(([key, account]) => [key, toRpc(account)]))
  const config = registryAddresses(PROGRAM).config()
  const { [PROGRAM]: program, [config]: configAccount } = Object.fromEntries(accounts)

  const layout = `the config account ${config} does not have the layout of the registry`
  const withData = (data: Buffer) => ({
    [config]: { ...configAccount, data: [data.toString('base64'), 'base64'] },
  })

  test.each([
    [
      'the program does not exist',
      { [PROGRAM]: null },
      `the registry program ${PROGRAM} does not exist on the ledger`,
    ],
    [
      'its account is not executable',
      { [PROGRAM]: { ...program, executable: false } },
      `the account ${PROGRAM} is not an executable program`,
    ],
    [
      'it has no config',
      { [config]: null },
      `the registry is not initialized: its config account ${config} does not exist`,
    ],
    ['another program owns the config', { [config]: { ...configAccount, owner: FEE_PAYER } }, layout],
    [
      'the config has another length',
      withData(Buffer.from(configAccount!.data[0], 'base64').subarray(1)),
      layout,
    ],
    ['the config has another discriminator', withData(Buffer.alloc(146, 1)), layout],
  ])('is that %s', async (_, changed, reason) => {
    const calls: string[] = []
    ledger = registryLedger({ ...Object.fromEntries(accounts), ...changed }, calls)
    for (let i = 0; i < 3; i += 1) {
      expect((await get('/health/detailed')).body).toMatchObject({ status: 'degraded', reasons: [reason] })
      expect(await get('/ready')).toMatchObject({ status: 200 })
    }
    expect(calls.filter((method) => method === 'getMultipleAccounts')).toHaveLength(1)
    // With empty tables, the address of the registry is probably wrong.
    indexer = async () => ({ ...LIVE, isEmpty: true })
    expect(await get('/ready')).toMatchObject({
      status: 503,
      body: { error: `Not ready: ${reason}`, details: { code: 'NOT_READY' } },
    })
  })

  test('is that no process leads the indexer, until one does', async () => {
    indexer = () => readIndexerHealth(null, t.kysely)
    await sql`update indexer_state set updated_at = now() - interval '20 seconds'`.execute(t.kysely)
    const reason = 'no process reads the ledger: start one with the role indexer'
    expect((await get('/health/detailed')).body).toMatchObject({ status: 'degraded', reasons: [reason] })
    await withAdvisoryLock(t.database.orm, 'indexer', async () => {
      expect((await get('/health/detailed')).body).toMatchObject({ status: 'healthy', reasons: [] })
    })
    expect((await get('/health/detailed')).body).toMatchObject({ status: 'degraded' })
  })
})

describe('/info', () => {
  const features = {
    did: { enabled: true, method: 'did:sol', spec: 'W3C DID Core 1.0' },
    mcp: { enabled: true, endpoint: '/mcp/sse', spec: 'MCP 2025-11-25' },
    a2a: { enabled: true, spec: 'A2A Agent Card 1.0' },
    credentials: { enabled: true, spec: 'W3C Verifiable Credentials 2.0' },
  }

  test('returns the network of the genesis hash', async () => {
    expect((await get('/info')).body).toEqual({
      name: 'Agent Registry Gateway',
      version: '0.1.0',
      program: PROGRAM,
      feeSponsorshipEnabled: true,
      network: 'localnet',
      features,
    })
  })

  test.each([
    ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 'mainnet-beta'],
    ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', 'devnet'],
    ['4uhcVJyU9pJkvQyS88uRDiswHXSGkY3zQawwpjk2NsNY', 'testnet'],
    ['3JVu3i2UHCzqf85m5a7171Vbyk8qQ6wdoZUANamFpEaW', 'localnet'],
  ])('the genesis hash %s belongs to %s', (genesisHash, network) => {
    expect(networkOf(genesisHash)).toBe(network)
  })

  test('without a ledger, returns the network of the tables, or 503', async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const unfilled = await own({ database, ledger: deafLedger, tablesFilled: false })
    expect(await get('/info', unfilled)).toMatchObject({
      status: 503,
      body: { error: 'The ledger RPC node is not available' },
    })
    await unfilled.kysely
      .insertInto('indexer_state')
      .values({ program_id: PROGRAM, genesis_hash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' })
      .execute()
    expect(await get('/info', unfilled)).toMatchObject({ status: 200, body: { network: 'devnet' } })
  })
})
