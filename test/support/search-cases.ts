import * as fc from './property.ts'
import { SERVICE_CATEGORIES, TIERS } from '@agent-registry/program'
import { AGENT_SORTS, type SortedAgentFilter } from '../../src/registry/agents/list-agents.ts'
import { agentRow, keyOf, type NewAgent } from './factories.ts'

const WORDS = ['Weather', 'wether', 'Scout', 'SCOT', 'market', 'Zeta', 'a', 'B', '9', 'a1b', 'x'.repeat(20)]
/**
 * Other scripts, combining marks, dotted and dotless i, ligatures, emoji, and no letters at all.
 */
const OTHER = [
  'Wétter',
  'We\u0301tter',
  'İstanbul',
  'istanbul',
  'ıI',
  'STRASSE',
  'straße',
  'ﬁnance',
  'Почта',
  'ПОЧТА',
  '天気予報',
  '🛰️ sat',
  '𝒜gent',
  '\u{1F600}',
  '٣٤',
  '--',
  '_',
  'Ω',
  'Ⅷ',
]
const SEPARATORS = [' ', ' ', ' ', '-', '_', '.', '/', '', '\u00a0', '\u3000']

const words = (max: number) =>
  fc
    .array(
      fc.tuple(
        fc.oneof(
          { weight: 5, arbitrary: fc.constantFrom(...WORDS) },
          { weight: 2, arbitrary: fc.constantFrom(...OTHER) },
          { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }) },
        ),
        fc.constantFrom(...SEPARATORS),
      ),
      { minLength: 1, maxLength: max },
    )
    .map((parts) => parts.flat().join(''))

/** PostgreSQL has no text with a zero, and a search has no control characters. */
const printable = (text: string): string => text.replaceAll(/\p{C}/gu, ' ')

const searchedTexts: fc.Arbitrary<string> = words(4)
  .map((text) => printable(text).slice(0, 64).toWellFormed())
  .filter((text) => text !== '')

const registeredNames: fc.Arbitrary<string> = words(3).map((text) =>
  text.replaceAll('\0', '').slice(0, 32).toWellFormed(),
)

/** Few different values, so that many agents have the same position in an order. */
export const AGENT_VALUES = {
  tier: fc.constantFrom(...TIERS),
  status: fc.constantFrom('active', 'active', 'suspended', 'deactivated'),
  service_category: fc.constantFrom(...SERVICE_CATEGORIES.slice(0, 3)),
  reputation_score: fc.constantFrom(0, 250, 250, 251, 999, 1000),
  card_hash_mismatch: fc.constantFrom(false, false, false, true),
  created_at: fc.constantFrom(
    '2026-11-01T00:00:00.000Z',
    '2026-11-01T00:00:00.001Z',
    '2026-11-02T00:00:00.000Z',
  ),
}

export const agentChanges = fc.record({ ...AGENT_VALUES, name: registeredNames })

export const agentOf = (label: string, changes: Partial<NewAgent>): NewAgent =>
  Object.assign(agentRow(label), changes)

export const optional = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 })

const statuses = fc.constantFrom('active', 'suspended', 'deactivated', 'inactive')
const some = <Value>(value: fc.Arbitrary<Value>) => fc.array(value, { minLength: 1, maxLength: 3 })

/** Any combination of filters and orders of a list. */
export const listFilters = (owner: fc.Arbitrary<string | undefined>): fc.Arbitrary<SortedAgentFilter> =>
  fc.record({
    owner,
    tier: optional(fc.constantFrom(...TIERS)),
    tiers: optional(some(fc.constantFrom(...TIERS))),
    status: optional(statuses),
    statuses: optional(some(statuses)),
    category: optional(fc.constantFrom(...SERVICE_CATEGORIES.slice(0, 4))),
    categories: optional(some(fc.constantFrom(...SERVICE_CATEGORIES.slice(0, 4)))),
    minReputation: optional(fc.constantFrom(0, 250, 251)),
    maxReputation: optional(fc.constantFrom(251, 999, 1000)),
    includeMismatched: optional(fc.boolean()),
    sort: optional(fc.constantFrom(...AGENT_SORTS)),
    order: optional(fc.constantFrom('asc', 'desc')),
  })

/** What is searched for, and how. */
export const searchTexts: fc.Arbitrary<SortedAgentFilter> = fc.oneof(
  fc.record({ name: searchedTexts }),
  fc.record({ words: searchedTexts }),
)

export const searches: fc.Arbitrary<SortedAgentFilter> = fc
  .tuple(
    searchTexts,
    // Rare, because memory does not answer it.
    listFilters(fc.oneof({ weight: 20, arbitrary: fc.constant(undefined) }, fc.constant(keyOf('owner 1')))),
  )
  .map(([search, filter]) => Object.assign(search, filter))

export const pages = fc.record({
  limit: optional(fc.integer({ min: 1, max: 200 })),
  offset: optional(fc.integer({ min: 0, max: 300 })),
})
