import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { beforeEach, describe, expect, test } from 'vitest'
import { createTrustedIssuers } from '../../../src/identity/credentials/trusted-issuers.ts'
import { readUsage, sponsorshipRequest } from '../../../src/transactions/quota.ts'
import { createInviteCodes, inviteCodeHash } from '../../../src/transactions/invite-codes.ts'
import { createAppOfTest, everyRateLimit, FIXED_NOW, useTestApp } from '../../support/app.ts'
import type { Json } from '../../support/identity/issuer.ts'
import { keyOf } from '../../support/factories.ts'

const TOKEN = 'operator-token-of-at-least-32-characters'
const DAY_MS = 86_400_000
const t = useTestApp({ operatorToken: TOKEN })

interface Answer {
  readonly data: Json
  readonly errors?: { message: string; extensions: { code: string } }[]
}

async function ask(
  query: string,
  variables: object = {},
  authorization = `Bearer ${TOKEN}`,
): Promise<Answer> {
  const headers = { authorization }
  const response = await t.app.inject({
    method: 'POST',
    url: '/graphql',
    headers,
    payload: { query, variables },
  })
  return response.json()
}
const read = async (selection: string): Promise<Json> => {
  const { data, errors } = await ask(`{ operator { ${selection} } }`)
  expect(errors).toBeUndefined()
  return data.operator
}
const refusal = ({ errors }: Answer) => errors?.map(({ extensions }) => extensions.code).join()

const CREATE = `mutation ($maxUses: Int, $expiresAt: DateTime) {
  createInviteCode(maxUses: $maxUses, expiresAt: $expiresAt) { code operator { inviteCodes { id } } }
}`
const REVOKE = 'mutation ($id: String!) { revokeInviteCode(id: $id) { inviteCodes { id revokedAt } } }'
const RETRY = 'mutation ($id: String!) { retryDeadLetter(id: $id) { deadLetters { id } } }'
const SET = `mutation ($did: String!, $enabled: Boolean!) {
  setIssuerEnabled(did: $did, enabled: $enabled) { issuers { did enabled } }
}`

const LETTER = {
  id: 'x',
  kind: 'missing_transaction' as const,
  signature: 'sig',
  pda: null,
  slot: 12,
  reason: 'not served',
  data: null,
}

beforeEach(async () => {
  await t.kysely.deleteFrom('dead_letters').execute()
  await t.kysely.deleteFrom('sponsorships').execute()
  await t.kysely.deleteFrom('invite_codes').execute()
})

describe('without the token, nothing is read or changed', () => {
  const OTHERS: [who: string, authorization: string][] = [
    ['nobody', ''],
    ['a part of the token', `Bearer ${TOKEN.slice(0, -1)}`],
    ['a longer token', `Bearer ${TOKEN}x`],
    ['the token without Bearer', TOKEN],
    ['a session token', `Bearer ars_${'A'.repeat(43)}`],
    ['an empty token', 'Bearer '],
  ]
  test.each(OTHERS)('for %s', async (_, authorization) => {
    const codes = createInviteCodes(t.database.orm.em)
    const { id } = await codes.create({ maxUses: 1, expiresAt: null })
    await t.kysely.insertInto('dead_letters').values(LETTER).execute()
    for (const answer of [
      await ask('{ operator { inviteCodes { id } } }', {}, authorization),
      await ask(CREATE, { maxUses: 5 }, authorization),
      await ask(REVOKE, { id }, authorization),
      await ask(SET, { did: 'did:web:auditor.example', enabled: false }, authorization),
      await ask(RETRY, { id: LETTER.id }, authorization),
    ]) {
      expect(refusal(answer)).toBe('OPERATOR_FORBIDDEN')
      expect(answer.data).toBeNull()
    }
    expect(await codes.list()).toMatchObject([{ id, revokedAt: null }])
    const marks = t.kysely.selectFrom('dead_letters').select('retry_requested_at').execute()
    expect(await marks).toEqual([{ retry_requested_at: null }])
  })

  test.each(['Bearer ', 'Bearer null', 'Bearer undefined', `Bearer ${TOKEN}`])(
    'nobody is an operator of a service without a token, with %j',
    async (authorization) => {
      const without = await createAppOfTest({ database: t.database })
      const payload = { query: '{ operator { issuers { did } } }' }
      const headers = { authorization }
      const response = await without.app.inject({ method: 'POST', url: '/graphql', headers, payload })
      expect(refusal(response.json())).toBe('OPERATOR_FORBIDDEN')
    },
  )

  test('a socket is never one of an operator', async () => {
    const url = await t.app.listen({ port: 0, host: '127.0.0.1' })
    const client = createClient({
      url: url.replace('http', 'ws') + '/graphql',
      webSocketImpl: class extends WebSocket {
        constructor(address: string, protocols: string[]) {
          super(address, protocols, { headers: { authorization: `Bearer ${TOKEN}` } })
        }
      },
      connectionParams: { Authorization: `Bearer ${TOKEN}` },
    })
    const results = client.iterate({ query: '{ operator { issuers { did } } }' })
    const { value } = (await results.next()) as { value: Answer }
    expect(refusal(value)).toBe('OPERATOR_FORBIDDEN')
    await client.dispose()
  })
})

