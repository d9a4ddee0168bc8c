import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claimCards, findOrigins, recordCheck } from '../../../src/identity/agent-cards/check-queue.ts'
import { CARD_TIMING, CHECKS_PER_SITE } from '../../../src/identity/agent-cards/limits.ts'
import { type CardWorker, createCardWorker } from '../../../src/identity/agent-cards/worker.ts'
import type { FetchQueue } from '../../../src/identity/fetch-queue.ts'
import { createMetrics, type Metrics } from '../../../src/platform/metrics/metrics.ts'
import { createByteBudget } from '../../../src/platform/net/hosted/fetch-hosted.ts'
import { createTestApp, FIXED_NOW } from '../../support/app.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'
import { query } from '../../support/graphql.ts'
import { startHost } from '../../support/identity/host.ts'
import { perFile, perTest } from '../../support/lifetime.ts'
import { scaled } from '../../support/machine-speed.ts'

const CARD = {
  name: 'Kestrel',
  version: '1',
  protocolVersion: '0.3.0',
  url: 'https://kestrel.test/rpc',
  skills: [{ id: 'a', name: 'Audit', tags: ['x'] }],
}
const BODY = JSON.stringify(CARD)
const sha256 = (data: string): string => createHash('sha256').update(data).digest('hex')

const t = perFile(() => createTestApp())
const host = perTest(() => startHost())
let metrics: Metrics
const workers: CardWorker[] = []
/** A queue of credential refreshes that does nothing. */
const NO_QUEUE: FetchQueue = {
  start: () => {},
  lastPolledAt: () => 0,
  inFlight: () => 0,
  stop: async () => {},
}
const warnings: unknown[] = []
beforeEach(async () => {
  metrics = createMetrics()
})
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
  await t.kysely.deleteFrom('agents').execute()
  await t.kysely.deleteFrom('agent_card_checks').execute()
  await t.kysely.deleteFrom('agent_card_hosts').execute()
})

function startWorker(totalMs = 3_000): void {
  const worker = createCardWorker({
    em: t.database.orm.em,
    hosted: {
      http: host.http,
      gateways: { ipfs: host.origin, arweave: host.origin },
      budget: createByteBudget({ now: () => FIXED_NOW }),
      cardUrlOf: async (did) =>
        did === `did:sol:${keyOf('owner other')}` ? `${host.origin}/other.json` : null,
      // The default is long enough for a TLS handshake on a busy machine.
      totalMs,
    },
    clock: { now: () => FIXED_NOW },
    timing: { ...CARD_TIMING, idleMs: 10 },
    // The metrics of the first worker are read.
    metrics: workers.length === 0 ? metrics : createMetrics(),
    random: () => 0.5,
    credentials: NO_QUEUE,
    logger: { warn: (...given: unknown[]) => warnings.push(given) },
  })
  workers.push(worker)
  worker.start()
}

const register = (label: string, url: string, hash: string) =>
  insertAgents(t.kysely, [agentRow(label, { agent_card_url: url, agent_card_hash: hash })])

/** Changes an agent like `update_agent` on the ledger, after all pauses. */
async function update(
  label: string,
  change: { agent_card_url?: string; agent_card_hash?: string },
): Promise<void> {
  await t.kysely.updateTable('agents').set(change).where('name', '=', label).execute()
  await t.kysely.deleteFrom('agent_card_hosts').execute()
  await sql`update agent_card_checks set next_check_at = now() where state = 'unchecked'`.execute(t.kysely)
}

const makeDue = () => sql`update agent_card_checks set next_check_at = now()`.execute(t.kysely)

interface Known {
  cardHashMismatch: boolean
  card: {
    state: string
    reason: string | null
    matchedBy: string | null
    checkedAt: string | null
    name: string | null
  }
}

async function known(label: string): Promise<Known> {
  const { agent } = await query<{ agent: Known }>(
    t,
    `query ($pda: Pubkey!) { agent(pda: $pda) { cardHashMismatch card { state reason matchedBy checkedAt name } } }`,
    { pda: keyOf(`agent ${label}`) },
  )
  return agent
}

async function checked(label: string, state: string): Promise<Known> {
  await expect.poll(async () => (await known(label)).card.state).toBe(state)
  return known(label)
}

const checks = async () => (await metrics.getSingleMetric('gateway_cards_checks_total')!.get()).values

