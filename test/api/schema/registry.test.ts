import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { databaseReader } from '../../../src/registry/registry.ts'
import { useTestApp } from '../../support/app.ts'
import { agentRow, insertAgents, insertStakes, keyOf, stakeRow } from '../../support/factories.ts'
import { post, query } from '../../support/graphql.ts'
import { planOf, recordStatements } from '../../support/statements.ts'

const statements = recordStatements()
const t = useTestApp({ registry: databaseReader })
beforeAll(async () => {
  await insertAgents(t.kysely, [
    agentRow('Alpha', { tier: 'basic' }),
    agentRow('alphabet', { tier: 'premium', status: 'suspended' }),
    agentRow('ALPINE', { service_category: 'commerce', status: 'deactivated' }),
    agentRow('Ällpen', { tier: 'premium' }),
    '100%_done',
    agentRow('Alpha impostor', { card_hash_mismatch: true }),
  ])
  await insertStakes(t.kysely, [
    stakeRow('Alpha', { deposited_amount: '18446744073709551615', pending_withdrawal: '7' }),
    stakeRow('alphabet', { deposited_amount: '18446744073709551615', locked_amount: '5' }),
    stakeRow('ALPINE', { deposited_amount: '3' }),
  ])
})

test('registryStats has exact counts of each tier, status and category, and sums above 2^64', async () => {
  const { registryStats } = await query<{ registryStats: Record<string, object[]> }>(
    t,
    `{ registryStats { agents mismatchedAgents byTier { tier agents } byStatus { status agents }
      byCategory { category agents } stakes depositedAmount lockedAmount pendingWithdrawals } }`,
  )
  expect(registryStats).toMatchObject({
    agents: 6,
    mismatchedAgents: 1,
    byTier: [
      { tier: 'OBSERVER', agents: 3 },
      { tier: 'BASIC', agents: 1 },
      { tier: 'STANDARD', agents: 0 },
      { tier: 'PREMIUM', agents: 2 },
    ],
    byStatus: [
      { status: 'ACTIVE', agents: 4 },
      { status: 'SUSPENDED', agents: 1 },
      { status: 'DEACTIVATED', agents: 1 },
    ],
    stakes: 3,
    depositedAmount: '36893488147419103233',
    lockedAmount: '5',
    pendingWithdrawals: '7',
  })
  expect(registryStats['byCategory']).toHaveLength(9)
  expect(registryStats['byCategory']).toContainEqual({ category: 'COMMERCE', agents: 1 })
})

test('registryStats without agents of a mismatched card has the counts of lists', async () => {
  const { registryStats } = await query<{ registryStats: Record<string, object[]> }>(
    t,
    `{ registryStats(includeMismatched: false) { agents mismatchedAgents byTier { tier agents } stakes } }`,
  )
  expect(registryStats).toMatchObject({ agents: 5, mismatchedAgents: 1, stakes: 3 })
  expect(registryStats['byTier']).toContainEqual({ tier: 'OBSERVER', agents: 2 })
})

