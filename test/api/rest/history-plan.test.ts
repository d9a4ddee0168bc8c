import { CompiledQuery, sql, type KyselyPlugin, type RootOperationNode, createQueryId } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgentReads } from '../../../src/agents/agent-reads.ts'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { agentRow, insertAgents, insertHistory, keyOf } from '../../support/factories.ts'

interface PlanNode {
  'Node Type': string
  'Actual Loops': number
  'Actual Rows': number
  Plans?: PlanNode[]
}

let t: TestApp
beforeAll(async () => {
  t = await createTestApp()
  await insertAgents(
    t.kysely,
    ['A', 'B'].map((label) => agentRow(label)),
  )
  for (const label of ['A', 'B']) {
    await insertHistory(
      t.kysely,
      label,
      Array.from({ length: 50 }, () => ({})),
    )
  }
})
afterAll(() => t.close())

/** The plan that PostgreSQL executed for the only statement of `read`. */
async function planOf(read: (reads: ReturnType<typeof createAgentReads>) => Promise<unknown>) {
  const statements: RootOperationNode[] = []
  const recorder: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements.push(node)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  await read(createAgentReads(t.kysely.withPlugin(recorder)))
  expect(statements).toHaveLength(1)
  const compiled = t.kysely.getExecutor().compileQuery(statements[0]!, createQueryId())
  const { rows } = await t.kysely.executeQuery<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
    CompiledQuery.raw(`explain (analyze, format json) ${compiled.sql}`, [...compiled.parameters]),
  )
  return rows[0]!['QUERY PLAN'][0]!.Plan
}

function nodes(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodes)]
}

test.each([1, 2])('reading %i histories counts each history once, whatever the page size', async (agents) => {
  const pdas = ['A', 'B'].slice(0, agents).map((label) => keyOf(`agent ${label}`))
  const plan = await planOf((reads) => reads.histories(pdas, { limit: 50, offset: 0 }))
  const counts = nodes(plan).filter((node) => node['Node Type'] === 'Aggregate')
  expect(counts.map((node) => node['Actual Loops'])).toEqual([agents])
  expect(Math.max(...nodes(plan).map((node) => node['Actual Loops']))).toBe(agents)
})

test('a page of a long history is read from its index, however short other histories are', async () => {
  await sql`
    insert into agent_history (event_id, position, agent_pda, event_type, old_value, new_value, occurred_at)
    select 'long ' || i, lpad(i::text, 20, '0'), case when i <= 1000 then ${keyOf('agent A')} else 'agent ' || i % 1000 end,
      'metadata_updated', '{}', '{}', now()
    from generate_series(1, 5000) i`.execute(t.kysely)
  await sql`vacuum analyze agent_history`.execute(t.kysely)
  const plan = await planOf((reads) => reads.history(keyOf('agent A'), { limit: 50, offset: 0 }))
  const page = nodes(plan).find((node) => node['Node Type'] === 'Limit')
  expect(nodes(page!).map((node) => node['Actual Rows'])).toEqual([50, 50])
})