async function listed(parameters = ''): Promise<{ total: number; names: string[] }> {
  const { total, agents } = (await t.app.inject(`/agents?sort=name&order=asc${parameters}`)).json<{
    total: number
    agents: { name: string }[]
  }>()
  return { total, names: agents.map(({ name }) => name) }
}

describe('a hosted card is compared with its recorded hash', () => {
  test('a card with the recorded hash matches, and its content is shown', async () => {
    await register('a', host.serve('/card', BODY), sha256(BODY))
    expect(await known('a')).toEqual({
      cardHashMismatch: false,
      card: { state: 'UNCHECKED', reason: null, matchedBy: null, checkedAt: null, name: null },
    })
    startWorker()
    expect(await checked('a', 'MATCHED')).toEqual({
      cardHashMismatch: false,
      card: {
        state: 'MATCHED',
        reason: null,
        matchedBy: 'RAW',
        checkedAt: new Date(FIXED_NOW).toISOString(),
        name: 'Kestrel',
      },
    })
    const { agents } = await query<{ agents: { nodes: unknown[] } }>(
      t,
      '{ agents { nodes { card { signature url protocolVersion interfaces { url } skills { id tags } } } } }',
    )
    expect(agents.nodes).toEqual([
      {
        card: {
          signature: 'UNSIGNED',
          url: CARD.url,
          protocolVersion: '0.3.0',
          interfaces: [{ url: CARD.url }],
          skills: [{ id: 'a', tags: ['x'] }],
        },
      },
    ])
  })

  test('whitespace and key order do not matter if the hash of the canonical form is recorded', async () => {
    await register('a', host.serve('/card', JSON.stringify(CARD, null, 4)), sha256(canonicalize(CARD)!))
    startWorker()
    expect(await checked('a', 'MATCHED')).toMatchObject({
      cardHashMismatch: false,
      card: { matchedBy: 'JCS' },
    })
  })

  test('the mismatch flag, lists and totals follow the content that the host serves', async () => {
    await register('b', host.serve('/b', BODY), sha256(BODY))
    await register('a', host.serve('/a', '{"name":"Evil"}'), sha256(BODY))
    startWorker()
    expect(await checked('a', 'MISMATCHED')).toEqual({
      cardHashMismatch: true,
      card: expect.objectContaining({
        reason: 'The hosted card has another hash, and so does its canonical form',
        matchedBy: null,
        name: 'Evil',
      }) as unknown,
    })
    await checked('b', 'MATCHED')
    expect(await listed()).toEqual({ total: 1, names: ['b'] })
    expect(await listed('&include_mismatched=true')).toEqual({ total: 2, names: ['a', 'b'] })
    const detail = (await t.app.inject(`/agents/${keyOf('agent a')}`)).json<{ card_hash_mismatch: boolean }>()
    expect(detail.card_hash_mismatch).toBe(true)

    host.serve('/a', BODY)
    host.serve('/b', 'gone bad')
    await makeDue()
    expect((await checked('a', 'MATCHED')).cardHashMismatch).toBe(false)
    expect(await checked('b', 'MISMATCHED')).toMatchObject({
      cardHashMismatch: true,
      card: { reason: 'The hosted document has another hash and is not JSON' },
    })
    expect(await listed()).toEqual({ total: 1, names: ['a'] })
    expect(await listed('&min_reputation=0')).toEqual({ total: 1, names: ['a'] })
    expect(await listed('&include_mismatched=true')).toEqual({ total: 2, names: ['a', 'b'] })
  })

  test('a card with a repeated key has no canonical form', async () => {
    await register('a', host.serve('/card', '{"name":"Evil","name":"Kestrel"}'), sha256('{"name":"Kestrel"}'))
    startWorker()
    const { card } = await checked('a', 'MISMATCHED')
    expect(card.reason).toContain('an object has the key "name" twice')
  })
})

const redirect = (path: string, location: string): string =>
  host.serve(path, { status: 302, headers: { location } })

