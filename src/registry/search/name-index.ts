import type { SortKey } from '../sort-order.ts'
import { type Compare, WindowSelection } from '../select-window.ts'
import type { Window } from '../table-copy.ts'
import type { Candidates } from './bit-planes.ts'
import { SharedCounter } from './shared-counter.ts'
import { bitCount, lowestBit, Postings, SlotNumbers, WORD_BITS, words } from './slot-set.ts'
import { asciiTrigrams, MEASURES, type SearchBy, shownTrigrams, type Trigram } from './trigrams.ts'

/** What the index has of an agent. */
export interface NamedAgent {
  readonly pda: string
  /** In the form in which it is sorted. ASCII names are the same in that form. */
  readonly name: string
  /** `show_trgm` of the name, joined with commas, if `asciiTrigrams` does not know them. */
  readonly trigrams: string | null
  /** A small number. */
  readonly profile: number
  readonly reputation: number
  /** Microseconds since 1970. */
  readonly createdAt: number
}

export interface NameQuery extends Window {
  readonly by: SearchBy
  readonly trigrams: readonly Trigram[]
  /** 1 for each profile that matches. */
  readonly accepted: Uint8Array
  readonly minReputation: number
  readonly maxReputation: number
  readonly sort: 'similarity' | 'created_at' | 'reputation' | 'name'
}

/** The slots of agents that match conditions. Its words are found when a search needs them. */
interface Filter {
  readonly bits: Uint32Array
  /** 1 for each word that has been found since its last change. */
  readonly isFound: Uint8Array
}

interface Search extends NameQuery {
  /** By the number of trigrams of a name: how many of them a match shares at least. */
  readonly needed: Uint8Array
  readonly filter: Filter
  /** 1 or -1: the direction of the keys, and that of the pdas of equal keys. */
  readonly rising: number
  readonly forward: number
}

export interface FoundNames {
  readonly total: number
  /** Of the page, in order. */
  readonly slots: Uint32Array
  readonly similarities: Float32Array
}

/** No registered name has so many. */
const MAX_TRIGRAM_COUNT = 254
const MAX_FILTERS = 16
/** The characters of a pda that its start has, seven bits each. */
const START_LENGTH = 7

/** The names of agents by slot, and what filters and orders of a search need. Equal to pg_trgm. */
export class NameIndex {
  /** The words of slots that were ever used. */
  #words = 0
  readonly #pdas: string[] = []
  readonly #names: string[] = []
  /** The first and the last name of each word of slots. */
  readonly #firstNames: string[] = []
  readonly #lastNames: string[] = []
  /** The start of the pda as a number, to compare most of them fast. */
  readonly #pdaStarts: SlotNumbers<Float64Array>
  readonly #createdAt: SlotNumbers<Float64Array>
  readonly #reputation: SlotNumbers<Int32Array>
  readonly #trigramCounts: SlotNumbers<Uint8Array>
  readonly #profileOf: Uint16Array
  /** Has a bit for each slot with an agent. */
  readonly #used: Uint32Array
  /** Words of slots that changed since their ranges were measured. */
  readonly #unmeasured = new Set<number>()
  /** Of recent searches, by their conditions. */
  readonly #filters = new Map<string, Filter>()
  /** The trigrams of names that are not ASCII. */
  readonly #otherTrigrams = new Map<number, readonly Trigram[]>()
  readonly #postings: Postings
  readonly #counter: SharedCounter
  /** Of slots that the last search selected. */
  readonly #similarities: Float32Array

  /** All slots are below `capacity`. */
  constructor(capacity: number) {
    this.#pdaStarts = new SlotNumbers(Float64Array, capacity)
    this.#createdAt = new SlotNumbers(Float64Array, capacity)
    this.#reputation = new SlotNumbers(Int32Array, capacity)
    this.#trigramCounts = new SlotNumbers(Uint8Array, capacity)
    this.#profileOf = new Uint16Array(capacity)
    this.#used = new Uint32Array(words(capacity))
    this.#postings = new Postings(capacity)
    this.#counter = new SharedCounter(words(capacity))
    this.#similarities = new Float32Array(capacity)
  }

  /** Replaces what a slot has. */
  put(slot: number, agent: NamedAgent): void {
    if (!this.#has(slot) || agent.name !== this.#names[slot]) {
      this.remove(slot)
      const trigrams =
        agent.trigrams === null ? asciiTrigrams(agent.name) : shownTrigrams(splitList(agent.trigrams))
      if (agent.trigrams !== null) this.#otherTrigrams.set(slot, trigrams)
      this.#postings.add(slot, trigrams)
      this.#trigramCounts.values[slot] = Math.min(trigrams.length, MAX_TRIGRAM_COUNT)
      this.#used[slot >> 5]! |= 1 << (slot & 31)
    }
    this.#pdas[slot] = agent.pda
    this.#names[slot] = agent.name
    this.#pdaStarts.values[slot] = startOf(agent.pda)
    this.#createdAt.values[slot] = agent.createdAt
    this.#reputation.values[slot] = agent.reputation
    this.#profileOf[slot] = agent.profile
    this.#unmeasured.add(slot >> 5)
    this.#words = Math.max(this.#words, (slot >> 5) + 1)
  }

