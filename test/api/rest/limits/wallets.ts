import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { clientNetwork } from '../../../../src/domain/client-network.ts'
import { urlProblem } from '../../../../src/platform/net/check-url.ts'
import { createGuardedHttp } from '../../../../src/platform/net/guarded-http.ts'
import { TransactionStore } from '../../../../src/transactions/transaction-store.ts'
import { createSlots, type Lane } from '../../../../src/webhooks/slots.ts'
import { retryDelay, WORKER_LIMITS } from '../../../../src/webhooks/limits.ts'
import { deleteOldRows } from '../../../../src/webhooks/maintenance.ts'
import { excerptOf, retryAfterMs } from '../../../../src/webhooks/send.ts'
import { settle } from '../../../../src/webhooks/settle.ts'
import { createWorkerConnection } from '../../../../src/webhooks/worker-connection.ts'
import { claimDue } from '../../../../src/webhooks/claim-due.ts'
import { FIXED_NOW } from '../../../support/app.ts'
import { bearer, requestChallenge, signIn, signInWallet } from '../../../support/sign-in.ts'
import { walletOf } from '../../../support/wallet.ts'
import { answerOf, below, type Cases, type Check, equals, lowered, most, raised, testedIn } from './check.ts'
import { address, clock, config, label, last, MINUTE, post, send, sendAs, t } from './world.ts'

