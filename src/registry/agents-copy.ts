import { MAX_REPUTATION } from '@agent-registry/program'
import type { RunQuery } from './changes.ts'
import { agentSelection, type AgentRow, packedColumns, readParsers } from './rows.ts'
import { MAX_COUNT } from './search/bit-planes.ts'
import { byteOrder, type NamedAgent, type NameQuery } from './search/name-index.ts'
import type { NamedAgents, NameThread } from './search/name-thread.ts'
import { PDA, type SortValue } from './sort-order.ts'
import {
  type CountedPage,
  isIn,
  type KeyRange,
  MAX_SCANNED,
  MAX_SELECTED,
  type Parser,
  TableCopy,
  type Window,
  withKeys,
} from './table-copy.ts'
import type { IndexedTable } from './table-data.ts'

/** The values that most filters compare. Few different ones. */
export interface AgentProfile {
  readonly tier: string
  readonly status: string
  readonly category: string
  readonly mismatched: boolean
}

/** Absent conditions match all agents. */
export interface AgentConditions {
  readonly tiers: readonly string[] | null
  readonly statuses: readonly string[] | null
  readonly categories: readonly string[] | null
  readonly includeMismatched: boolean
  readonly minReputation: number | null
  readonly maxReputation: number | null
}

function acceptsProfile(
  conditions: AgentConditions,
  { tier, status, category, mismatched }: AgentProfile,
): boolean {
  return (
    (conditions.includeMismatched || !mismatched) &&
    (conditions.tiers?.includes(tier) ?? true) &&
    (conditions.statuses?.includes(status) ?? true) &&
    (conditions.categories?.includes(category) ?? true)
  )
}

export interface AgentWindow extends Window {
  readonly sort: 'created_at' | 'reputation' | 'name'
}

export interface NameWindow extends Window, Pick<NameQuery, 'sort' | 'by'> {}

/** The values of cursors as they are sorted here. */
const SORT_VALUES: Record<AgentWindow['sort'], (value: SortValue) => SortValue> = {
  created_at: (value) => Date.parse(String(value)) * 1_000,
  reputation: (value) => value,
  name: (value) => value,
}

/** The same for searches, which compare texts in JavaScript. */
const NAME_SORT_VALUES: Record<NameWindow['sort'], (value: SortValue) => SortValue> = {
  ...SORT_VALUES,
  similarity: (value) => Math.fround(Number(value)),
  name: (value) => byteOrder(String(value)),
}

/** Names whose lower case is not that of ASCII, and texts for which that is unknown. */
const IS_OTHER = `(octet_length(agents.name) <> char_length(agents.name)
  or (lower('I') <> 'i' and agents.name like '%I%'))`
const MAY_BE_OTHER = /[^\0-\x7f]|I/
/**
 * Whether PostgreSQL's lower case and trigrams may not be those of ASCII. In Turkish, I has another
 * one.
 */
export const isOtherText = (text: string): boolean => MAY_BE_OTHER.test(text)

const { columns, fieldOf } = packedColumns(agentSelection, {
  // Rows have milliseconds. PostgreSQL sorts by microseconds.
  createdMicros: 'trunc(extract(epoch from agents.created_at) * 1000000)',
  lowered: `case when ${IS_OTHER} then lower(agents.name) end`,
  trigrams: `case when ${IS_OTHER} then array_to_string(show_trgm(agents.name), ',') end`,
})

export const AGENTS = {
  name: 'agents',
  columns,
  keys: { owner: fieldOf('owner') },
  orders: {
    created_at: { by: 'number', field: fieldOf('createdMicros') },
    reputation: { by: 'number', field: fieldOf('reputationScore') },
    name: { by: 'text', field: fieldOf('name') },
    lowered: { by: 'lower case', field: fieldOf('lowered'), otherwise: fieldOf('name') },
  },
} as const satisfies IndexedTable

export const agentParsers = (query: RunQuery): Promise<Parser[]> =>
  readParsers(agentSelection, fieldOf, query)

/** Places for every score that filters can ask for, and one for lower and for higher ones. */
const SCORES = MAX_REPUTATION + 3
const scoreIndex = (score: number): number => Math.min(Math.max(score, -1), MAX_REPUTATION + 1) + 1

interface ProfileAgents extends AgentProfile {
  readonly slots: number[]
  /** Agents by `scoreIndex`. */
  readonly counts: Uint32Array
}

/** The profiles that conditions accept. */
interface Accepted {
  readonly profiles: readonly ProfileAgents[]
  /** By the index of each profile: 1 or 0. */
  readonly marks: Uint8Array
}
/** A client can ask for any combination of values. */
const MAX_ACCEPTED = 200