  remove(slot: number): void {
    if (!this.#has(slot)) return
    const trigrams = this.#otherTrigrams.get(slot) ?? asciiTrigrams(this.#names[slot]!)
    this.#postings.remove(slot, trigrams)
    this.#otherTrigrams.delete(slot)
    this.#pdas[slot] = ''
    this.#names[slot] = ''
    this.#used[slot >> 5]! &= ~(1 << (slot & 31))
    this.#unmeasured.add(slot >> 5)
  }

  #has(slot: number): boolean {
    return ((this.#used[slot >> 5]! >>> (slot & 31)) & 1) === 1
  }

  /** Finds the ranges of a word, and forgets what filters have of it. */
  #measure(word: number): void {
    const used = this.#used[word]!
    for (const numbers of [this.#pdaStarts, this.#createdAt, this.#reputation, this.#trigramCounts])
      numbers.measure(word, used)
    for (const { isFound } of this.#filters.values()) isFound[word] = 0
    let first: string | undefined
    let last = ''
    for (let rest = used; rest !== 0; rest &= rest - 1) {
      const name = this.#names[word * WORD_BITS + lowestBit(rest)]!
      if (first === undefined || name < first) first = name
      if (name > last) last = name
    }
    this.#firstNames[word] = first ?? ''
    this.#lastNames[word] = last
  }

  search(query: NameQuery): FoundNames {
    const { by, trigrams, descending, backward, offset, limit } = query
    for (const word of this.#unmeasured) this.#measure(word)
    this.#unmeasured.clear()
    const compare = this.#compare(query)
    const selection = new WindowSelection(
      backward ? (one, other) => compare(other, one) : compare,
      offset,
      offset + limit,
    )
    const forward = backward ? -1 : 1
    const needed = neededBy(by, trigrams.length)
    const search: Search = {
      ...query,
      needed,
      forward,
      rising: descending ? -forward : forward,
      filter: this.#filterOf(query),
    }
    let total = 0
    this.#counter.count(this.#postings.of(trigrams), this.#words, needed, this.#trigramCounts.low, {
      countWord: (word, candidates) => {
        if (this.#canPrecede(selection.last, word, candidates, search)) return false
        total += this.#count(word, candidates, search)
        return true
      },
      visit: (candidates) => {
        total += this.#select(candidates, search, selection)
      },
    })
    const slots = Uint32Array.from(selection.found())
    return { total, slots, similarities: Float32Array.from(slots, (slot) => this.#similarities[slot]!) }
  }

  /** How many of these agents of a word match the name and all conditions. */
  #count(word: number, possible: number, search: Search): number {
    const { needed } = search
    const { values: counts, high } = this.#trigramCounts
    const accepted = possible & this.#accept(word, search)
    // Those that would match with the longest name.
    let found = accepted & this.#counter.inBitmaps(word, needed[high[word]!]!)
    for (let rest = accepted & ~found; rest !== 0; rest &= rest - 1) {
      const slot = word * WORD_BITS + lowestBit(rest)
      if (this.#counter.countOf(slot) >= needed[counts[slot]!]!) found |= rest & -rest
    }
    return bitCount(found)
  }

  #filterOf({ accepted, minReputation, maxReputation }: NameQuery): Filter {
    const conditions = [accepted, minReputation, maxReputation].join()
    const known = this.#filters.get(conditions)
    if (known !== undefined) return known
    if (this.#filters.size === MAX_FILTERS) this.#filters.clear()
    const { length } = this.#used
    const filter = { bits: new Uint32Array(length), isFound: new Uint8Array(length) }
    this.#filters.set(conditions, filter)
    return filter
  }

  /** The agents of a word that match all conditions. */
  #accept(word: number, search: Search): number {
    const { filter } = search
    if (filter.isFound[word] === 1) return filter.bits[word]!
    let found = this.#used[word]!
    for (let rest = found; rest !== 0; rest &= rest - 1) {
      if (!this.#isAccepted(word * WORD_BITS + lowestBit(rest), search)) found &= ~(rest & -rest)
    }
    filter.bits[word] = found
    filter.isFound[word] = 1
    return found
  }

  #isAccepted(slot: number, { accepted, minReputation, maxReputation }: NameQuery): boolean {
    const score = this.#reputation.values[slot]!
    return accepted[this.#profileOf[slot]!] !== 0 && score >= minReputation && score <= maxReputation
  }

  /** Counts the candidates that match, and selects those of the page. */
  #select({ slots, shared, size }: Candidates, search: Search, selection: WindowSelection): number {
    const { by, trigrams, needed, sort, after, before, rising, forward } = search
    const { similarity } = MEASURES[by]
    const queried = trigrams.length
    const counts = this.#trigramCounts.values
    const keys = this.#keys(sort)
    const similarities = this.#similarities
    const starts = this.#pdaStarts.values
    let matches = 0
    let { last } = selection
    for (let i = 0; i < size; i++) {
      const slot = slots[i]!
      const count = counts[slot]!
      if (shared[i]! < needed[count]! || !this.#isAccepted(slot, search)) continue
      matches += 1
      similarities[slot] = similarity(shared[i]!, queried, count)
      // The same as the comparison of `selection`, but most slots of a large result end here.
      if (last !== null && sort !== 'name') {
        const difference = rising * (keys[slot]! - keys[last]!) || forward * (starts[slot]! - starts[last]!)
        if (difference > 0) continue
      }
      if ((after === null && before === null) || this.#isBetween(search, slot)) selection.add(slot)
      last = selection.last
    }
    return matches
  }

  /** Whether one of these agents of a word can be before the agent `last`. It may not be. */
  #canPrecede(last: number | null, word: number, bits: number, search: Search): boolean {
    const { sort, rising, forward } = search
    if (last === null) return true
    if (sort === 'name') {
      const name = (rising > 0 ? this.#firstNames : this.#lastNames)[word]!
      return rising * compareTexts(name, this.#names[last]!) <= 0
    }
    const key = this.#firstKey(word, bits, search)
    const { values: starts, low, high } = this.#pdaStarts
    const start = forward > 0 ? low[word]! : high[word]!
    const difference = rising * (key - this.#keys(sort)[last]!) || forward * (start - starts[last]!)
    return difference <= 0
  }

  /** The first key that these agents of a word can have. */
  #firstKey(word: number, bits: number, { by, sort, trigrams, rising }: Search): number {
    if (sort !== 'similarity') {
      const { low, high } = this.#column(sort)
      return (rising > 0 ? low : high)[word]!
    }
    const { similarity } = MEASURES[by]
    const queried = trigrams.length
    const { low, high } = this.#trigramCounts
    return rising > 0
      ? similarity(this.#counter.lowest(word, bits), queried, high[word]!)
      : similarity(Math.min(queried, this.#counter.highest(word, bits)), queried, low[word]!)
  }

  /** What agents are sorted by, if it is not the name. */
  #keys(sort: NameQuery['sort']) {
    return sort === 'similarity' ? this.#similarities : this.#column(sort).values
  }

  #column(sort: NameQuery['sort']) {
    return sort === 'created_at' ? this.#createdAt : this.#reputation
  }

  #isBetween(query: NameQuery, slot: number): boolean {
    const { after, before } = query
    return (
      (after === null || this.#compareKey(query, slot, after) > 0) &&
      (before === null || this.#compareKey(query, slot, before) < 0)
    )
  }

  /** Ties are in ascending order of pda. */
  #compare({ sort, descending }: NameQuery): Compare {
    const direction = descending ? -1 : 1
    const keys = this.#keys(sort)
    const starts = this.#pdaStarts.values
    const pdas = this.#pdas
    const names = this.#names
    const comparePdas: Compare = (one, other) =>
      starts[one]! - starts[other]! || compareTexts(pdas[one]!, pdas[other]!)
    return sort === 'name'
      ? (one, other) => direction * compareTexts(names[one]!, names[other]!) || comparePdas(one, other)
      : (one, other) => direction * (keys[one]! - keys[other]!) || comparePdas(one, other)
  }

  #compareKey({ sort, descending }: NameQuery, slot: number, [value, pda]: SortKey): number {
    const own = sort === 'name' ? this.#names[slot]! : this.#keys(sort)[slot]!
    const rising = own < value ? -1 : own > value ? 1 : 0
    return (descending ? -rising : rising) || compareTexts(this.#pdas[slot]!, pda)
  }
}

const NEEDED: Record<SearchBy, Uint8Array[]> = { name: [], words: [] }

function neededBy(by: SearchBy, queried: number): Uint8Array {
  const length = MAX_TRIGRAM_COUNT + 1
  const { least } = MEASURES[by]
  return (NEEDED[by][queried] ??= Uint8Array.from({ length }, (_, count) => least(queried, count)))
}

const splitList = (text: string): string[] => (text === '' ? [] : text.split(','))

/** Equal starts need a comparison of the whole text. */
function startOf(pda: string): number {
  let start = 0
  for (let i = 0; i < START_LENGTH; i++)
    start = start * 128 + (i < pda.length ? Math.min(pda.charCodeAt(i), 127) : 0)
  return start
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

const ABOVE_SURROGATES = /[\ud800-\uffff]/

/** A text whose order in JavaScript is the order of the given text's UTF-8 bytes. */
export function byteOrder(text: string): string {
  if (!ABOVE_SURROGATES.test(text)) return text
  let moved = ''
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // Surrogates are of characters above all others.
    const isSurrogate = code >= 0xd800 && code <= 0xdfff
    moved += String.fromCharCode(isSurrogate ? code + 0x2000 : code >= 0xe000 ? code - 0x800 : code)
  }
  return moved
}
