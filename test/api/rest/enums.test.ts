import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { FIXED_NOW, useTestApp } from '../../support/app.ts'
import { agentRow, insertAgents, insertHistory, keyOf } from '../../support/factories.ts'
import { TransactionStore } from '../../../src/transactions/transaction-store.ts'
import { answerOf } from './limits/check.ts'
import { type Json, type OpenApi, problems, resolvedSchema } from '../../support/openapi.ts'
import { walletOf } from '../../support/wallet.ts'
import { steppingClock } from '../../support/wallet-client.ts'
import { refused, responseOf } from '../../support/refusal.ts'

/** The words of the contract, by the place in the document that lists them. */
const CONTRACT: readonly [schema: string, member: string, words: string][] = [
  ['Transaction', 'status', 'pending simulated submitted confirmed failed'],
  ['Agent', 'status', 'active'],
  ['ListedAgent', 'tier', 'basic standard'],
  ['HistoryEntry', 'event_type', 'reputation_updated tier_updated status_changed metadata_updated'],
  ['CredentialCheck', 'check', 'context type subject temporal proof_present proof_verified'],
  ['Health', 'status', 'ok'],
  ['DetailedHealth', 'status', 'healthy'],
]
const EVENT_TYPES =
  'agent.registered agent.updated agent.reputation_updated agent.tier_updated agent.status_changed agent.suspended agent.reactivated agent.deactivated agent.closed stake.deposited stake.withdrawn stake.withdrawal_requested stake.withdrawal_cancelled stake.closed'
const PARAMETERS: Readonly<Record<string, string>> = {
  'GET /agents sort': 'reputation created_at name',
  'GET /agents order': 'asc desc',
  'GET /agents status': 'active inactive',
  'GET /agents tier': 'basic standard',
  'GET /agents/{pda}/history event_type': CONTRACT[3]![2],
  'POST /relay/prepare priorityLevel': 'low medium high',
  'POST /relay/prepare/sponsored priorityLevel': 'low medium high',
  'POST /webhooks eventTypes': EVENT_TYPES,
}

const clock = steppingClock(FIXED_NOW)
const owner = walletOf('owner')
const PDA = keyOf('agent 0')
/** What the ledger answers. A prepare needs more. */
const answers: Record<string, unknown> = { getGenesisHash: keyOf('genesis') }
const t = useTestApp({ clock, ledger: { call: async <Result>(method: string) => answers[method] as Result } })
let document: OpenApi
beforeAll(async () => {
  document = (await t.app.inject('/openapi.json')).json()
})

interface Parameter {
  readonly name: string
  readonly words: readonly string[]
  readonly send: (word: string) => Promise<string>
}
const request = async (method: 'GET' | 'POST', url: string, payload?: object): Promise<string> => {
  const headers = url.startsWith('/webhooks') ? owner.headers(method, url, clock.step()) : {}
  return answerOf(await t.app.inject({ method, url, headers, ...(payload && { payload }) }))
}
/** All parameters and members of bodies that accept some words only. */
function listedParameters(): Parameter[] {
  return Object.entries(document.paths).flatMap(([path, { get, post }]) => {
    const query = (get?.parameters ?? []).flatMap(({ name, schema }) => {
      const send = (word: string) => request('GET', `${path.replace('{pda}', PDA)}?${name}=${word}`)
      return schema['enum'] === undefined
        ? []
        : [{ name: `GET ${path} ${name}`, words: schema['enum'], send }]
    })
    const body = resolvedSchema(document, post?.requestBody?.content['application/json']?.schema ?? {})
    const members = Object.entries((body['properties'] ?? {}) as Record<string, Json>)
    const schemas = members.map(([name, schema]) => [name, resolvedSchema(document, schema)] as const)
    const required = (body['required'] ?? []) as string[]
    const example = Object.fromEntries(
      schemas.flatMap(([name, { examples, enum: words }]) =>
        required.includes(name) ? [[name, ((examples ?? words) as unknown[] | undefined)?.[0]]] : [],
      ),
    )
    const listed = schemas.flatMap(([name, schema]) => {
      const items = (schema['items'] ?? schema) as Json
      const [named = items] = (items['allOf'] ?? []) as Json[]
      const item = resolvedSchema(document, named)
      const send = (word: string) =>
        request('POST', path, { ...example, [name]: items === schema ? word : [word] })
      return item['enum'] === undefined ? [] : [{ name: `POST ${path} ${name}`, words: item['enum'], send }]
    })
    return query.concat(listed) as Parameter[]
  })
}

test('the document lists the words of the contract', () => {
  const missing = CONTRACT.flatMap(([schema, member, words]) => {
    const listed = new Set(wordsOf(schema, member))
    return words.split(' ').filter((word) => !listed.has(word))
  })
  expect(missing).toEqual([])
  const parameters = new Map(listedParameters().map(({ name, words }) => [name, words]))
  for (const [name, words] of Object.entries(PARAMETERS))
    expect([name, parameters.get(name)]).toEqual([name, expect.arrayContaining(words.split(' '))])
})

test('each listed word is accepted, and no other', async () => {
  await insertAgents(t.kysely, ['0'])
  const parameters = listedParameters()
  expect(parameters.length).toBeGreaterThan(20)
  for (const { name, words, send } of parameters) {
    const refused = []
    for (const word of words) if ((await send(word)) === '400 INVALID_ENUM') refused.push(word)
    expect([name, refused]).toEqual([name, []])
    for (const word of ['', 'other words', words[0]!.toUpperCase()])
      expect([name, word, await send(encodeURIComponent(word))]).toEqual([name, word, '400 INVALID_ENUM'])
  }
})