describe('numbers for charts', () => {
  const growth = (times: readonly string[]) => ({
    query: 'query ($times: [DateTime!]!) { registryGrowth(times: $times) }',
    variables: { times },
  })

  test('registryGrowth counts the agents that were registered before each time, in its order', async () => {
    const times = [
      '2026-11-20T10:00:00.001Z',
      '2026-11-20T10:00:00.000Z',
      '-200000-01-01T00:00:00.000Z',
      '2030-01-01',
    ]
    const { body } = await t.app.inject({ method: 'POST', url: '/graphql', payload: growth(times) })
    expect(JSON.parse(body)).toEqual({ data: { registryGrowth: [6, 0, 0, 6] } })
  })

  test.each([0, 101])('registryGrowth refuses %d times', async (count) => {
    const times = Array.from({ length: count }, () => '2026-11-20T10:00:00.000Z')
    const { body } = await t.app.inject({ method: 'POST', url: '/graphql', payload: growth(times) })
    expect(JSON.parse(body)).toMatchObject({
      errors: [
        { message: expect.stringContaining(`times must contain 1 to 100 values, got ${count}`) as string },
      ],
    })
  })

  describe('registryStake', () => {
    const HOURS = 200_000
    const stake = async (times: readonly string[]): Promise<string[]> =>
      (
        await query<{ registryStake: string[] }>(
          t,
          'query ($times: [DateTime!]!) { registryStake(times: $times) }',
          { times },
        )
      ).registryStake

    test('is the sum of all deposits at the end of the hour of each time, in the order of the times', async () => {
      const event = (id: string, type: string, amount: string, at: string) =>
        t.kysely
          .insertInto('outbox_events')
          .values({
            id,
            event_id: id,
            type,
            agent_pda: 'agent',
            slot: 1,
            body: `{"data":{"amount":${amount}}}`,
            occurred_at: at,
          })
          .execute()
      await event('x', 'stake.deposited', '18446744073709551615', '2026-11-20T10:00:00.000Z')
      await event('y', 'stake.deposited', '18446744073709551625', '2026-11-20T11:59:59.999Z')
      await event('z', 'stake.withdrawn', '7', '2026-11-21T00:00:00.000Z')
      const times = [
        '2030-01-01',
        '2026-11-20T10:30:00.000Z',
        '2026-11-20T10:00:00.000Z',
        '2026-11-20T11:00:00.001Z',
      ]
      // After all, the stakes have 36893488147419103233.
      const now = '36893488147419103233'
      expect(await stake(times)).toEqual([now, '18446744073709551615', '0', '36893488147419103240'])
      expect(await stake(['2026-11-21T00:00:00.000Z', '2026-11-21T00:00:00.001Z'])).toEqual([
        '36893488147419103240',
        now,
      ])
      // A fork removed the withdrawal, and the stakes are not read again yet.
      await sql`update outbox_events set cancelled_at = now() where id = 'z'`.execute(t.kysely)
      expect(await stake(['2026-11-20T11:00:00.001Z'])).toEqual([now])
      expect(await stake(['-200000-01-01T00:00:00.000Z'])).toEqual(['0'])
    })

    test.each([0, 101])('refuses %d times', async (count) => {
      const { errors } = await post(t, 'query ($times: [DateTime!]!) { registryStake(times: $times) }', {
        times: Array.from({ length: count }, () => '2026-11-20T10:00:00.000Z'),
      })
      expect(errors?.[0]?.message).toContain(`times must contain 1 to 100 values, got ${count}`)
    })

    test('reads the hours since the first time from their index, and no event, among those of 22 years', async () => {
      await sql`
        insert into registry_hours select timestamptz '2000-01-01T00:00Z' + i * interval '1 hour', 1, 1
        from generate_series(1, ${HOURS}) as i`.execute(t.kysely)
      await sql`analyze registry_hours`.execute(t.kysely)
      statements.mockClear()
      await stake(['2022-10-20T00:00:00.000Z', '2022-10-25T00:00:00.000Z'])
      const [statement] = statements.mock.calls.at(-1)!
      const plan = await planOf(t.database.orm, statement, '(analyze, costs off, timing off)')
      expect(plan).toMatch(
        /Scan using registry_hours_pkey on registry_hours .*\(actual rows=\d{2,3}(?:\.00)? /,
      )
      expect(plan).not.toMatch(/_events|stakes\b|agent/)
      await sql`delete from registry_hours where hour < '2026-01-01'`.execute(t.kysely)
    })
  })

  test('registryReputation counts the agents of 20 ranges', async () => {
    const { registryReputation } = await query<{ registryReputation: object[] }>(
      t,
      '{ registryReputation { from to agents } }',
    )
    expect(registryReputation).toHaveLength(20)
    expect(registryReputation).toContainEqual({ from: 250, to: 299, agents: 6 })
    expect(registryReputation.at(-1)).toEqual({ from: 950, to: 1_000, agents: 0 })
  })
})

describe('registryConfig', () => {
  const CONFIG = '{ registryConfig { usdcMint tiers { tier minimumStake } cooldownSeconds paused } }'
  const WITHDRAWAL = `{ agent(pda: "${keyOf('agent Alpha')}") { stake { withdrawal { amount requestedAt completableAt } } } }`

  test('is null before the registry is initialised, and so is the end of a withdrawal', async () => {
    await t.kysely
      .insertInto('withdrawal_requests')
      .values({
        pda: keyOf('withdrawal'),
        stake_pda: keyOf('stake Alpha'),
        amount: '7',
        requested_at: '2026-11-20T10:00:00.000Z',
        bump: 255,
        slot: 1,
      })
      .execute()
    expect(await query(t, CONFIG)).toEqual({ registryConfig: null })
    expect(await query(t, WITHDRAWAL)).toMatchObject({
      agent: { stake: { withdrawal: { amount: '7', completableAt: null } } },
    })
  })

  test('has the thresholds, the mint, the cooldown and whether the registry is paused', async () => {
    await t.kysely
      .insertInto('registry_config')
      .values({
        pda: keyOf('config'),
        admin: keyOf('admin'),
        usdc_mint: keyOf('usdc'),
        treasury: keyOf('treasury'),
        tier_thresholds: ['0', '100', '500', '18446744073709551615'],
        cooldown_seconds: 604_800,
        paused: true,
        bump: 255,
        slot: 1,
      })
      .execute()
    expect(await query(t, CONFIG)).toEqual({
      registryConfig: {
        usdcMint: keyOf('usdc'),
        tiers: [
          { tier: 'OBSERVER', minimumStake: '0' },
          { tier: 'BASIC', minimumStake: '100' },
          { tier: 'STANDARD', minimumStake: '500' },
          { tier: 'PREMIUM', minimumStake: '18446744073709551615' },
        ],
        cooldownSeconds: 604_800,
        paused: true,
      },
    })
    expect(await query(t, WITHDRAWAL)).toEqual({
      agent: {
        stake: {
          withdrawal: {
            amount: '7',
            requestedAt: '2026-11-20T10:00:00.000Z',
            completableAt: '2026-11-27T10:00:00.000Z',
          },
        },
      },
    })
  })
})

describe('filters with several values', () => {
  const names = async (filter: string): Promise<string[]> => {
    const { agents, agentsPage } = await query<{
      agents: { totalCount: number; edges: object[]; nodes: { name: string }[] }
      agentsPage: { total: number; agents: { name: string }[] }
    }>(
      t,
      `{ agentsPage(filter: { ${filter} }, orderBy: { field: NAME, direction: ASC }) { total agents { name } }
        agents(filter: { ${filter} }, orderBy: { field: NAME, direction: ASC }) { totalCount edges { cursor } nodes { name } } }`,
    )
    expect(agentsPage.total).toBe(agentsPage.agents.length)
    expect(agents.totalCount).toBe(agentsPage.total)
    expect(agents.edges).toHaveLength(agentsPage.total)
    expect(agents.nodes).toEqual(agentsPage.agents)
    return agentsPage.agents.map(({ name }) => name)
  }

  test.each([
    ['tiers: [BASIC, PREMIUM]', ['Alpha', 'alphabet', 'Ällpen']],
    ['tiers: [BASIC, PREMIUM], tier: PREMIUM', ['alphabet', 'Ällpen']],
    ['statuses: [DEACTIVATED, SUSPENDED], name: "alpine"', ['ALPINE']],
    ['statuses: [INACTIVE]', ['ALPINE', 'alphabet']],
    ['categories: [COMMERCE, LOGISTICS]', ['ALPINE']],
    ['categories: [COMMERCE], tiers: [PREMIUM]', []],
    ['tiers: null, statuses: [SUSPENDED]', ['alphabet']],
  ])('%s', async (filter, expected) => {
    expect(await names(filter)).toEqual(expected)
  })

  test.each(['tiers', 'statuses', 'categories'])('%s must not be empty', async (name) => {
    const { errors } = await post(t, `{ agents(filter: { ${name}: [] }) { totalCount } }`)
    expect(errors).toMatchObject([
      { message: `${name} must contain at least one value`, extensions: { status: 400 } },
    ])
  })
})

describe('agentSuggestions', () => {
  const suggest = async (prefix: string, limit?: number): Promise<string[]> => {
    const { agentSuggestions } = await query<{ agentSuggestions: { name: string }[] }>(
      t,
      'query ($prefix: String!, $limit: Int) { agentSuggestions(prefix: $prefix, limit: $limit) { name } }',
      { prefix, limit },
    )
    return agentSuggestions.map(({ name }) => name)
  }

  test.each([
    ['al', ['Alpha', 'alphabet', 'ALPINE']],
    ['ALPHA', ['Alpha', 'alphabet']],
    ['ä', ['Ällpen']],
    ['100%', ['100%_done']],
    ['1_', []],
    ['zz', []],
    ['\u{10ffff}', []],
  ])('returns the agents whose name begins with %j, in any case', async (prefix, expected) => {
    expect(await suggest(prefix)).toEqual(expected)
  })

  test('returns at most as many as asked for', async () => {
    expect(await suggest('al', 2)).toEqual(['Alpha', 'alphabet'])
  })

  test.each([
    ['prefix: ""', 'prefix must have 1 to 64 characters'],
    [`prefix: "${'a'.repeat(65)}"`, 'prefix must have 1 to 64 characters'],
    ['prefix: "a", limit: 21', 'limit must be an integer from 1 to 20, got 21'],
  ])('refuses %s', async (args, message) => {
    const { errors } = await post(t, `{ agentSuggestions(${args}) { pda } }`)
    expect(errors?.[0]?.message).toContain(message)
  })

  test('reads only the entries of the index that it returns, among 20,000 agents', async () => {
    await sql`
      insert into agents select 'many ' || i, 'owner', 'Bot ' || i, 'basic', 'active', 'other', 1, 0, '', '', '',
        false, false, 0, now(), now(), now(), 'payer', 1, now(), now(), 1
      from generate_series(1, 20000) as i`.execute(t.kysely)
    await sql`analyze agents`.execute(t.kysely)
    statements.mockClear()
    expect(await suggest('bot', 5)).toHaveLength(5)
    const [statement] = statements.mock.calls.at(-1)!
    const plan = await planOf(t.database.orm, statement, '(analyze, costs off, timing off)')
    expect(plan).toMatch(/Index Scan using agents_by_name_start on agents \(actual rows=5(?:\.00)? /)
    expect(plan).toMatch(/Index Cond: .*>= 'bot'::text.*< 'bot/)
    expect(plan).not.toContain('Sort')
  })
})
