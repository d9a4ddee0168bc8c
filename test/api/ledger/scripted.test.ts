import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addAccount, emptySnapshot, type RpcAccount } from '../../../src/ledger/decode/decode-account.ts'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { writeAccounts } from '../../../src/ledger/indexer/write/write-accounts.ts'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import { createTestDatabase } from '../../support/database.ts'
import { scriptedIndexer } from '../../support/ledger/indexer.ts'
import { agentAccount, closing, keyOf, registration, report } from '../../support/ledger/samples.ts'
import { encodeAccount, EVENT_TAG } from '@agent-registry/program'
import { eventInstruction, PROGRAM_ID, ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'
import { count, dumpTables, kyselyOf, outboxOf } from '../../support/ledger/tables.ts'
import { perTest } from '../../support/lifetime.ts'

const database = perTest(() => createTestDatabase())
let ledger: ScriptedLedger
let indexers: Indexer[] = []

beforeEach(async () => {
  ledger = new ScriptedLedger()
})
afterEach(async () => {
  await Promise.all(indexers.map((indexer) => indexer.stop()))
  indexers = []
})

function start(options: Parameters<typeof scriptedIndexer>[2] = {}): Indexer {
  const indexer = scriptedIndexer(database.orm, ledger, options)
  indexers.push(indexer)
  return indexer
}

const scores = async (): Promise<unknown[]> =>
  (await kyselyOf(database.orm).selectFrom('agents').selectAll().orderBy('name').execute()).map((row) => [
    row.name,
    row.reputation_score,
  ])

const accountWith = (data: Buffer): RpcAccount => ({
  owner: PROGRAM_ID,
  data: [data.toString('base64'), 'base64'],
})
const agentWith = (reputationScore: number): RpcAccount =>
  accountWith(encodeAccount(agentAccount('a', { reputationScore })))

type Read = [slot: number, account: RpcAccount | null]

/** Writes reads of the account of agent `a`. */
function write(...reads: Read[]): Promise<void> {
  const snapshots = reads.map(([slot, account]) => {
    const snapshot = emptySnapshot(slot)
    addAccount(snapshot, keyOf('a'), account, PROGRAM_ID)
    return snapshot
  })
  return writeAccounts(kyselyOf(database.orm), snapshots)
}
const readAt = (...read: Read): Promise<void> => write(read)

test('a history of several pages is written in ledger order', async () => {
  ledger.pageCap = 7
  for (let i = 0; i < 20; i += 1) {
    ledger.send(registration(`agent-${i}`))
    if (i % 3 === 0) ledger.advance()
    ledger.send(report(`agent-${i}`, 250, 250 + i))
  }
  await start({ batchSize: 4 }).whenIdle()
  const tables = await dumpTables(database.orm)
  expect(tables.agents).toHaveLength(20)
  expect(tables.ledger_events).toHaveLength(40)
  expect(tables.agent_history).toHaveLength(20)
  const { rows } = await sql<{ signature: string }>`
    select signature from ledger_events order by position`.execute(kyselyOf(database.orm))
  expect(rows.map((row) => row.signature)).toEqual(ledger.entries.map((entry) => entry.signature))
  const outbox = await outboxOf(database.orm)
  expect(outbox.map((row) => row.type).slice(0, 2)).toEqual(['agent.registered', 'agent.reputation_updated'])
  expect(JSON.parse(outbox[1]!.body)).toEqual({
    id: outbox[1]!.id,
    type: 'agent.reputation_updated',
    pda: keyOf('agent-0'),
    slot: 2,
    timestamp: '2025-11-24T16:01:00.000Z',
    data: {
      agentPda: keyOf('agent-0'),
      owner: keyOf('owner of agent-0'),
      previousReputation: 250,
      newReputation: 250,
      delta: 0,
      reason: 1,
    },
  })
})

test('reading the whole ledger again changes nothing', async () => {
  for (const label of ['a', 'b', 'c']) ledger.send(registration(label))
  ledger.advance()
  ledger.send(report('a', 250, 262))
  ledger.send(closing('c'))
  await start().whenIdle()
  await indexers.pop()!.stop()
  const before = await dumpTables(database.orm)
  await sql`update indexer_state set cursor_slot = 0, cursor_signature = null, finalized_slot = 0`.execute(
    kyselyOf(database.orm),
  )
  await sql`update ledger_transactions set slot = 0`.execute(kyselyOf(database.orm))
  await start().whenIdle()
  expect(await dumpTables(database.orm)).toEqual(before)
})

test('after a restart the indexer continues where the last one stopped', async () => {
  ledger.send(registration('a'))
  await start().whenIdle()
  await indexers.pop()!.stop()
  ledger.advance()
  ledger.send(report('a', 250, 260))
  ledger.send({ ...registration('failed'), err: { InstructionError: [0, 'Custom'] } })
  ledger.calls = 0
  await start().whenIdle()
  expect(await scores()).toEqual([['a', 260]])
  expect(await count(database.orm, 'ledger_events')).toBe(2)
})

test('nothing is lost when the node serves transactions late, refuses calls and times out', async () => {
  const late = ledger.send(registration('a'))
  ledger.missing.add(late)
  ledger.failures.push(
    new LedgerRpcError('http', 'busy', { code: 429, retryAfterMs: 20 }),
    new LedgerRpcError('timeout', 'slow'),
    new LedgerRpcError('rpc', 'behind', { code: -32016 }),
  )
  const indexer = start()
  await expect.poll(() => ledger.calls).toBeGreaterThan(6)
  ledger.missing.delete(late)
  await indexer.whenIdle()
  expect(await scores()).toEqual([['a', 250]])
})

test('a transaction missing in the listing is found when it is final', async () => {
  const indexer = start()
  await indexer.whenIdle()
  const hidden = ledger.send(registration('hidden'))
  ledger.hidden.add(hidden)
  ledger.send(registration('seen'))
  await indexer.whenIdle()
  expect(await scores()).toEqual([['seen', 250]])
  ledger.hidden.clear()
  ledger.advance(40)
  await expect.poll(scores).toEqual([
    ['hidden', 250],
    ['seen', 250],
  ])
  await expect.poll(() => indexer.status().counters.late).toBe(1)
})

test('with commitment finalized only final transactions are read', async () => {
  ledger.send(registration('final'))
  ledger.advance(40)
  ledger.send(registration('fresh'))
  const indexer = start({ commitment: 'finalized' })
  await indexer.whenIdle()
  const names = async (): Promise<unknown[]> =>
    (await dumpTables(database.orm)).ledger_events!.map((row) => (row as { finality: string }).finality)
  expect(await names()).toEqual(['finalized'])
  ledger.advance(40)
  await expect.poll(names).toEqual(['finalized', 'finalized'])
})

test('a fork removes events, history, outbox events and state', async () => {
  ledger.send(registration('a'))
  ledger.advance(5)
  const base = ledger.slot - 1
  ledger.send(report('a', 250, 262))
  const gone = ledger.send(registration('gone'))
  const moved = report('a', 262, 270)
  const signature = ledger.send(moved)
  const indexer = start()
  await indexer.whenIdle()
  expect(await scores()).toEqual([
    ['a', 270],
    ['gone', 250],
  ])
  ledger.forkFrom(base)
  ledger.advance(2)
  ledger.send({ ...report('a', 250, 258), signature })
  ledger.advance(60)
  await expect.poll(() => indexer.status().counters.orphaned).toBe(2)
  await indexer.whenIdle()
  expect(await scores()).toEqual([['a', 258]])
  const tables = await dumpTables(database.orm)
  expect(tables.agent_history).toMatchObject([{ old_value: '250', new_value: '258', delta: '+8' }])
  const finalities = async (): Promise<string[]> =>
    ((await dumpTables(database.orm)).ledger_events as { finality: string }[])
      .map((row) => row.finality)
      .sort()
  await expect.poll(finalities).toEqual(['finalized', 'finalized', 'orphaned', 'orphaned'])
  const outbox = async (): Promise<unknown[]> =>
    (await kyselyOf(database.orm).selectFrom('outbox_events').selectAll().orderBy('sequence').execute()).map(
      (row) => [
        row.type,
        row.cancelled_at === null,
        (JSON.parse(row.body) as { slot: number; data: { newReputation?: number } }).data.newReputation,
      ],
    )
  expect(await outbox()).toEqual([
    ['agent.registered', true, undefined],
    ['agent.reputation_updated', false, 262],
    ['agent.registered', false, undefined],
    ['agent.reputation_updated', true, 258],
  ])

  ledger.send({ ...registration('gone'), signature: gone })
  await indexer.whenIdle()
  expect(await scores()).toEqual([
    ['a', 258],
    ['gone', 250],
  ])
  expect((await outbox())[2]).toEqual(['agent.registered', true, undefined])
})

test('a transaction that a fork moves to an earlier slot gets its new events and state', async () => {
  ledger.send(registration('a'))
  ledger.advance(20)
  const signature = ledger.send(report('a', 250, 262))
  const indexer = start()
  await indexer.whenIdle()
  ledger.forkFrom(5)
  const again = report('a', 250, 258)
  ledger.send({ ...again, events: [], signature })
  await expect.poll(scores).toEqual([['a', 258]])
  const { ledger_events: events, agent_history: history } = await dumpTables(database.orm)
  expect(history).toEqual([])
  expect(
    (events as { name: string; finality: string }[]).map((each) => `${each.name} ${each.finality}`).sort(),
  ).toEqual(['AgentRegistered confirmed', 'ReputationUpdated orphaned'])
})

test('unreadable data becomes dead letters and stops nothing', async () => {
  const closed = eventInstruction(closing('x').events![0]!)
  ledger.send({ inner: [Buffer.concat([EVENT_TAG, Buffer.from('unknown event')])] })
  ledger.send({ inner: [closed.subarray(0, 30)] })
  ledger.send({ inner: [EVENT_TAG] })
  ledger.send({ inner: [Buffer.from('another instruction')], accounts: { [keyOf('a')]: agentAccount('a') } })
  ledger.send({ accounts: { [keyOf('b')]: Buffer.from('not an account') } })
  ledger.send({ accounts: { [keyOf('c')]: agentAccount('c', { createdAt: 2n ** 62n }) } })
  ledger.send({ accounts: { [keyOf('d')]: agentAccount('d\0') } })
  ledger.send(registration('last'))
  await start().whenIdle()
  const { dead_letters: deadLetters } = await dumpTables(database.orm)
  expect((deadLetters as { kind: string }[]).map((row) => row.kind).sort()).toEqual([
    'undecodable_account',
    'undecodable_event',
    'unknown_account',
    'unknown_event',
    'unknown_event',
  ])
  expect(await scores()).toEqual([
    ['a', 250],
    ['d\u{fffd}', 250],
    ['last', 250],
  ])
})

test('an unreadable account that many transactions wrote becomes one dead letter and stops nothing', async () => {
  const unreadable = { [keyOf('a')]: Buffer.from('not an account') }
  for (let i = 0; i < 8; i += 1) {
    ledger.send({ accounts: unreadable })
    ledger.advance()
  }
  ledger.send(registration('last'))
  const indexer = start({ batchSize: 1, inFlight: 8 })
  await indexer.whenIdle()
  expect(indexer.status().counters.failures).toBe(0)
  expect(await scores()).toEqual([['last', 250]])
  expect((await dumpTables(database.orm)).dead_letters).toMatchObject([{ kind: 'unknown_account' }])
})

test('one of two indexers works, and the other takes over without duplicates', async () => {
  ledger.send(registration('a'))
  const first = start()
  await first.whenIdle()
  const second = start()
  await expect.poll(() => second.status().phase).toBe('standby')
  ledger.send(registration('b'))
  await first.whenIdle()
  await first.stop()
  ledger.send(registration('c'))
  await second.whenIdle()
  expect(second.status().phase).toBe('live')
  expect(await scores()).toEqual([
    ['a', 250],
    ['b', 250],
    ['c', 250],
  ])
  expect(await count(database.orm, 'outbox_events')).toBe(3)
})

test('whenIdle waits for a transaction that the running poll does not list, in the same slot', async () => {
  const rpc = ledger.rpc()
  let onListed: (() => void) | undefined
  const call = async <T>(method: string, params?: unknown[]): Promise<T> => {
    const result = await rpc.call<T>(method, params)
    if (method === 'getSignaturesForAddress' && ledger.entries.length > 0) {
      onListed?.()
      onListed = undefined
    }
    return result
  }
  const indexer = start({ rpc: { ...rpc, call } })
  const listed = Promise.withResolvers<void>()
  onListed = () => {
    ledger.send(registration('b'))
    listed.resolve(indexer.whenIdle())
  }
  ledger.send(registration('a'))
  await listed.promise
  expect(await scores()).toHaveLength(2)
})

test('who waits for an indexer that stops is told so', async () => {
  ledger.send(registration('a'))
  const rpc = ledger.rpc()
  const call = <T>(method: string, params?: unknown[]): Promise<T> =>
    method === 'getSignaturesForAddress' ? new Promise(() => undefined) : rpc.call<T>(method, params)
  const indexer = start({ rpc: { ...rpc, call } })
  const waiting = indexer.whenIdle().catch(String)
  await indexer.stop()
  expect(await waiting).toContain('the indexer has stopped')
  await expect(indexer.whenIdle()).rejects.toThrow('the indexer has stopped')
})

test('an indexer continues after its database connections are cut', async () => {
  ledger.send(registration('a'))
  const indexer = start()
  await indexer.whenIdle()
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(kyselyOf(database.orm))
  ledger.send(registration('b'))
  await indexer.whenIdle()
  expect(await scores()).toEqual([
    ['a', 250],
    ['b', 250],
  ])
})

test('a database of another ledger, or of a ledger that was reset, is rejected', async () => {
  ledger.send(registration('a'))
  ledger.advance(100)
  const indexer = start()
  await indexer.whenIdle()
  await expect
    .poll(
      async () =>
        (await kyselyOf(database.orm).selectFrom('indexer_state').selectAll().execute())[0]?.finalized_slot,
    )
    .toBeGreaterThan(0)
  await indexers.pop()!.stop()

  const { genesisHash } = ledger
  ledger = new ScriptedLedger()
  await expect(start().finished).rejects.toThrow(/genesis hash .* DATABASE_URL/s)
  ledger.genesisHash = genesisHash
  await expect(start().finished).rejects.toThrow(/it was reset/)
  await expect(start({ programId: keyOf('another program') }).finished).rejects.toThrow(/filled from program/)
})

test('a read from before an account was closed does not restore it', async () => {
  ledger.send(registration('a'))
  ledger.advance()
  ledger.send(closing('a'))
  await start().whenIdle()
  expect(await scores()).toEqual([])
  await indexers.pop()!.stop()
  const readScore = (slot: number, score: number) => readAt(slot, agentWith(score))
  await readScore(ledger.slot - 1, 1)
  expect(await scores()).toEqual([])
  await readScore(ledger.slot + 5, 5)
  expect(await scores()).toEqual([['a', 5]])
  await readScore(ledger.slot + 4, 4)
  expect(await scores()).toEqual([['a', 5]])
  await readScore(ledger.slot + 5, 6)
  expect(await scores()).toEqual([['a', 6]])
})

test('a read from before an account was opened again does not delete it', async () => {
  await readAt(10, agentWith(7))
  for (const slot of [5, 9]) {
    await readAt(slot, null)
    expect(await scores()).toEqual([['a', 7]])
  }
  await readAt(10, null)
  expect(await scores()).toEqual([])
  await readAt(5, null)
  await readAt(7, agentWith(7))
  expect(await scores()).toEqual([])
})

test('of reads that are written together the latest slot counts, and in the same slot the last', async () => {
  await write([5, agentWith(1)], [7, agentWith(2)], [7, agentWith(3)], [6, agentWith(4)])
  expect(await scores()).toEqual([['a', 3]])
})

test('of an account that was unreadable in some slots, the read of the latest slot counts', async () => {
  const unreadable = accountWith(Buffer.from('not an account'))
  const reads: [...Read, letters: number][] = [
    [10, unreadable, 1],
    [9, agentWith(7), 1],
    [10, agentWith(8), 0],
    [9, unreadable, 0],
    [10, unreadable, 1],
    [11, null, 0],
    [10, unreadable, 0],
  ]
  for (const [slot, account, letters] of reads) {
    await readAt(slot, account)
    expect(await count(database.orm, 'dead_letters')).toBe(letters)
  }
})