test('an answer for an operator is not stored by caches', async () => {
  const query = encodeURIComponent('{ operator { issuers { did } } }')
  const headers = { authorization: `Bearer ${TOKEN}` }
  const { headers: sent, statusCode } = await t.app.inject({ url: `/graphql?query=${query}`, headers })
  expect([statusCode, sent['cache-control']]).toEqual([200, 'no-store'])
})

test('a client cannot try many tokens', async () => {
  const limited = await createAppOfTest({
    database: t.database,
    operatorToken: TOKEN,
    rateLimits: { ...everyRateLimit(1_000), authenticated: 3 },
  })
  const codes: (string | undefined)[] = []
  for (let i = 0; i < 5; i += 1) {
    const payload = { query: '{ operator { issuers { did } } }' }
    const headers = { authorization: `Bearer ${'x'.repeat(32)}${i}` }
    const response = await limited.app.inject({ method: 'POST', url: '/graphql', headers, payload })
    codes.push(refusal(response.json()))
  }
  expect(codes).toEqual([...Array(3).fill('OPERATOR_FORBIDDEN'), ...Array(2).fill('RATE_LIMITED')])
})

test('an operator creates a code that works, sees its uses, and revokes it', async () => {
  const expiresAt = new Date(FIXED_NOW + 30 * DAY_MS).toISOString()
  const { data } = await ask(CREATE, { maxUses: 3, expiresAt })
  const { code, operator } = data.createInviteCode
  const [{ id }] = operator.inviteCodes
  expect(inviteCodeHash(code)?.slice(0, 10)).toBe(id)
  const { inviteCodes } = await read('inviteCodes { id maxUses uses expiresAt revokedAt }')
  expect(inviteCodes).toEqual([{ id, maxUses: 3, uses: 0, expiresAt, revokedAt: null }])
  const { data: after } = await ask(REVOKE, { id })
  expect(after.revokeInviteCode.inviteCodes).toEqual([{ id, revokedAt: expect.any(String) }])
})

test.each([
  [{ maxUses: 0 }, 'INVALID_INTEGER', 'maxUses must be an integer from 1 to 1000000, got 0'],
  [{ maxUses: 1_000_001 }, 'INVALID_INTEGER', 'maxUses must be an integer from 1 to 1000000, got 1000001'],
  [{ expiresAt: '2026-11-21T06:29:22.000Z' }, 'INVALID_TEXT', 'expiresAt must be in the future'],
])('a code with %j is refused', async (variables, code, message) => {
  const answer = await ask(CREATE, variables)
  expect([refusal(answer), answer.errors?.[0]?.message]).toEqual([code, expect.stringContaining(message)])
  expect(await read('inviteCodes { id }')).toEqual({ inviteCodes: [] })
})

test.each(['0123456789', '7KQ4M-X2D9H-0RTVW-P3ZBN', '%', '__________', 'x'.repeat(5_000), '\u202E\0'])(
  'revoking %j is refused and changes nothing',
  async (id) => {
    await ask(CREATE, {})
    const answer = await ask(REVOKE, { id })
    expect(refusal(answer)).toBe('INVITE_CODE_NOT_FOUND')
    expect((await read('inviteCodes { revokedAt }')).inviteCodes).toEqual([{ revokedAt: null }])
  },
)

