import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rebuild } from '../../../src/ledger/audit/rebuild.ts'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { scriptedIndexer } from '../../support/indexer/indexer.ts'
import { closing, keyOf, registration, report } from '../../support/indexer/samples.ts'
import { PROGRAM_ID, ScriptedLedger } from '../../support/indexer/scripted-ledger.ts'

let ledger: ScriptedLedger
let t: TestApp
beforeAll(async () => {
  ledger = new ScriptedLedger()
  for (const label of ['a', 'b']) ledger.send(registration(label))
  ledger.advance(50)
  t = await createTestApp({ ledger: ledger.rpc() })
})
afterAll(() => t.close())

interface Told {
  names: string[]
  score: number | undefined
  history: number | undefined
}

async function told(): Promise<Told> {
  const get = async <Body>(url: string): Promise<Body> => (await t.app.inject(url)).json<Body>()
  // Twice, so that what is told was kept.
  await get('/agents')
  const { agents } = await get<{ agents: { name: string }[] }>('/agents?sort=name&order=asc')
  return {
    names: agents.map((each) => each.name),
    score: (await get<{ reputation_score?: number }>(`/agents/${keyOf('a')}`)).reputation_score,
    history: (await get<{ total?: number }>(`/agents/${keyOf('a')}/history`)).total,
  }
}

const rebuilt = () => rebuild({ orm: t.database.orm, rpc: ledger.rpc(), programId: PROGRAM_ID })

test('what the indexer writes is answered as soon as it is written', async () => {
  expect(await told()).toEqual({ names: [], score: undefined, history: undefined })
  const indexer = scriptedIndexer(t.database.orm, ledger)
  try {
    await indexer.whenIdle()
    const before = await told()
    expect(before).toMatchObject({ names: ['a', 'b'], score: 250 })
    ledger.send(report('a', 250, 262))
    ledger.send(closing('b'))
    ledger.advance(50)
    await expect.poll(async () => (await told()).names).toEqual(['a'])
    await indexer.whenIdle()
    expect(await told()).toEqual({ names: ['a'], score: 262, history: (before.history ?? 0) + 1 })
  } finally {
    await indexer.stop()
  }
})

test('a rebuild takes kept answers with it, and what was edited by hand before', async () => {
  const onLedger = await told()
  await sql`update agents set name = 'edited', reputation_score = 7`.execute(t.kysely)
  await sql`delete from agent_history`.execute(t.kysely)
  expect(await told()).toEqual({ names: ['edited'], score: 7, history: 0 })
  await rebuilt()
  expect(await told()).toEqual(onLedger)
})

test('a rebuild that fails takes nothing', async () => {
  const before = await told()
  const broken = { ...ledger.rpc(), settle: () => Promise.reject(new Error('gone')) }
  await expect(rebuild({ orm: t.database.orm, rpc: broken, programId: PROGRAM_ID })).rejects.toThrow('gone')
  expect(await told()).toEqual(before)
})
