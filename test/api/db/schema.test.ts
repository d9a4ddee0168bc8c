import { sql } from 'kysely'
import { expect, inject, test } from 'vitest'
import { openOrm } from '../../../src/db/orm.ts'
import { connectionTo, createDatabase, dropDatabase } from '../../support/database-server.ts'
import { describeSchema } from './describe-schema.ts'
import { useTestDatabase } from '../../support/database.ts'
import { AgentCardCheck } from '../../../src/db/entities/agent-cards.ts'
import { RegistryConfig, Stake } from '../../../src/db/entities/ledger-accounts.ts'
import { AgentHistoryEntry, OutboxEvent } from '../../../src/db/entities/ledger-events.ts'

const database = useTestDatabase()

test('the entities describe the columns, primary keys and references of the migrated database', async () => {
  const server = inject('databaseServer')
  const name = `gateway_entities_${process.pid}`
  await createDatabase(server, name)
  const fromEntities = await openOrm(connectionTo(server, name))
  try {
    await fromEntities.schema.create()
    const { columns, constraints } = await describeSchema(fromEntities.em.getKysely())
    const migrated = await describeSchema(database.orm.em.getKysely())
    expect(columns).toEqual(migrated.columns)
    // Indexes, unique keys and checks are only in the migrations.
    expect(constraints).toEqual(migrated.constraints.filter((each) => !/: (UNIQUE|CHECK)/.test(each)))
  } finally {
    await fromEntities.close()
    await dropDatabase(server, name)
  }
})

const MAX_U64 = '18446744073709551615'

test('u64, times and generated columns survive a round trip through a unit of work', async () => {
  const em = database.orm.em.fork()
  em.create(Stake, {
    pda: 's',
    agentPda: 'a',
    owner: 'o',
    depositedAmount: MAX_U64,
    lockedAmount: '0',
    pendingWithdrawal: '9007199254740993',
    rentPayer: 'p',
    bump: 255,
    slot: 9_007_199_254_740_991,
  })
  em.create(RegistryConfig, {
    pda: 'c',
    admin: 'x',
    usdcMint: 'm',
    treasury: 't',
    tierThresholds: ['0', MAX_U64],
    cooldownSeconds: 604_800,
    paused: false,
    bump: 1,
    slot: 1,
  })
  em.create(AgentCardCheck, { agentPda: 'a', cardHashMismatch: true, checkedAt: '2026-11-21T06:29:22.123Z' })
  const enqueued = em.create(OutboxEvent, {
    id: 'evt_1',
    eventId: 'evt_0',
    type: 'agent.closed',
    agentPda: 'a',
    slot: 5,
    body: '{}',
    occurredAt: '2026-11-21T06:29:22.000Z',
  })
  await em.flush()
  expect(enqueued.sequence).toBe(1)

  const fresh = database.orm.em.fork()
  expect(await fresh.findOneOrFail(Stake, 's')).toMatchObject({
    depositedAmount: MAX_U64,
    pendingWithdrawal: '9007199254740993',
    slot: 9_007_199_254_740_991,
  })
  expect((await fresh.findOneOrFail(RegistryConfig, 'c')).tierThresholds).toEqual(['0', MAX_U64])
  expect((await fresh.findOneOrFail(AgentCardCheck, 'a')).checkedAt).toBe('2026-11-21T06:29:22.123Z')
  expect(await fresh.findOneOrFail(OutboxEvent, { id: 'evt_1' })).toMatchObject({ cancelledAt: null })
})

test('an entry of history is found by its event', async () => {
  const kysely = database.orm.em.fork().getKysely()
  await sql`insert into ledger_events (id, position, signature, slot, name, agent_pda, owner, data, occurred_at)
    values ('e', 'p', 's', 1, 'TierUpdated', 'a', 'o', '{}', now())`.execute(kysely)
  await sql`insert into agent_history (event_id, position, agent_pda, event_type, old_value, new_value, occurred_at)
    values ('e', 'p', 'a', 'tier_updated', 'basic', 'standard', now())`.execute(kysely)
  const em = database.orm.em.fork()
  expect(await em.find(AgentHistoryEntry, { eventId: 'e' })).toMatchObject([
    { newValue: 'standard', delta: null },
  ])
})