test('an operator stops trusting an issuer, and trusts it again', async () => {
  const issuers = createTrustedIssuers({ em: t.database.orm.em, clock: { now: () => FIXED_NOW } })
  const did = `did:sol:${keyOf('auditor')}`
  await issuers.put({ did, allowedTypes: null, keys: [], notBefore: null, notAfter: null })
  for (const enabled of [false, true]) {
    const { data } = await ask(SET, { did, enabled })
    expect(data.setIssuerEnabled.issuers).toEqual([{ did, enabled }])
  }
  const set = async (given: string) => refusal(await ask(SET, { did: given, enabled: false }))
  expect(await set('did:web:nobody.example')).toBe('ISSUER_NOT_FOUND')
  expect(await set('\0')).toBe('INVALID_TEXT')
  expect(await set('x'.repeat(257))).toBe('INVALID_TEXT')
})

test('the spent lamports are those that count against the daily budget', async () => {
  const wallet = keyOf('owner')
  const ago = (ms: number): string => new Date(Date.now() - ms).toISOString()
  const row = { kind: 'transaction' as const, wallet, agent_pda: null, code_hash: null, rent_lamports: null }
  const rows = [
    {
      id: 'a',
      state: 'confirmed' as const,
      reserved_lamports: 20,
      spent_lamports: 5,
      created_at: ago(1_000),
    },
    {
      id: 'b',
      state: 'submitted' as const,
      reserved_lamports: 20,
      spent_lamports: null,
      created_at: ago(2_000),
    },
    {
      id: 'c',
      state: 'released' as const,
      reserved_lamports: 20,
      spent_lamports: null,
      created_at: ago(3_000),
    },
    {
      id: 'd',
      state: 'failed' as const,
      reserved_lamports: 20,
      spent_lamports: 7,
      created_at: ago(25 * 3_600_000),
    },
    {
      id: 'e',
      state: 'confirmed' as const,
      reserved_lamports: 20,
      spent_lamports: 9,
      created_at: ago(40 * DAY_MS),
    },
  ]
  await t.kysely
    .insertInto('sponsorships')
    .values(rows.map((each) => Object.assign({}, row, each)))
    .execute()
  const addresses = { agent: () => keyOf('agent') }
  const request = sponsorshipRequest(wallet, null, '203.0.113.9', { addresses } as never)
  const { dailyLamports } = await readUsage(t.kysely, request, null)
  const { sponsorship } = await read(
    'sponsorship { spentLamports days { day transactions lamports } newest { wallet } }',
  )
  expect([sponsorship.spentLamports, dailyLamports, sponsorship.newest]).toEqual(['25', 25, []])
  expect(sponsorship.days).toHaveLength(30)
  expect(sponsorship.days.at(-1).day).toBe(new Date().toISOString().slice(0, 10))
  const sum = (member: 'transactions' | 'lamports'): number =>
    sponsorship.days.reduce((total: number, day: Record<string, unknown>) => total + Number(day[member]), 0)
  expect([sum('transactions'), sum('lamports')]).toEqual([3, 32])
})

test('deliveries, failing webhooks and dead letters of all wallets are shown, without URLs', async () => {
  const hook = {
    wallet: keyOf('owner'),
    url: 'https://receiver.example.com/hook?secret=1',
    event_types: ['agent.registered' as const],
    secret_encrypted: Buffer.alloc(1),
  }
  await t.kysely
    .insertInto('webhook_subscriptions')
    .values([
      { ...hook, id: 'works' },
      {
        ...hook,
        id: 'fails',
        failing_since: '2026-11-20T00:00:00Z',
        last_failure_at: '2026-11-21T00:00:00Z',
      },
      { ...hook, id: 'gone', active: false, disabled_at: '2026-11-21T01:00:00Z', disabled_reason: 'gone' },
      {
        ...hook,
        id: 'deleted',
        active: false,
        deleted_at: '2026-11-21T01:00:00Z',
        failing_since: '2026-11-20T00:00:00Z',
      },
    ])
    .execute()
  await t.kysely.insertInto('dead_letters').values(LETTER).execute()
  const { webhooks, deadLetters } = await read(
    'webhooks { active disabled pending failing { id host disabledReason } } deadLetters { kind reason slot signature }',
  )
  expect(webhooks).toEqual({
    active: 2,
    disabled: 1,
    pending: 0,
    failing: [
      { id: 'gone', host: 'receiver.example.com', disabledReason: 'GONE' },
      { id: 'fails', host: 'receiver.example.com', disabledReason: null },
    ],
  })
  expect(deadLetters).toEqual([
    { kind: 'MISSING_TRANSACTION', reason: 'not served', slot: 12, signature: 'sig' },
  ])
})