describe('a card that cannot be fetched keeps the previous result', () => {
  test.each<[string, () => string, string]>([
    ['missing', () => `${host.origin}/nothing`, 'The host responded with status 404'],
    ['no response', () => host.serve('/slow', () => {}), 'The host did not respond in time'],
    ['too large', () => host.serve('/huge', ' '.repeat(262_145)), 'The document is too large'],
    ['closed port', () => 'https://cards.test:1/card', 'The host does not accept connections'],
    [
      'reserved host name',
      () => 'https://agents.example.org/card',
      'agents.example.org is reserved for documentation (RFC 2606)',
    ],
    [
      'redirect to a private address',
      () => redirect('/in', 'https://10.0.0.1/card'),
      'The host has no public address',
    ],
    [
      'redirect to a cloud metadata address',
      () => redirect('/cloud', 'https://169.254.169.254/card'),
      'The host has no public address',
    ],
    [
      'four redirects',
      () => [1, 2, 3, 4].map((i) => redirect(`/hop${i}`, `/hop${i + 1}`))[0]!,
      'The host sends too many redirects, or an invalid one',
    ],
    [
      'private address',
      () => host.origin.replace('cards.test', '10.0.0.1'),
      'The URL must point to a public address',
    ],
    ['unsupported DID method', () => 'did:key:z6Mk', 'Only did:web and did:sol DIDs are supported'],
  ])('%s', async (_, url, reason) => {
    const bad = host.serve('/bad', 'bad')
    await register('a', bad, sha256(BODY))
    startWorker()
    await checked('a', 'MISMATCHED')
    await update('a', { agent_card_url: url() })
    expect(await checked('a', 'UNREACHABLE')).toMatchObject({
      cardHashMismatch: true,
      card: { reason, name: null },
    })
    await update('a', { agent_card_url: host.serve('/good', BODY) })
    expect((await checked('a', 'MATCHED')).cardHashMismatch).toBe(false)
  })

  test('the content of the same URL stays, and the delay before each retry grows', async () => {
    await register('a', host.serve('/card', BODY), sha256(BODY))
    startWorker()
    await checked('a', 'MATCHED')
    const wait = async (): Promise<number> => {
      const { rows } = await sql<{ seconds: number }>`
        select extract(epoch from next_check_at - now())::float8 as seconds from agent_card_checks`.execute(
        t.kysely,
      )
      return rows[0]!.seconds
    }
    expect(await wait()).toBeCloseTo(86_400 * 1.1, -2)
    host.serve('/card', { status: 503 })
    for (const [i, seconds] of [60, 240, 960, 3_840, 15_360, 61_440, 86_400, 86_400].entries()) {
      await makeDue()
      await expect.poll(async () => (await checks()).map(({ value }) => value)).toEqual([1, i + 1])
      expect(await wait()).toBeGreaterThan(seconds * 1.1 - 30)
      expect(await wait()).toBeLessThan(seconds * 1.1 + 1)
    }
    // A card that cannot be fetched is not a problem of the service.
    expect(warnings).toEqual([])
    expect(await known('a')).toMatchObject({
      cardHashMismatch: false,
      card: {
        state: 'UNREACHABLE',
        reason: 'The host responded with status 503',
        matchedBy: 'RAW',
        name: 'Kestrel',
      },
    })
  })

  test('a host that is down gets a few requests for all its agents, and more after the delay', async () => {
    const origin = host.origin.replace('cards', 'down')
    const labels = Array.from({ length: 3 * CHECKS_PER_SITE }, (_, i) => `agent ${i}`)
    await insertAgents(
      t.kysely,
      labels.map((label) =>
        agentRow(label, { agent_card_url: `${origin}/${label}`, agent_card_hash: sha256(BODY) }),
      ),
    )
    startWorker()
    for (const label of labels) {
      expect((await checked(label, 'UNREACHABLE')).card.reason).toBe('The host has no public address')
    }
    const count = async () => (await checks())[0]?.value
    await expect.poll(count).toBe(CHECKS_PER_SITE)
    await sql`update agent_card_hosts set retry_at = now()`.execute(t.kysely)
    await expect.poll(count).toBe(2 * CHECKS_PER_SITE)
    const [row] = await t.kysely.selectFrom('agent_card_hosts').selectAll().execute()
    expect(row).toMatchObject({ host: origin.slice('https://'.length), failures: 2 })
  })
})

