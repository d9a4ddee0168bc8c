import { expect, test } from 'vitest'
import { NameIndex, type NamedAgent, type NameQuery } from '../../../src/registry/search/name-index.ts'
import { asciiTrigrams } from '../../../src/registry/search/trigrams.ts'
import * as fc from '../../support/property.ts'

/** Most match, so that a page is a small part of what is found. */
const AGENTS = 6_000
const CAPACITY = AGENTS + 1_000
const PROFILES = 3
const WORDS = ['weather', 'whether', 'scout', 'market', 'zebra']
/** Before some names. The order of the first two characters is not that of the others. */
const SYMBOLS = ['', '', '\u007f~', '\u0100!', '\u0101 ']
const QUERIES = ['weather', 'wether scout', 'weather scout market zebra', 'whether zebra', 'quartz zebra']
/** Has trigrams of few names, which are not in bitmaps. */
const RARE = 'quartz'

const wordOf = (i: number): string => WORDS[i % WORDS.length]!

function agentOf(i: number): NamedAgent {
  // Equal values, also of the start of the pda, so that each comparison has ties.
  return {
    pda: `${'same start '.repeat(i % 2)}${(i * 7_919) % 10_007}`,
    name: `${SYMBOLS[i % SYMBOLS.length]}${i % 97 === 0 ? RARE : wordOf(i)} ${wordOf(i >> 3)} ${i % 11}`,
    trigrams: null,
    profile: i % PROFILES,
    reputation: (i * 31) % 50,
    createdAt: (i * 17) % 500,
  }
}

/** What the index must find, computed in the simplest way. */
function expected(agents: ReadonlyMap<number, NamedAgent>, query: NameQuery) {
  const matches = [...agents].flatMap(([slot, agent]) => {
    const own = new Set(asciiTrigrams(agent.name))
    const shared = query.trigrams.filter((each) => own.has(each)).length
    const all = query.by === 'name' ? own.size + query.trigrams.length - shared : query.trigrams.length
    const similarity = Math.fround(shared / all)
    const isFound =
      similarity >= Math.fround(query.by === 'name' ? 0.3 : 0.5) &&
      query.accepted[agent.profile] === 1 &&
      agent.reputation >= query.minReputation &&
      agent.reputation <= query.maxReputation
    const value = { similarity, created_at: agent.createdAt, reputation: agent.reputation, name: agent.name }
    return isFound ? [{ slot, pda: agent.pda, value: value[query.sort], similarity }] : []
  })
  const compareValues = (one: number | string, other: number | string) =>
    one === other ? 0 : one < other === query.descending ? 1 : -1
  const compare = (one: (typeof matches)[number], other: (typeof matches)[number]) =>
    compareValues(one.value, other.value) || (one.pda < other.pda ? -1 : 1)
  const compareKey = (each: (typeof matches)[number], [value, pda]: readonly [number | string, string]) =>
    compareValues(each.value, value) || (each.pda === pda ? 0 : each.pda < pda ? -1 : 1)
  const { after, before } = query
  const between = matches
    .filter((each) => after === null || compareKey(each, after) > 0)
    .filter((each) => before === null || compareKey(each, before) < 0)
    .toSorted(compare)
  if (query.backward) between.reverse()
  const page = between.slice(query.offset, query.offset + query.limit)
  return { total: matches.length, page: page.map(({ slot, similarity }) => [slot, similarity]) }
}

const queries = fc.record({
  by: fc.constantFrom('name' as const, 'words' as const),
  text: fc.constantFrom(...QUERIES),
  // Few, because the index keeps what it finds for conditions.
  accepted: fc.constantFrom([1, 1, 1], [1, 0, 1], [0, 1, 1]),
  minReputation: fc.constantFrom(-Infinity, 10),
  maxReputation: fc.constantFrom(Infinity, 40),
  sort: fc.constantFrom('similarity' as const, 'created_at' as const, 'reputation' as const, 'name' as const),
  descending: fc.boolean(),
  backward: fc.boolean(),
  offset: fc.constantFrom(0, 0, 3, 1_500),
  limit: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 })),
  /** Slots of the agents at which the range begins and ends. */
  range: fc.constantFrom([null, null], [5, null], [null, 6], [7, 4_000]),
  /** Slots that change before the search, and what is put there. Null removes the agent. */
  changes: fc.array(
    fc.tuple(fc.nat(AGENTS + 200), fc.option(fc.record({ like: fc.nat(AGENTS), reputation: fc.nat(60) }))),
    { maxLength: 300, size: 'max' },
  ),
})

test('the index finds what a comparison of all names finds, also after changes', () => {
  const index = new NameIndex(CAPACITY)
  const agents = new Map<number, NamedAgent>()
  const put = (slot: number, agent: NamedAgent) => {
    agents.set(slot, agent)
    index.put(slot, agent)
  }
  for (let slot = 0; slot < AGENTS; slot++) put(slot, agentOf(slot))
  for (let slot = 0; slot < AGENTS; slot += 7)
    put(slot, { ...agentOf(slot), name: `${wordOf(slot + 1)} renamed` })
  const remove = (slot: number) => {
    agents.delete(slot)
    index.remove(slot)
  }
  for (let slot = 1; slot < AGENTS; slot += 13) remove(slot)
  let isFull = 0
  fc.assert(
    fc.property(queries, ({ text, accepted, range, changes, ...rest }) => {
      for (const [slot, change] of changes)
        if (change === null) remove(slot)
        else {
          const { pda } = agents.get(slot) ?? agentOf(slot)
          put(slot, { ...agentOf(change.like), pda, reputation: change.reputation })
        }
      const base = { ...rest, trigrams: asciiTrigrams(text), accepted: Uint8Array.from(accepted) }
      const keyOf = (slot: number | null | undefined): NameQuery['after'] => {
        if (slot === null || slot === undefined) return null
        const { pda, name, reputation, createdAt } = agentOf(slot)
        return [{ similarity: 0.5, created_at: createdAt, reputation, name }[rest.sort], pda]
      }
      const query: NameQuery = { ...base, after: keyOf(range[0]), before: keyOf(range[1]) }
      const { total, slots, similarities } = index.search(query)
      const page = Array.from(slots, (slot, i) => [slot, similarities[i]])
      expect({ total, page }).toEqual(expected(agents, query))
      if (total > 1_500) isFull += 1
    }),
    { numRuns: 150 },
  )
  expect(isFull).toBeGreaterThan(10)
})

test('words that are too bad for a page are only counted, and their best match is found for another', () => {
  const [last, best] = [5_024, 5_030]
  const index = new NameIndex(CAPACITY)
  const nameOf = (slot: number): string => {
    if (slot < last) return 'zebra one'
    return slot === best ? `${RARE} seven` : 'zebra seven'
  }
  for (let slot = 0; slot < last + 32; slot++)
    index.put(slot, { ...agentOf(slot), name: nameOf(slot), createdAt: slot < last ? 1 : 0 })
  const query: NameQuery = {
    by: 'name',
    trigrams: asciiTrigrams(`${RARE} zebra`),
    accepted: Uint8Array.from([1, 1, 1]),
    minReputation: -Infinity,
    maxReputation: Infinity,
    sort: 'similarity',
    descending: true,
    backward: false,
    after: null,
    before: null,
    offset: 0,
    limit: 1,
  }
  expect(index.search({ ...query, sort: 'created_at' }).total).toBe(last + 32)
  const { total, slots, similarities } = index.search(query)
  expect({ total, slots: [...slots] }).toEqual({ total: last + 32, slots: [best] })
  expect(similarities[0]).toBe(Math.fround(7 / 19))
})
