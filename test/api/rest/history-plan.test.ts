import { CompiledQuery, sql, type KyselyPlugin, type RootOperationNode, createQueryId } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { HistoryRow } from '../../../src/registry/agents/agent-history.ts'
import { createAgentReads } from '../../../src/registry/agents/agent-reads.ts'
import type { Connection } from '../../../src/domain/connection.ts'
import { useTestApp } from '../../support/app.ts'
import { insertAgents, insertHistory, keyOf } from '../../support/factories.ts'

interface PlanNode {
  'Node Type': string
  'Actual Loops': number
  'Actual Rows': number
  Plans?: PlanNode[]
}

const t = useTestApp()
beforeAll(async () => {
  await insertAgents(t.kysely, ['A', 'B'])
  for (const label of ['A', 'B']) {
    await insertHistory(
      t.kysely,
      label,
      Array.from({ length: 50 }, () => ({})),
    )
  }
  await sql`
    insert into agent_history (event_id, position, agent_pda, event_type, old_value, new_value, occurred_at)
    select 'long ' || i, lpad(i::text, 20, '0'), case when i <= 1000 then ${keyOf('agent A')} else 'agent ' || i % 1000 end,
      'metadata_updated', '{}', '{}', now()
    from generate_series(1, 5000) i`.execute(t.kysely)
  await sql`vacuum analyze agent_history`.execute(t.kysely)
})

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

const page = (plan: PlanNode): PlanNode => nodes(plan).find((node) => node['Node Type'] === 'Limit')!
const counts = (plan: PlanNode): PlanNode[] => nodes(plan).filter((node) => node['Node Type'] === 'Aggregate')

test.each([1, 2])(
  'reading %i histories counts none, and reads one entry more than a page of each from its index',
  async (agents) => {
    const pdas = ['A', 'B'].slice(0, agents).map((label) => keyOf(`agent ${label}`))
    for (const input of [{ first: 20 }, { last: 20 }]) {
      const plan = await planOf((reads) => reads.histories(pdas, input))
      expect(counts(plan)).toEqual([])
      expect(nodes(page(plan)).map((node) => [node['Actual Rows'], node['Actual Loops']])).toEqual([
        [21, agents],
        [21, agents],
      ])
      expect(page(plan).Plans![0]!['Node Type']).toMatch(/^Index Scan/)
      // Nothing else reads more than a row of each agent.
      const others = nodes(plan).filter((node) => !nodes(page(plan)).includes(node))
      for (const node of others) expect(node['Actual Loops']).toBeLessThanOrEqual(agents)
      const read = others.filter((node) => node['Node Type'].endsWith(' Scan'))
      expect(Math.max(...read.map((node) => node['Actual Rows'] * node['Actual Loops']))).toBe(agents)
    }
  },
)

test('a page of one history counts it once, whatever the page size', async () => {
  for (const limit of [1, 50]) {
    const plan = await planOf((reads) => reads.history(keyOf('agent A'), { limit, offset: 0 }))
    expect(counts(plan).map((node) => node['Actual Loops'])).toEqual([1])
    expect(Math.max(...nodes(plan).map((node) => node['Actual Loops']))).toBe(1)
  }
})

test('a count that is asked for is that of its own history', async () => {
  let pages: Connection<HistoryRow>[] = []
  await planOf(async (reads) => {
    pages = await reads.histories([keyOf('agent A'), keyOf('agent B')], { first: 1 })
  })
  expect(await Promise.all(pages.map(({ count }) => count()))).toEqual([1_050, 50])
})

test('a page of a long history is read from its index, however short other histories are', async () => {
  const plan = await planOf((reads) => reads.history(keyOf('agent A'), { limit: 50, offset: 0 }))
  expect(nodes(page(plan)).map((node) => node['Actual Rows'])).toEqual([50, 50])
})
