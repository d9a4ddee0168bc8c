import { expect, test } from 'vitest'
import { readFilters } from '../src/pages/agents/filters.ts'
import { readFilter, withType } from '../src/pages/live/feed.ts'

test.each([
  ['tier=PREMIUM&status=SUSPENDED&category=DATA_ANALYSIS&sort=CREATED_AT'],
  ['tier=premium&status=suspended&category=dataAnalysis&sort=created_at'],
])('a link filters and sorts the agents, with the names of values or with older texts: %s', (search) => {
  expect(readFilters(new URLSearchParams(search))).toEqual({
    filter: { tier: 'PREMIUM', status: 'SUSPENDED', category: 'DATA_ANALYSIS' },
    orderBy: { field: 'CREATED_AT', direction: 'DESC' },
    first: 25,
  })
})

test('an unknown filter in a link is ignored', () => {
  const { filter, orderBy } = readFilters(new URLSearchParams('tier=gold&status=&sort=age&name=a'))
  expect([filter, orderBy]).toEqual([{ words: 'a' }, undefined])
})

test.each([['STAKE_DEPOSITED,AGENT_TIER_UPDATED,NOTHING'], ['stake.deposited,agent.tier_updated,nothing']])(
  'a link chooses the live events, with the names of types or with older texts: %s',
  (types) => {
    const search = new URLSearchParams({ types })
    expect(readFilter(search)).toEqual({ types: ['AGENT_TIER_UPDATED', 'STAKE_DEPOSITED'] })
    expect(withType(search, 'STAKE_DEPOSITED').get('types')).toBe('AGENT_TIER_UPDATED')
  },
)