/** A webhook with these columns, and deliveries that ended or are in flight. */
async function webhook(columns: object = {}, deliveries = 0, delivery: object = {}): Promise<string> {
  const id = randomUUID()
  const row = {
    id,
    wallet: id,
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
    signatures: null,
    retry_ms: 1_000,
    pause_ms: null,
  } as const
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

const WEBHOOK = { url: 'https://receiver.example.com/', eventTypes: ['agent.closed'] }
const getAs = async (token: string): Promise<string> =>
  answerOf(await t.app.inject({ url: '/webhooks', headers: bearer(token) }))
const DATE = 'Sat, 21 Nov 2026 12:01:30 GMT'
const retryAfterIn = (ms: number) => retryAfterMs(DATE, Date.parse(DATE) - ms)

/** How many retries start at once, of as many webhooks of one site with as many deliveries each. */
async function claimed(webhooks: number, deliveries: number): Promise<number> {
  const { orm } = t.database
  const connection = createWorkerConnection({ orm, kysely: t.kysely, onNotification: () => undefined })
  await t.kysely.deleteFrom('webhook_subscriptions').execute()
  for (let i = 0; i < webhooks; i += 1) {
    const network = label()
    const columns = { network, site: 'a.example', response_ms: 5 }
    await webhook(columns, deliveries, { network, status: 'retrying', next_attempt_at: ago(0) })
  }
  const slots = { all: () => 1_000, free: () => 1_000 }
  const given = { slots, after: '', limits: WORKER_LIMITS, finished: [], random: Math.random }
  const { claims } = await claimDue(connection, { ...given, status: 'retrying' })
  await connection.close()
  return claims.length
}
/** How many attempts of a lane start in a process, first ones and retries. */
function startable(lane: Lane): number {
  const slots = createSlots(WORKER_LIMITS, () => undefined)
  for (const status of ['pending', 'retrying'] as const)
    for (let free = slots.free(lane, status); free > 0; free -= 1)
      slots.start(lane, status, () => new Promise(() => undefined))
  return slots.inFlight(lane)
}

/** Settled transactions are kept for this time after they were prepared. */
const kept = (signed_tx: string | null, slot: number | null = null): Check =>
  most(
    async (ms) => {
      await t.kysely.deleteFrom('prepared_transactions').execute()
      const transactions = new TransactionStore(t.database.orm.em)
      await transactions.insertSimulated({
        id: randomUUID(),
        message: '',
        lastValidBlockHeight: 1,
        blockhashSlot: 1,
        now: clock.time - ms,
      })
      await t.kysely.updateTable('prepared_transactions').set({ settled: true, signed_tx, slot }).execute()
      return transactions.deleteOld(clock.time)
    },
    { accepted: 0, refused: 1 },
  )

export const walletCases: Cases = {
  'Wallet authentication': {
    'Difference between the timestamp and the clock': most(async (n) => {
      const signed = Math.ceil(clock.time / 1_000) * 1_000
      const outcomes = new Set<string>()
      for (const ms of [n, -n]) {
        const headers = walletOf(label()).headers('GET', '/webhooks', signed)
        clock.time = signed + ms
        outcomes.add(answerOf(await t.app.inject({ url: '/webhooks', headers })))
      }
      clock.time = signed
      return [...outcomes].join()
    }),
    'Client networks that use a signature': most((n) => {
      const headers = walletOf(label()).headers('GET', '/webhooks', clock.time)
      return last(n, async () =>
        answerOf(await t.app.inject({ url: '/webhooks', headers, remoteAddress: address() })),
      )
    }),
    'Age of a challenge': below(async (n) => {
      const { input } = await requestChallenge(t)
      const signed = signInWallet(label()).signIn(input, (text) => text.replace(/\nExpiration Time.*/, ''))
      clock.time += n
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
      const end = clock.time + n
      while (clock.time + 50 * MINUTE < end) {
        clock.time += 50 * MINUTE
        await getAs(token)
      }
      clock.time = end
      return getAs(token)
    }),
    'Session without a request': below(async (n) => {
      const token = await signIn(t, signInWallet(label()))
      clock.time += n
      return getAs(token)
    }),
    'Sessions of a wallet': most(
      async (n) => {
        const wallet = signInWallet(label())
        const tokens: string[] = []
        for (let i = 0; i < n; i += 1) {
          clock.time += MINUTE
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
      return send('/webhooks', WEBHOOK, walletOf(name).headers('POST', '/webhooks', clock.time), ip)
    }),
    'Length of `url`': most((n) => {
      const url = 'https://receiver.example.com/'
      return sendAs(label(), '/webhooks', { ...WEBHOOK, url: url + 'x'.repeat(n - url.length) })
    }),
    'Ports of `url`': async (n) => {
      const { allowedPorts } = config.webhooks
      const http = createGuardedHttp({ devMode: false, allowedPorts })
      const isAccepted = (port: number): boolean =>
        urlProblem(http, `https://receiver.example.com:${port}/`) === null
      expect([n - 1, n, n + 1].map(isAccepted)).toEqual([false, true, false])
    },
    'Time of an attempt': testedIn('faults/platform/hostile-servers', 'a host that never responds times out'),
    'Time of a first attempt to a new or slow webhook': testedIn(
      'faults/webhooks/lanes',
      'first attempts to a new webhook end early, and their retries have the whole time',
    ),
    'Attempts of a delivery': most((n) => n === 1 || retryDelay(n - 2, {}, () => 0.5) !== null, {
      accepted: true,
      refused: false,
    }),
    'Attempts at once, per webhook': lowered((n) => claimed(1, n)),
    'Attempts at once, per site (registrable domain)': lowered((n) => claimed(n, 1)),
    'Attempts at once, per process, to fast webhooks': equals(() => startable('fast')),
    'Attempts at once, per process, to new and slow webhooks': equals(() => startable('slow')),
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
      const range = {
        since: new Date(clock.time - n).toISOString(),
        until: new Date(clock.time).toISOString(),
      }
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
        const response = await post(path, { since, until }, walletOf(name).headers('POST', path, clock.time))
        expect(response.json()).toEqual({ recovered: n, more })
      }
    },
    'Stored characters of a response': lowered((n) => {
      const headers = { 'content-type': 'text/plain' }
      return excerptOf({ headers, body: Buffer.from('x'.repeat(n)), truncated: false } as never)?.length
    }),
    'Stored characters of a response after 3 days': testedIn(
      'faults/webhooks/stored-attempts',
      'responses are stored whole for three days, and their start for thirty',
    ),
    'Pings of a webhook': testedIn(
      'faults/webhooks/stored-attempts',
      'of the pings of a webhook, the newest are stored with their responses, and no others',
    ),
    'Attempts shown for a delivery': lowered(async (n) => {
      const name = label()
      const id = await webhook({ wallet: walletOf(name).pubkey }, 1, ENDED)
      await sql`insert into webhook_attempts (delivery_id, number, trigger, outcome, started_at, duration_ms)
        select d.id, n, 'retry', 'failure', now(), 1 from webhook_deliveries d, generate_series(1, ${n}::int) n
        where d.subscription_id = ${id}`.execute(t.kysely)
      const url = `/webhooks/${id}/deliveries`
      const response = await t.app.inject({ url, headers: walletOf(name).headers('GET', url, clock.time) })
      return response.json<{ deliveries: { attempts: unknown[] }[] }>().deliveries[0]?.attempts.length
    }),
  },
  Retention: {
    'Transactions that were prepared and not submitted': kept(null),
    'Transactions that were submitted and never landed': kept('AA=='),
    'Transactions that landed': kept('AA==', 1),
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