test('a host that does not respond is left alone for a minute, unless it served another card', async () => {
  const hosts = () => t.kysely.selectFrom('agent_card_hosts').select(['host', 'failures']).execute()
  const [silent, good] = [host.serve('/silent', () => {}), host.serve('/good', BODY)]
  await register('a', silent, sha256(BODY))
  startWorker(scaled(4_000))
  await checked('a', 'UNREACHABLE')
  await expect.poll(hosts).toEqual([{ host: new URL(host.origin).host, failures: 1 }])
  await register('b', good, sha256(BODY))
  await register('c', 'https://cards.test:1/card', sha256(BODY))
  await checked('c', 'UNREACHABLE')
  expect((await known('b')).card.state).toBe('UNCHECKED')
  await sql`update agent_card_hosts set retry_at = now()`.execute(t.kysely)
  await checked('b', 'MATCHED')

  await sql`delete from agent_card_hosts`.execute(t.kysely)
  const count = () => host.requests().filter((path) => path === '/silent').length
  await makeDue()
  await expect.poll(count).toBe(2)
  await expect
    .poll(async () => (await checks()).find(({ labels }) => labels.state === 'unreachable')?.value)
    .toBe(4)
  expect((await hosts()).filter(({ host: name }) => !name.endsWith(':1'))).toEqual([])
})

test('a host that failed and that no card names any more is forgotten after two days', async () => {
  const hosts = async () =>
    (await t.kysely.selectFrom('agent_card_hosts').select('host').orderBy('host').execute()).map(
      ({ host: name }) => name.replace(/:.*/, ''),
    )
  await register('a', host.origin.replace('cards', 'left'), sha256(BODY))
  await register('b', host.origin.replace('cards', 'kept'), sha256(BODY))
  startWorker()
  await expect.poll(hosts).toEqual(['kept.test', 'left.test'])
  await workers[0]!.stop()
  const url = host.serve('/card', BODY)
  await t.kysely.updateTable('agents').set({ agent_card_url: url }).where('name', '=', 'a').execute()
  await sql`update agent_card_checks set next_check_at = now() where state = 'unchecked'`.execute(t.kysely)
  // A card that stays unreachable is checked again after 29 hours at most.
  await sql`update agent_card_hosts set
    retry_at = now() - case when host like 'left%' then 49 else 29 end * interval '1 hour'`.execute(t.kysely)
  startWorker()
  await checked('a', 'MATCHED')
  await expect.poll(hosts).toEqual(['kept.test'])
})

test('a redirect to a host that is down says nothing about the first host', async () => {
  await register('a', redirect('/away', 'https://cards.test:1/card'), sha256(BODY))
  startWorker()
  expect((await checked('a', 'UNREACHABLE')).card.reason).toBe('The host does not accept connections')
  expect(await t.kysely.selectFrom('agent_card_hosts').selectAll().execute()).toEqual([])
})