/** Texts that begin with a prefix are before the prefix and this. */
export const LAST_CHARACTER = '\u{10ffff}'
/** Selecting a slot takes longer than looking at one. */
const SELECTING_COSTS = 2

const COUNTED = ['tier', 'status', 'serviceCategory', 'cardHashMismatch', 'reputationScore'] as const
type Counted = Pick<AgentRow, (typeof COUNTED)[number]>

/** All agents. */
export class AgentsCopy
  extends TableCopy<AgentRow, keyof typeof AGENTS.keys, keyof typeof AGENTS.orders>
  implements NamedAgents
{
  names: NameThread | null = null
  readonly #profiles: ProfileAgents[] = []
  readonly #profileIds = new Map<string, number>()
  /** Of the last conditions that were asked for. Looking at all profiles takes 5 us. */
  readonly #accepted = new Map<string, Accepted>()
  // By slot. Looking at a row takes ten times longer than looking at a number.
  /** The index of its profile. */
  readonly #profileOf = new Uint16Array(this.capacity)
  /** The index of its slot in the slots of that profile. */
  readonly #indexOf = new Uint32Array(this.capacity)
  /** Its `scoreIndex`. */
  readonly #scoreOf = new Uint16Array(this.capacity)

  protected readonly counted = COUNTED
  protected added(slot: number, row: Counted): void {
    const id = this.#profileId(row)
    const { slots, counts } = this.#profiles[id]!
    this.#profileOf[slot] = id
    this.#indexOf[slot] = slots.push(slot) - 1
    const score = scoreIndex(row.reputationScore)
    this.#scoreOf[slot] = score
    counts[score]! += 1
    this.names?.changed(slot)
  }

  protected removed(slot: number, row: AgentRow): void {
    const { slots, counts } = this.#profiles[this.#profileOf[slot]!]!
    const index = this.#indexOf[slot]!
    const last = slots.pop()!
    if (last !== slot) {
      slots[index] = last
      this.#indexOf[last] = index
    }
    counts[this.#scoreOf[slot]!]! -= 1
    this.names?.replaced(slot, row)
  }

  named(slot: number): NamedAgent | null {
    const { packed } = this
    if (!packed.has(slot)) return null
    return {
      pda: packed.text(slot, PDA)!,
      name: byteOrder(packed.text(slot, fieldOf('name'))!),
      trigrams: packed.text(slot, fieldOf('trigrams')),
      profile: this.#profileOf[slot]!,
      reputation: packed.number(slot, fieldOf('reputationScore')),
      createdAt: packed.number(slot, fieldOf('createdMicros')),
    }
  }

  #profileId({ tier, status, serviceCategory: category, cardHashMismatch: mismatched }: Counted): number {
    const key = `${tier} ${status} ${category} ${mismatched}`
    const known = this.#profileIds.get(key)
    if (known !== undefined) return known
    const profile = { tier, status, category, mismatched, slots: [], counts: new Uint32Array(SCORES) }
    const id = this.#profiles.push(profile) - 1
    this.#profileIds.set(key, id)
    this.#accepted.clear()
    return id
  }

  #accept(conditions: AgentConditions): Accepted {
    const { tiers, statuses, categories, includeMismatched } = conditions
    const key = JSON.stringify([tiers, statuses, categories, includeMismatched])
    const known = this.#accepted.get(key)
    if (known !== undefined) return known
    const marks = Uint8Array.from(this.#profiles, (each) => Number(acceptsProfile(conditions, each)))
    const accepted = { marks, profiles: this.#profiles.filter((_, id) => marks[id] === 1) }
    if (this.#accepted.size >= MAX_ACCEPTED) this.#accepted.clear()
    this.#accepted.set(key, accepted)
    return accepted
  }

  /** Exact counts by profile. */
  counts(): (AgentProfile & { readonly count: number })[] {
    return this.#profiles.map(({ tier, status, category, mismatched, slots }) => ({
      tier,
      status,
      category,
      mismatched,
      count: slots.length,
    }))
  }

  /** How many agents have each score. -1 and MAX_REPUTATION + 1 stand for impossible scores. */
  scores(): { readonly score: number; readonly agents: number }[] {
    return Array.from({ length: SCORES }, (_, i) => ({
      score: i - 1,
      agents: this.#profiles.reduce((sum, { counts }) => sum + counts[i]!, 0),
    }))
  }

  /** How many agents were registered before a time in microseconds since 1970. */
  registeredBefore(time: number): number {
    const { values } = this.orders.created_at.data
    return this.orders.created_at.in(false).count((slot) => values[slot]! < time)
  }

  /** The oldest agent of an owner. Undefined if there are too many. */
  ofOwner(owner: string): AgentRow | null | undefined {
    const slots = this.keys.owner.all(owner)
    const first = { descending: false, after: null, before: null, backward: false, offset: 0, limit: 1 }
    return slots && (this.select(this.orders.created_at, first, [slots], isIn(slots))[0] ?? null)
  }

  /** A page of a search by name, as of now. Undefined if the thread cannot answer. */
  async search(
    trigrams: readonly number[],
    conditions: AgentConditions,
    window: NameWindow,
  ): Promise<CountedPage<AgentRow> | undefined> {
    if (trigrams.length > MAX_COUNT || this.names === null) return undefined
    const query = {
      ...withKeys(window, NAME_SORT_VALUES[window.sort]),
      sort: window.sort,
      by: window.by,
      trigrams,
      accepted: this.#accept(conditions).marks,
      minReputation: conditions.minReputation ?? -Infinity,
      maxReputation: conditions.maxReputation ?? Infinity,
    }
    return this.names.search(query, (slot) => this.row(slot))
  }

  /** A page of a list. Undefined if it is too much work. */
  list(
    conditions: AgentConditions,
    owner: string | null,
    window: AgentWindow,
  ): CountedPage<AgentRow> | undefined {
    const order = this.orders[window.sort]
    const keyed = withKeys(window, SORT_VALUES[window.sort])
    const { profiles, marks } = this.#accept(conditions)
    const scores = scoresOf(conditions)
    const [low, high] = scores ?? []
    const profileOf = this.#profileOf
    const scoreOf = this.#scoreOf
    const isAccepted = (slot: number): boolean => marks[profileOf[slot]!] === 1
    const matches =
      scores === null
        ? isAccepted
        : (slot: number) => isAccepted(slot) && scoreOf[slot]! >= low! && scoreOf[slot]! <= high!
    if (owner !== null) {
      const slots = this.keys.owner.all(owner)?.filter(matches)
      return slots && { total: slots.length, rows: this.select(order, keyed, [slots], isIn(slots)) }
    }
    const total = profiles.reduce((sum, each) => sum + countOf(each, scores), 0)
    if (window.offset >= total) return { total, rows: [] }
    const candidates = profiles.reduce((sum, { slots }) => sum + slots.length, 0)
    const expected = ((window.offset + window.limit) * this.size) / total
    // Skipping is fast if all match.
    const isQuick = expected < MAX_SCANNED && expected < candidates * SELECTING_COSTS
    const scans = total === this.size || isQuick
    const range = window.sort === 'reputation' ? rangeOf(conditions, window.descending) : null
    const scanned = scans ? this.scan(order, keyed, total === this.size ? null : matches, range) : undefined
    if (scanned !== undefined) return { total, rows: scanned }
    if (candidates > MAX_SELECTED) return undefined
    const lists = profiles.map(({ slots }) => slots)
    return { total, rows: this.select(order, keyed, lists, matches) }
  }

  /**
   * Agents without a mismatch whose name begins so, in any case, in the order of names. Undefined
   * if PostgreSQL must answer.
   */
  suggest(prefix: string, limit: number): AgentRow[] | undefined {
    if (isOtherText(prefix)) return undefined
    const start = prefix.toLowerCase()
    const end = start + LAST_CHARACTER
    const window = { descending: false, backward: false, offset: 0, limit }
    const after = [start, ''] as const
    const before = [end, ''] as const
    const shown = Uint8Array.from(this.#profiles, ({ mismatched }) => Number(!mismatched))
    const profileOf = this.#profileOf
    return this.scan(
      this.orders.lowered,
      { ...window, after, before },
      (slot) => shown[profileOf[slot]!] === 1,
    )
  }
}

type Scores = readonly [first: number, last: number]

/** The first and the last `scoreIndex` that meets the conditions. Null if all do. */
function scoresOf({ minReputation, maxReputation }: AgentConditions): Scores | null {
  if (minReputation === null && maxReputation === null) return null
  return [
    minReputation === null ? 0 : scoreIndex(minReputation),
    maxReputation === null ? SCORES - 1 : scoreIndex(maxReputation),
  ]
}

/** The part of the order by reputation that meets the conditions. */
function rangeOf({ minReputation, maxReputation }: AgentConditions, descending: boolean): KeyRange {
  const [first, last] = descending ? [maxReputation, minReputation] : [minReputation, maxReputation]
  return {
    after: first === null ? null : [first, ''],
    before: last === null ? null : [last, LAST_CHARACTER],
  }
}

/** The agents of a profile with these scores. */
function countOf({ slots, counts }: ProfileAgents, scores: Scores | null): number {
  if (scores === null) return slots.length
  let count = 0
  for (let i = scores[0]; i <= scores[1]; i++) count += counts[i]!
  return count
}
