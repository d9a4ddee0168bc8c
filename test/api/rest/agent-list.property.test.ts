import * as fc from '../../support/property.ts'
import { beforeAll, expect, test } from 'vitest'
import { SERVICE_CATEGORIES, TIERS } from '@agent-registry/program'
import { useTestApp } from '../../support/app.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'
import { AGENT_VALUES, optional } from '../../support/search-cases.ts'

const WORDS = ['Weather', 'Wether', 'Scout', 'Scot', 'Market', 'market', 'Zeta', 'alpha', '9']
const FIXED = { seed: 7, numRuns: 400 }

const agents = fc
  .sample(
    fc.record({
      ...AGENT_VALUES,
      name: fc
        .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })
        .map((words) => words.join(' ')),
      owner: fc.constantFrom(keyOf('one'), keyOf('two'), keyOf('three')),
    }),
    { seed: 11, numRuns: 300 },
  )
  .map((overrides, i) => Object.assign(agentRow(String(i)), overrides))

type Agent = (typeof agents)[number]

const t = useTestApp()
beforeAll(() => insertAgents(t.kysely, agents))

const parameters = {
  owner: optional(fc.constantFrom(keyOf('one'), keyOf('nobody'))),
  tier: optional(fc.constantFrom(...TIERS)),
  status: optional(fc.constantFrom('active', 'suspended', 'deactivated', 'inactive')),
  category: optional(fc.constantFrom(...SERVICE_CATEGORIES.slice(0, 4))),
  name: optional(fc.constantFrom('Weather Scout', 'wether', 'Mrket', 'zzz', '9')),
  min_reputation: optional(fc.constantFrom(0, 250, 251)),
  max_reputation: optional(fc.constantFrom(251, 999, 1000)),
  include_mismatched: optional(fc.boolean()),
  sort: optional(fc.constantFrom('reputation', 'created_at', 'name')),
  order: optional(fc.constantFrom('asc', 'desc')),
  limit: optional(fc.integer({ min: 1, max: 200 })),
  offset: optional(fc.integer({ min: 0, max: 320 })),
}
const query = fc.record(parameters)

type Query = Partial<typeof query extends fc.Arbitrary<infer Value> ? Value : never>

function expected(q: Query): { total: number; pdas: string[] } {
  const found = agents.filter(
    (agent) =>
      (q.owner === undefined || agent.owner === q.owner) &&
      (q.tier === undefined || agent.tier === q.tier) &&
      (q.status === undefined ||
        (q.status === 'inactive' ? agent.status !== 'active' : agent.status === q.status)) &&
      (q.category === undefined || agent.service_category === q.category) &&
      (q.name === undefined || Math.fround(similarity(agent.name, q.name)) >= 0.3) &&
      (q.min_reputation === undefined || agent.reputation_score >= q.min_reputation) &&
      (q.max_reputation === undefined || agent.reputation_score <= q.max_reputation) &&
      (q.include_mismatched === true || !agent.card_hash_mismatch),
  )
  const key = (agent: Agent): number | string => {
    if (q.sort === 'reputation') return agent.reputation_score
    if (q.sort === 'name') return agent.name
    return q.sort === undefined && q.name !== undefined ? similarity(agent.name, q.name) : agent.created_at
  }
  const direction = q.order === 'asc' ? 1 : -1
  const compare = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0)
  found.sort((a, b) => direction * compare(key(a), key(b)) || compare(a.pda, b.pda))
  const offset = q.offset ?? 0
  return { total: found.length, pdas: found.slice(offset, offset + (q.limit ?? 50)).map(({ pda }) => pda) }
}

async function listed(q: Query): Promise<ReturnType<typeof expected>> {
  const given = Object.entries(q).filter(([, value]) => value !== undefined)
  const url = `/agents?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
  const page = (await t.app.inject(url)).json<{ total: number; agents: { pda: string }[] }>()
  return { total: page.total, pdas: page.agents.map(({ pda }) => pda) }
}

test('any filter, order and page equals the result of a scan in memory, with the exact total', async () => {
  await fc.assert(
    fc.asyncProperty(query, async (q) => {
      expect(await listed(q)).toEqual(expected(q))
    }),
    FIXED,
  )
})

test('so does any page of the list without filters', async () => {
  const { include_mismatched, sort, order, limit, offset } = parameters
  await fc.assert(
    fc.asyncProperty(fc.record({ include_mismatched, sort, order, limit, offset }), async (q) => {
      expect(await listed(q)).toEqual(expected(q))
    }),
    { seed: 5, numRuns: 150 },
  )
})

test('the pages together contain every agent once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 200 }), query, async (limit, q) => {
      const url = `/agents?include_mismatched=true&limit=${limit}&sort=${q.sort ?? 'reputation'}&order=${q.order ?? 'asc'}`
      const walked: string[] = []
      for (let offset = 0; offset < agents.length; offset += limit) {
        const response = await t.app.inject(`${url}&offset=${offset}`)
        walked.push(...response.json<{ agents: { pda: string }[] }>().agents.map(({ pda }) => pda))
      }
      expect(walked).toHaveLength(agents.length)
      expect(new Set(walked).size).toBe(agents.length)
    }),
    { seed: 3, numRuns: 15 },
  )
})

/** The similarity of pg_trgm for ASCII text, to check searches. */
function similarity(a: string, b: string): number {
  const [left, right] = [trigrams(a), trigrams(b)]
  const shared = left.intersection(right).size
  return shared === 0 ? 0 : shared / left.union(right).size
}

function trigrams(text: string): Set<string> {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return new Set(
    words.flatMap((word) => {
      const padded = `  ${word} `
      return Array.from({ length: padded.length - 2 }, (_, i) => padded.slice(i, i + 3))
    }),
  )
}
