import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { encodeAccount, EVENT_TAG } from '@agent-registry/program'
import { audit } from '../../../src/ledger/audit/audit.ts'
import type { Difference } from '../../../src/ledger/audit/findings.ts'
import { createTestDatabase } from '../../support/database.ts'
import { scriptedIndexer } from '../../support/ledger/indexer.ts'
import { agentAccount, keyOf, registration, report } from '../../support/ledger/samples.ts'
import { PROGRAM_ID, ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'
import { kyselyOf } from '../../support/ledger/tables.ts'
import { perFile } from '../../support/lifetime.ts'

/** By table: its key, and the columns that the audit does not compare. */
const TABLES = {
  agents: ['pda', ['slot', 'search_xid', 'card_hash_mismatch']],
  stakes: ['pda', ['slot', 'search_xid']],
  registry_config: ['pda', ['slot']],
  withdrawal_requests: ['pda', ['slot']],
  reputation_reporters: ['pda', ['slot']],
  deactivation_records: ['pda', ['slot']],
  ledger_transactions: ['signature', ['accounts', 'finality']],
  ledger_events: ['id', ['finality']],
  agent_history: ['event_id', []],
  outbox_events: ['id', ['sequence', 'created_at', 'cancelled_at', 'restored_sequence']],
  dead_letters: ['id', ['slot', 'reason', 'created_at', 'retry_requested_at']],
} as const satisfies Record<string, readonly [key: string, ignored: readonly string[]]>

const CHANGED: Record<string, (column: string) => string> = {
  text: (column) => `coalesce(${column}, '') || '!'`,
  bool: (column) => `not ${column}`,
  timestamptz: (column) => `${column} + interval '1 millisecond'`,
  jsonb: (column) => `${column} || '{"more": 1}'`,
  _numeric: (column) => `array_append(${column}, 1)`,
}
const numberChanged = (column: string): string => `${column} + 1`

/** Rows are found by these columns. */
const LOCATING = new Set(['signature', 'pda', 'event_id'])

const owner = keyOf('owner')
const ledger = new ScriptedLedger()
const database = perFile(() => createTestDatabase())

beforeAll(async () => {
  const [agent, time] = [keyOf('a'), 1_764_000_000n]
  const amounts = { depositedAmount: 3n, lockedAmount: 2n, pendingWithdrawal: 1n }
  ledger.send(registration('a'))
  ledger.send(report('a', 250, 262))
  ledger.send({
    inner: [Buffer.concat([EVENT_TAG, Buffer.alloc(16, 9)])],
    accounts: {
      [keyOf('unreadable')]: encodeAccount(agentAccount('b')).subarray(0, -1),
      [keyOf('stake')]: { name: 'Stake', data: { ...amounts, agent, owner, rentPayer: owner, bump: 1 } },
      [keyOf('config')]: {
        name: 'RegistryConfig',
        data: {
          admin: owner,
          usdcMint: owner,
          treasury: owner,
          tierThresholds: [0n, 1n, 2n, 3n],
          cooldownSeconds: 5n,
          paused: false,
          bump: 1,
        },
      },
      [keyOf('request')]: {
        name: 'WithdrawalRequest',
        data: { stake: keyOf('stake'), amount: 1n, requestedAt: time, bump: 1 },
      },
      [keyOf('reporter')]: {
        name: 'ReputationReporter',
        data: {
          authority: owner,
          registeredBy: owner,
          label: 'r',
          weight: 5,
          totalReports: 1n,
          active: true,
          bump: 1,
        },
      },
      [keyOf('record')]: {
        name: 'DeactivationRecord',
        data: { owner, deactivatedAt: time, finalReputation: 1, bump: 1 },
      },
    },
  })
  ledger.advance(50)
  const indexer = scriptedIndexer(database.orm, ledger)
  await indexer.whenIdle()
  await indexer.stop()
})

const execute = async <Row>(statement: string): Promise<Row[]> =>
  (await sql.raw<Row>(statement).execute(kyselyOf(database.orm))).rows

/** The differences after a statement. Undoes it. */
async function differencesAfter(table: string, statement: string): Promise<Difference[]> {
  await execute(`create table saved as select * from ${table}`)
  try {
    await execute(statement)
    const options = { orm: database.orm, rpc: ledger.rpc(), programId: PROGRAM_ID, settleMs: 0, batchSize: 1 }
    return (await audit(options)).differences
  } finally {
    await execute(`delete from ${table}`)
    await execute(`insert into ${table} overriding system value select * from saved`)
    await execute('drop table saved')
  }
}

test('the audit finds nothing before the edits', async () => {
  expect(await differencesAfter('agents', 'select')).toEqual([])
})

for (const [table, [key, ignored]] of Object.entries(TABLES)) {
  test(`the audit finds a change of each column of ${table}`, async () => {
    const columns = await execute<{ name: string; type: string; nullable: boolean }>(`
      select column_name as name, udt_name as type, is_nullable = 'YES' as nullable
      from information_schema.columns where table_name = '${table}' and table_schema = 'public'`)
    const compared = columns.filter(({ name }) => !(ignored as readonly string[]).includes(name))
    const rows = await execute<Record<string, unknown>>(`select * from ${table}`)
    expect(rows.length).toBeGreaterThan(0)
    const missed: string[] = []
    for (const { name, type, nullable } of compared)
      for (const row of rows) {
        const edits = [(CHANGED[type] ?? numberChanged)(name)]
        if (nullable) edits.push(row[name] === null ? `''` : 'null')
        for (const value of edits) {
          const edit = `update ${table} set ${name} = ${value} where ${key} = '${String(row[key])}'`
          const differences = await differencesAfter(table, edit)
          const names = differences.map((each) => `${each.table} ${each.field}`)
          // A row with another key or signature may also be one that is lost and one too many.
          const locates = LOCATING.has(name) || name === key
          const found = locates
            ? [`${table} ${name}`, `${table} *`].includes(names[0] ?? '')
            : names[0] === `${table} ${name}` && names.length === 1
          if (!found) missed.push(`${edit}: ${names.join(', ')}`)
        }
      }
    expect(missed).toEqual([])
  })

  test(`the audit finds a lost and an invented row of ${table}`, async () => {
    const first = `(select ${key} from ${table} order by 1 limit 1)`
    const lost = await differencesAfter(table, `delete from ${table} where ${key} = ${first}`)
    expect(lost).toMatchObject([{ table, field: '*', database: undefined }])
    const invented = JSON.stringify({ [key]: 'invented', agent_pda: 'invented', sequence: 1_000_000 })
    const copy = `insert into ${table} overriding system value
      select (jsonb_populate_record(t, '${invented}')).* from ${table} t where ${key} = ${first}`
    const differences = await differencesAfter(table, copy)
    expect(differences).toMatchObject([{ table, key: 'invented', field: '*', ledger: undefined }])
  })
}