describe('a check does not overwrite newer data from the ledger', () => {
  test('a result for an old hash is not written', async () => {
    const answer = Promise.withResolvers<void>()
    const url = host.serve('/card', (_, response) => {
      void answer.promise.then(() => response.end('another card'))
    })
    await register('a', url, sha256(BODY))
    startWorker()
    await expect.poll(() => host.requests().length).toBe(1)
    await update('a', { agent_card_hash: sha256('another card') })
    answer.resolve()
    expect(await checked('a', 'MATCHED')).toMatchObject({ cardHashMismatch: false })
    // Either check may end first.
    const counts = async () => (await checks()).map(({ labels, value }) => `${labels.state}: ${value}`)
    await expect.poll(async () => (await counts()).sort()).toEqual(['matched: 1', 'stale: 1'])
  })

  test('a result is written after another transaction on the agent ends', async () => {
    await register('a', host.serve('/card', 'bad'), sha256(BODY))
    const written = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const writing = t.kysely.transaction().execute(async (db) => {
      await db.updateTable('agents').set({ reputation_score: 300 }).execute()
      locked.resolve()
      await written.promise
    })
    await locked.promise
    startWorker()
    const waitingSince = async (): Promise<string | undefined> => {
      const { rows } = await sql<{ since: string }>`
        select query_start::text as since from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(t.kysely)
      return rows[0]?.since
    }
    await expect.poll(waitingSince).toBeDefined()
    const first = await waitingSince()
    // The first attempt stops after half a second, and another one waits.
    await expect.poll(async () => ![undefined, first].includes(await waitingSince())).toBe(true)
    written.resolve()
    await writing
    expect((await checked('a', 'MISMATCHED')).cardHashMismatch).toBe(true)
    expect(warnings).toEqual([])
  })

  test('an agent that is closed during a check stays closed', async () => {
    const answer = Promise.withResolvers<void>()
    const url = host.serve('/card', (_, response) => {
      void answer.promise.then(() => response.end('bad'))
    })
    await register('a', url, sha256(BODY))
    startWorker()
    await expect.poll(() => host.requests().length).toBe(1)
    await t.kysely.deleteFrom('agents').execute()
    answer.resolve()
    await expect.poll(checks).toEqual([{ labels: { state: 'stale' }, value: 1 }])
    expect(await listed('&include_mismatched=true')).toEqual({ total: 0, names: [] })
  })

  test('changes of other columns do not start a check', async () => {
    await register('a', host.serve('/card', BODY), sha256(BODY))
    startWorker()
    await checked('a', 'MATCHED')
    await t.kysely.updateTable('agents').set({ reputation_score: 300 }).execute()
    await register('b', host.serve('/b', BODY), sha256(BODY))
    await checked('b', 'MATCHED')
    expect(host.requests()).toEqual(['/card', '/b'])
  })
})

test('several workers check each card once', async () => {
  const labels = Array.from({ length: 20 }, (_, i) => `agent ${i}`)
  await insertAgents(
    t.kysely,
    labels.map((label, i) =>
      agentRow(label, { agent_card_url: host.serve(`/${i}`, BODY), agent_card_hash: sha256(BODY) }),
    ),
  )
  startWorker()
  startWorker()
  startWorker()
  for (const label of labels) await checked(label, 'MATCHED')
  expect(host.requests().toSorted()).toEqual(labels.map((_, i) => `/${i}`).toSorted())
})

test('a card of a dead worker is checked when the lease expires', async () => {
  await register('a', host.serve('/card', BODY), sha256(BODY))
  await findOrigins(t.kysely)
  const claim = () => claimCards(t.kysely, { queue: 'first', limit: 10, leaseMs: 60_000 })
  const [taken] = await claim()
  expect(taken?.agentPda).toBe(keyOf('agent a'))
  expect(await claim()).toEqual([])
  await makeDue()
  startWorker()
  await checked('a', 'MATCHED')
  const late = {
    outcome: { state: 'unreachable', reason: 'late', host: 'silent' } as const,
    checkedAt: new Date(),
    nextCheckMs: 0,
    credentialsPauseMs: null,
  }
  expect(await recordCheck(t.database.orm.em, taken!, late)).toBe(false)
})

describe('cards are fetched from other networks and by DID', () => {
  const cid = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
  test.each<[string, string, () => void]>([
    ['IPFS', `ipfs://${cid}/card.json`, () => host.serve(`/ipfs/${cid}/card.json`, BODY)],
    ['Arweave', `ar://${'a'.repeat(43)}`, () => host.serve(`/${'a'.repeat(43)}`, BODY)],
    [
      'the DID of another agent',
      `did:sol:${keyOf('owner other')}#agent-card`,
      () => host.serve('/other.json', BODY),
    ],
  ])('%s', async (_, url, serve) => {
    serve()
    await register('a', url, sha256(BODY))
    startWorker()
    expect((await checked('a', 'MATCHED')).cardHashMismatch).toBe(false)
  })
})

test('up to three redirects are followed', async () => {
  expect.hasAssertions()
  for (const i of [1, 2]) redirect(`/hop${i}`, `/hop${i + 1}`)
  redirect('/hop3', '/end')
  host.serve('/end', BODY)
  await register('a', `${host.origin}/hop1`, sha256(BODY))
  startWorker()
  await checked('a', 'MATCHED')
})

test('a did:web card URL leads to the card in the DID Document', async () => {
  const did = `did:web:${encodeURIComponent(host.origin.slice('https://'.length))}`
  const service = [
    { id: `${did}#other`, type: 'LinkedDomains', serviceEndpoint: 'https://10.0.0.1/' },
    { id: `${did}#card`, type: 'A2AAgentCard', serviceEndpoint: host.serve('/card', BODY) },
  ]
  host.serve('/.well-known/did.json', JSON.stringify({ id: did, service }))
  await register('a', did, sha256(BODY))
  await register('b', `${did}#card`, sha256(BODY))
  await register('c', `${did}#other`, sha256(BODY))
  await register('d', `${did}#missing`, sha256(BODY))
  startWorker()
  await checked('a', 'MATCHED')
  await checked('b', 'MATCHED')
  expect((await checked('c', 'UNREACHABLE')).card.reason).toBe('The URL must point to a public address')
  expect((await checked('d', 'UNREACHABLE')).card.reason).toBe(
    'The DID has no agent card that can be fetched',
  )
})
