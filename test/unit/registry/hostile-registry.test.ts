import { expect, test } from 'vitest'
import {
  type AgentConditions,
  AgentsCopy,
  AGENTS,
  type AgentWindow,
} from '../../../src/registry/agents-copy.ts'
import { agentSelection } from '../../../src/registry/rows.ts'
import { MAX_SCANNED, MAX_SELECTED } from '../../../src/registry/table-copy.ts'
import { TableLoader } from '../../../src/registry/table-data.ts'

const ALL: AgentConditions = {
  tiers: null,
  statuses: null,
  categories: null,
  includeMismatched: false,
  minReputation: null,
  maxReputation: null,
}
const FIRST: AgentWindow = {
  sort: 'created_at',
  descending: false,
  after: null,
  before: null,
  backward: false,
  offset: 0,
  limit: 50,
}

const PARSERS = agentSelection.names.map((name, i) => ({
  name,
  field: i === 0 ? 0 : i + 3,
  parse: (text: string): unknown => {
    if (name === 'reputationScore') return Number(text)
    return name === 'cardHashMismatch' ? text === 'true' : text
  },
}))

/** Agents with one name, created in the order of their number. */
async function copyOf(
  count: number,
  changesOf: (i: number) => Record<string, string | boolean>,
): Promise<AgentsCopy> {
  const loader = new TableLoader(AGENTS)
  for (let i = 0; i < count; i++) {
    const pda = String(i).padStart(8, '0')
    const usual = {
      pda,
      owner: 'owner',
      name: 'Same',
      tier: 'basic',
      status: 'active',
      serviceCategory: 'other',
      reputationScore: 1,
      cardHashMismatch: false,
      createdAt: '2026-01-01T00:00:00.000Z',
    }
    const row: Record<string, string | number | boolean> = { ...usual, ...changesOf(i) }
    const [first, ...others] = agentSelection.names.map((name) => String(row[name] ?? ''))
    loader.add([first, String(i), null, null, ...others])
  }
  const copy = new AgentsCopy(loader.finish(), PARSERS)
  await copy.begin(() => undefined)
  return copy
}

test('a page that would look at too many agents is left to PostgreSQL, and others are not', async () => {
  const size = MAX_SCANNED + MAX_SELECTED * 2
  // The matches are at the end of the list, where no estimate expects them.
  const copy = await copyOf(size, (i) => ({ tier: i < size - MAX_SELECTED - 1 ? 'basic' : 'premium' }))
  const premium = { ...ALL, tiers: ['premium'] }
  expect(copy.list(premium, null, FIRST)).toBeUndefined()
  const last = copy.list(premium, null, { ...FIRST, descending: true })
  expect([last?.total, last?.rows.length, last?.rows[0]?.pda]).toEqual([
    MAX_SELECTED + 1,
    50,
    String(size - 1).padStart(8, '0'),
  ])
  // All have one name and one owner.
  expect(copy.list(ALL, null, { ...FIRST, sort: 'name', descending: true })?.rows[0]?.pda).toBe('00000000')
  expect(copy.list(ALL, 'owner', FIRST)).toBeUndefined()
  expect(copy.ofOwner('owner')).toBeUndefined()
  expect(copy.list(ALL, null, { ...FIRST, offset: size - 50 })?.rows).toHaveLength(50)
  expect(copy.list(ALL, null, { ...FIRST, offset: size })).toEqual({ total: size, rows: [] })
})

test('a few matches at the end of a long list are selected from their own list', async () => {
  const size = MAX_SCANNED * 1.5
  const copy = await copyOf(size, (i) => ({ tier: i % 50_000 === 49_999 ? 'premium' : 'basic' }))
  const found = copy.list({ ...ALL, tiers: ['premium'] }, null, { ...FIRST, offset: 1 })
  expect([found?.total, found?.rows.map(({ pda }) => pda)]).toEqual([3, ['00099999', '00149999']])
})

test('suggestions skip agents with a mismatch, up to a limit', async () => {
  const copy = await copyOf(MAX_SCANNED + 10, (i) => ({ cardHashMismatch: i < MAX_SCANNED + 5 }))
  expect(copy.suggest('sa', 3)).toBeUndefined()
  expect(copy.suggest('sb', 3)).toEqual([])
  expect(copy.suggest('SA', 3)).toBeUndefined()
})