/** The words that a response schema lists for a member. */
const wordsOf = (schema: string, member: string): string[] => {
  const properties = document.components.schemas[schema]!['properties'] as Record<string, Json>
  return properties[member]!['enum'] as string[]
}
/** What is wrong with responses that must have the documented form, and each listed word once. */
function differences(schema: string, member: string, items: readonly object[]): unknown[] {
  const wrong = items.flatMap((item) => problems(document, document.components.schemas[schema]!, item))
  const words = new Set(items.map((item) => (item as Json)[member]))
  return [...wrong, ...wordsOf(schema, member).filter((word) => !words.has(word))]
}
const list = async (url: string, headers = {}): Promise<Record<string, object[]>> =>
  (await t.app.inject({ url, headers })).json()

test.each([
  ['tier', 'tier'],
  ['status', 'status'],
  ['service_category', 'service_category'],
] as const)('each listed %s of an agent is returned', async (member, column) => {
  const agents = wordsOf('Agent', member).map((word) => agentRow(word, { [column]: word, name: member }))
  await t.kysely.deleteFrom('agents').execute()
  await insertAgents(t.kysely, agents)
  expect(differences('ListedAgent', member, (await list('/agents'))['agents']!)).toEqual([])
})

test('each listed type of a history entry is returned', async () => {
  await insertAgents(t.kysely, ['history'])
  const types = wordsOf('HistoryEntry', 'event_type') as 'tier_updated'[]
  await insertHistory(
    t.kysely,
    'history',
    types.map((event_type) => ({ event_type, delta: null })),
  )
  const { history } = await list(`/agents/${keyOf('agent history')}/history`)
  expect(differences('HistoryEntry', 'event_type', history!)).toEqual([])
})

test('each listed status and failure of a transaction is returned', async () => {
  const store = new TransactionStore(t.database.orm.em)
  const read = async (status: string, error: object | null): Promise<Json> => {
    const id = randomUUID()
    await store.insertSimulated({
      id,
      message: '',
      lastValidBlockHeight: 1,
      blockhashSlot: 1,
      now: FIXED_NOW,
    })
    await sql`update prepared_transactions set status = ${status}, error = ${error && JSON.stringify(error)} where id = ${id}`.execute(
      t.kysely,
    )
    return (await t.app.inject(`/relay/status/${id}`)).json<Json>()
  }
  const failure = { code: 'execution_failed', message: 'It failed' }
  const records = await Promise.all(
    wordsOf('Transaction', 'status').map((status) => read(status, status === 'failed' ? failure : null)),
  )
  expect(differences('Transaction', 'status', records)).toEqual([])
  const failures = wordsOf('TransactionFailure', 'code').map((code) => read('failed', { ...failure, code }))
  expect(
    differences(
      'TransactionFailure',
      'code',
      (await Promise.all(failures)).map(({ error }) => error as Json),
    ),
  ).toEqual([])
})

test('each listed word of a webhook, a delivery and an attempt is returned', async () => {
  const values = (words: readonly (string | null)[]) => sql`unnest(${words}::text[])`
  await sql`delete from webhook_subscriptions`.execute(t.kysely)
  await sql`insert into webhook_subscriptions (id, wallet, url, event_types, secret_encrypted, active, disabled_reason)
    select gen_random_uuid(), ${owner.pubkey}, 'https://a.example/', '{}', '', reason is null, reason
    from ${values(wordsOf('Webhook', 'disabled_reason'))} reason`.execute(t.kysely)
  const signed = (url: string) => list(url, owner.headers('GET', url, clock.step()))
  const { subscriptions } = await signed('/webhooks')
  expect(differences('Webhook', 'disabled_reason', subscriptions!)).toEqual([])
  const { id } = subscriptions![0] as { id: string }
  await sql`insert into webhook_deliveries
      (subscription_id, event_id, event_type, body, status, next_attempt_at, completed_at, lease_token, lease_until)
    select ${id}, status, 'agent.updated', '{}', status,
      case when status in ('pending', 'retrying') then now() end,
      case when status in ('success', 'failed', 'cancelled') then now() end,
      case status when 'in_flight' then 'token' end, case status when 'in_flight' then now() end
    from ${values(wordsOf('Delivery', 'status'))} status`.execute(t.kysely)
  await sql`insert into webhook_attempts (delivery_id, number, trigger, outcome, started_at, duration_ms)
    select id, 1, trigger, outcome, now(), 1 from
      (select id from webhook_deliveries where subscription_id = ${id} limit 1) d,
      rows from (${values(wordsOf('DeliveryAttempt', 'trigger'))}, ${values(wordsOf('DeliveryAttempt', 'outcome'))}) as words(trigger, outcome)`.execute(
    t.kysely,
  )
  const { deliveries } = await signed(`/webhooks/${id}/deliveries`)
  expect(differences('Delivery', 'status', deliveries!)).toEqual([])
  const attempts = (deliveries as { attempts: object[] }[]).flatMap((each) => each.attempts)
  expect(differences('DeliveryAttempt', 'trigger', attempts)).toEqual([])
  expect(differences('DeliveryAttempt', 'outcome', attempts)).toEqual([])
})

test('an internal error during a preparation is 500 with the text of the contract', async () => {
  answers['getLatestBlockhash'] = {}
  const instructions = [{ programId: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', keys: [], data: 'QQ==' }]
  const payload = { instructions, signerPubkeys: [owner.pubkey] }
  const response = await t.app.inject({ method: 'POST', url: '/relay/prepare', payload })
  expect(responseOf(response)).toEqual(refused(500, 'PREPARE_FAILED', 'Failed to prepare transaction'))
})
