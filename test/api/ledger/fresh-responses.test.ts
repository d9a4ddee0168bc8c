import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { rebuild } from '../../../src/ledger/audit/rebuild.ts'
import { useTestApp } from '../../support/app.ts'
import { scriptedIndexer } from '../../support/ledger/indexer.ts'
import { closing, keyOf, registration, report } from '../../support/ledger/samples.ts'
import { webhookSink } from '../../../src/webhooks/enqueue.ts'
import { PROGRAM_ID, ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'

const ledger = new ScriptedLedger()
ledger.advance(50)
const t = useTestApp({ ledger: ledger.rpc(), tablesFilled: false })
beforeAll(async () => {
  // Fills the tables from the empty registry.
  await rebuilt()
  for (const label of ['a', 'b']) ledger.send(registration(label))
  ledger.advance(50)
})

interface Responses {
  names: string[]
  score: number | undefined
  history: number | undefined
}

async function readResponses(): Promise<Responses> {
  const get = async <Body>(url: string): Promise<Body> => (await t.app.inject(url)).json<Body>()
  const { agents } = await get<{ agents: { name: string }[] }>('/agents?sort=name&order=asc')
  return {
    names: agents.map((each) => each.name),
    score: (await get<{ reputation_score?: number }>(`/agents/${keyOf('a')}`)).reputation_score,
    history: (await get<{ total?: number }>(`/agents/${keyOf('a')}/history`)).total,
  }
}

const rebuilt = () =>
  rebuild({ sink: webhookSink, orm: t.database.orm, rpc: ledger.rpc(), programId: PROGRAM_ID })

test('responses contain what the indexer has written, immediately', async () => {
  expect(await readResponses()).toEqual({ names: [], score: undefined, history: undefined })
  const indexer = scriptedIndexer(t.database.orm, ledger)
  try {
    await indexer.whenIdle()
    const before = await readResponses()
    expect(before).toMatchObject({ names: ['a', 'b'], score: 250 })
    ledger.send(report('a', 250, 262))
    ledger.send(closing('b'))
    ledger.advance(50)
    await expect.poll(async () => (await readResponses()).names).toEqual(['a'])
    await indexer.whenIdle()
    expect(await readResponses()).toEqual({ names: ['a'], score: 262, history: (before.history ?? 0) + 1 })
  } finally {
    await indexer.stop()
  }
})

test('a rebuild and a manual edit are in the next responses', async () => {
  const onLedger = await readResponses()
  await sql`update agents set name = 'edited', reputation_score = 7`.execute(t.kysely)
  await sql`delete from agent_history`.execute(t.kysely)
  expect(await readResponses()).toEqual({ names: ['edited'], score: 7, history: 0 })
  await rebuilt()
  expect(await readResponses()).toEqual(onLedger)
})

test('a failed rebuild does not change responses', async () => {
  const before = await readResponses()
  const broken = { ...ledger.rpc(), settle: () => Promise.reject(new Error('gone')) }
  await expect(
    rebuild({ sink: webhookSink, orm: t.database.orm, rpc: broken, programId: PROGRAM_ID }),
  ).rejects.toThrow('gone')
  expect(await readResponses()).toEqual(before)
})
