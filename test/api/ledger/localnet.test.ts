import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { audit } from '../../../src/ledger/audit/audit.ts'
import { type Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { rebuild } from '../../../src/ledger/audit/rebuild.ts'
import { createTestDatabase } from '../../support/database.ts'
import { worldIndexer } from '../../support/ledger/indexer.ts'
import {
  addresses,
  createRegistryWorld,
  keyOf,
  programId,
  registrationArgs,
} from '../../support/ledger/registry-world.ts'
import { dumpTables, kyselyOf, outboxOf, storedAgent } from '../../support/ledger/tables.ts'
import { webhookSink } from '../../../src/webhooks/enqueue.ts'
import type { IndexerOptions } from '../../../src/ledger/indexer/context.ts'
import { perFile, perTest } from '../../support/lifetime.ts'

const DAY = 86_400
const world = perFile(() => createRegistryWorld())
const database = perTest(() => createTestDatabase())
let indexer: Indexer

afterEach(async () => {
  world.localnet.fault.clear()
  await indexer.stop()
})

function start(options: Partial<IndexerOptions> = {}): Indexer {
  indexer = worldIndexer(world, database.orm, { verifyMs: 50, ...options })
  return indexer
}

const differences = async ({ rpc }: Pick<typeof world, 'rpc'> = world): Promise<unknown> =>
  (await audit({ orm: database.orm, rpc, programId })).differences

const historyOf = async (agent: string): Promise<unknown[]> =>
  (
    await kyselyOf(database.orm)
      .selectFrom('agent_history')
      .selectAll()
      .where('agent_pda', '=', agent)
      .orderBy('position')
      .execute()
  ).map((row) => [row.event_type, row.old_value, row.new_value, row.delta])

const outboxTypes = async (agent: string): Promise<string[]> =>
  (await outboxOf(database.orm, agent)).map((row) => row.type)

test('every instruction of the registry reaches tables, history and outbox', async () => {
  start()
  const a = await world.wallet('Ada')
  const stake = addresses.stake(a.agent)
  await a.send('update_agent', {}, { name: 'Ada II', capabilities: 5n, version: '2.0' })
  await a.send('deposit', {}, { amount: 600_000_000n })
  await world.report(a.agent, 12)
  await world.report(a.agent, -5)
  await a.send('request_withdrawal', { stake }, { amount: 200_000_000n })
  await a.send('cancel_withdrawal', { stake })
  await a.send('suspend_agent', { authority: a.owner })
  await a.send('reactivate_agent', { authority: a.owner })
  await a.send('request_withdrawal', { stake }, { amount: 600_000_000n })
  await world.asAdmin('update_config', {}, { paused: true })
  await world.asAdmin('update_config', {}, { paused: false })
  await world.asAdmin(
    'set_reporter_active',
    { reporter: addresses.reporter(keyOf(world.reporter)) },
    { active: false },
  )
  world.localnet.warp(7 * DAY + 1)
  await a.send('complete_withdrawal', { stake })
  await a.send('deactivate_agent')
  await a.send('close_stake', { stake })
  await indexer.whenIdle()

  expect(await storedAgent(database.orm, a.agent)).toMatchObject({
    owner: a.owner,
    name: 'Ada II',
    tier: 'observer',
    status: 'deactivated',
    reputation_score: 257,
    capabilities: '5',
    version: '2.0',
    card_hash_mismatch: false,
  })
  expect(await historyOf(a.agent)).toEqual([
    [
      'metadata_updated',
      '{"name":"Ada","capabilities":0,"version":""}',
      '{"name":"Ada II","capabilities":5,"version":"2.0"}',
      null,
    ],
    ['tier_updated', 'observer', 'standard', null],
    ['reputation_updated', '250', '262', '+12'],
    ['reputation_updated', '262', '257', '-5'],
    ['tier_updated', 'standard', 'basic', null],
    ['tier_updated', 'basic', 'standard', null],
    ['status_changed', 'active', 'suspended', null],
    ['status_changed', 'suspended', 'active', null],
    ['tier_updated', 'standard', 'observer', null],
    ['status_changed', 'active', 'deactivated', null],
  ])
  expect(await differences()).toEqual([])

  await a.send('close_agent', { stake })
  world.localnet.warp(31 * DAY)
  await a.send('close_deactivation_record')
  await indexer.whenIdle()
  const dump = await dumpTables(database.orm)
  expect([dump.agents, dump.stakes, dump.withdrawal_requests, dump.deactivation_records]).toEqual([
    [],
    [],
    [],
    [],
  ])
  expect(dump.dead_letters).toEqual([])
  expect(dump.registry_config).toMatchObject([
    { paused: false, tier_thresholds: ['0', '100000000', '500000000', '1000000000'] },
  ])
  expect(dump.reputation_reporters).toMatchObject([
    { label: 'tests', weight: 5, total_reports: '2', active: false },
  ])
  const sent = await outboxTypes(a.agent)
  expect(sent).toEqual(
    (
      'agent.registered agent.updated stake.deposited agent.tier_updated agent.reputation_updated ' +
      'agent.reputation_updated stake.withdrawal_requested agent.tier_updated stake.withdrawal_cancelled ' +
      'agent.tier_updated agent.status_changed agent.suspended agent.status_changed agent.reactivated ' +
      'stake.withdrawal_requested agent.tier_updated stake.withdrawn agent.status_changed agent.deactivated ' +
      'stake.closed agent.closed'
    ).split(' '),
  )
  await world.asAdmin(
    'set_reporter_active',
    { reporter: addresses.reporter(keyOf(world.reporter)) },
    { active: true },
  )
})

test('several instructions in one transaction close an agent and register it again', async () => {
  start()
  const b = await world.wallet('Ben')
  await world.transact(
    [
      b.instruction('suspend_agent', { authority: b.owner }),
      b.instruction('reactivate_agent', { authority: b.owner }),
      b.instruction('deactivate_agent'),
      b.instruction('close_agent', { stake: addresses.stake(b.agent) }),
      b.instruction('register_agent', {}, registrationArgs('Ben again')),
    ],
    [b.keypair],
  )
  await indexer.whenIdle()
  expect(await historyOf(b.agent)).toEqual([
    ['status_changed', 'active', 'suspended', null],
    ['status_changed', 'suspended', 'active', null],
    ['status_changed', 'active', 'deactivated', null],
  ])
  expect(await storedAgent(database.orm, b.agent)).toMatchObject({ name: 'Ben again', status: 'active' })
  expect(await differences()).toEqual([])
})

test('the socket, a restart, polling and a rebuild give the same tables', async () => {
  start({ pollMs: 60_000 })
  await indexer.whenIdle()
  const c = await world.wallet('Cleo')
  await c.send('deposit', {}, { amount: 100_000_000n })
  await expect.poll(() => historyOf(c.agent)).toHaveLength(1)
  await indexer.whenIdle()
  world.localnet.stepSlot(40)
  const allFinal = async (): Promise<boolean> =>
    (await kyselyOf(database.orm).selectFrom('ledger_events').select('finality').execute()).every(
      (row) => row.finality === 'finalized',
    )
  await indexer.stop()
  start()
  await expect.poll(allFinal).toBe(true)
  const live = await dumpTables(database.orm)
  await indexer.stop()

  const other = await createTestDatabase()
  const polling = worldIndexer(world, other.orm, { wsUrl: undefined, batchSize: 3, pollMs: 20, verifyMs: 20 })
  await polling.whenIdle()
  await polling.stop()
  expect(await dumpTables(other.orm)).toEqual(live)
  await other.drop()

  await rebuild({ sink: webhookSink, orm: database.orm, rpc: world.rpc, programId })
  expect(await dumpTables(database.orm)).toEqual(live)
  expect(await differences()).toEqual([])
  const { rows } = await sql`
    select (select sum(deposited_change)::text from registry_hours) as changes, deposited_amount::text as deposited
    from stake_totals`.execute(kyselyOf(database.orm))
  expect(rows).toEqual([{ changes: '100000000', deposited: '100000000' }])
})

test('nothing is lost with dropped and refused sockets, HTTP 429 and hidden signatures', async () => {
  start({ pollMs: 50 })
  await indexer.whenIdle()
  const { fault } = world.localnet
  const d = await world.wallet('Dora')
  fault.dropSockets()
  fault.refuseSockets = true
  fault.http({ methods: ['getTransaction'], status: 429, retryAfter: 0, count: 2 })
  await world.report(d.agent, 3)
  fault.hideSignatures({ fromSlot: world.localnet.slot, forSlots: 5 })
  await world.report(d.agent, 4)
  world.localnet.stepSlot(6)
  fault.clear()
  world.localnet.stepSlot(40)
  await expect
    .poll(() => historyOf(d.agent))
    .toEqual([
      ['reputation_updated', '250', '253', '+3'],
      ['reputation_updated', '253', '257', '+4'],
    ])
  await indexer.whenIdle()
  expect(await differences()).toEqual([])
})

test('the tables follow a fork that removes transactions', async () => {
  // Slots that begin by themselves could make the transaction final before the fork.
  const still = await createRegistryWorld({ slotMs: 0 })
  indexer = worldIndexer(still, database.orm, { verifyMs: 50, pollMs: 50 })
  const e = await still.wallet('Edda')
  still.localnet.stepSlot(40)
  await still.report(e.agent, 9)
  await indexer.whenIdle()
  expect(await historyOf(e.agent)).toHaveLength(1)
  expect(still.localnet.fault.fork().length).toBeGreaterThan(0)
  still.localnet.stepSlot(80)
  await expect.poll(() => historyOf(e.agent)).toEqual([])
  await still.report(e.agent, 2)
  await indexer.whenIdle()
  expect(await historyOf(e.agent)).toEqual([['reputation_updated', '250', '252', '+2']])
  expect(await differences(still)).toEqual([])
  await still.close()
})
