import { afterEach, expect, test } from 'vitest'
import { audit } from '../../../src/ledger/audit/audit.ts'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { createTestDatabase } from '../../support/database.ts'
import { scriptedIndexer } from '../../support/ledger/indexer.ts'
import { agentAccount, keyOf } from '../../support/ledger/samples.ts'
import { PROGRAM_ID, ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'
import { dumpTables, kyselyOf } from '../../support/ledger/tables.ts'
import { perTest } from '../../support/lifetime.ts'

const U64_MAX = 2n ** 64n - 1n
const NAMES = [
  '🤖"\\',
  "');--",
  '\u2028\u2029',
  '\u202e\u2066rtl',
  '\ufeff',
  '\u0001\u001f\u007f',
  '{"a":1}',
  '\u{10ffff}',
]

const database = perTest(() => createTestDatabase())
let indexer: Indexer

afterEach(() => indexer.stop())

test('every text and the largest amounts are exact in tables, history and webhook events', async () => {
  const ledger = new ScriptedLedger()
  const stake = keyOf('stake')
  const movement = { depositedAmount: U64_MAX, lockedAmount: U64_MAX - 1n, pendingWithdrawal: 2n ** 53n + 1n }
  NAMES.forEach((name, i) => {
    const agent = keyOf(`agent ${i}`)
    const owner = keyOf('owner')
    const timestamp = [0n, 253_402_300_799n, -62_135_596_800n, 1n][i % 4] ?? 0n
    const before = { ...agentAccount('old').data, name: 'old', capabilities: 0n, version: name }
    ledger.send({
      accounts: {
        [agent]: agentAccount(name, { capabilities: U64_MAX, version: name, createdAt: timestamp }),
        ...(i === 0
          ? { [stake]: { name: 'Stake', data: { ...movement, agent, owner, bump: 255, rentPayer: owner } } }
          : {}),
      },
      events: [
        {
          name: 'AgentUpdated',
          data: { agent, owner, old: before, new: { ...before, name, capabilities: U64_MAX }, timestamp },
        },
        { name: 'StakeDeposited', data: { ...movement, agent, owner, stake, amount: U64_MAX, timestamp } },
      ],
    })
  })
  indexer = scriptedIndexer(database.orm, ledger)
  await indexer.whenIdle()
  const tables = await dumpTables(database.orm)
  expect((tables.agents as { name: string }[]).map((row) => row.name).sort()).toEqual([...NAMES].sort())
  expect(tables.stakes).toMatchObject([
    {
      deposited_amount: '18446744073709551615',
      locked_amount: '18446744073709551614',
      pending_withdrawal: '9007199254740993',
    },
  ])
  const history = tables.agent_history as { old_value: string; new_value: string }[]
  expect(history.map((row) => row.old_value)).toEqual(NAMES.map(() => '{"name":"old","capabilities":0}'))
  expect(history.map((row) => row.new_value).sort()).toEqual(
    NAMES.map((name) => `{"name":${JSON.stringify(name)},"capabilities":18446744073709551615}`).sort(),
  )
  const bodies = await kyselyOf(database.orm)
    .selectFrom('outbox_events')
    .select('body')
    .where('type', '=', 'stake.deposited')
    .execute()
  for (const { body } of bodies)
    expect(body).toContain(
      '"amount":18446744073709551615,"depositedAmount":18446744073709551615,' +
        '"lockedAmount":18446744073709551614,"pendingWithdrawal":9007199254740993',
    )
  expect(tables.dead_letters).toEqual([])
  const { differences } = await audit({
    orm: database.orm,
    rpc: ledger.rpc(),
    programId: PROGRAM_ID,
    settleMs: 0,
  })
  expect(differences).toEqual([])
})
