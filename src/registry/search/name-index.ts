import type { SortKey } from '../sort-order.ts'
import { type Compare, WindowSelection } from '../select-window.ts'
import type { Window } from '../table-copy.ts'
import type { Candidates } from './bit-planes.ts'
import { SharedCounter } from './shared-counter.ts'
import { Postings, resized, WORD_BITS, words } from './slot-set.ts'
import { asciiTrigrams, isMatch, shownTrigrams, similarity, type Trigram } from './trigrams.ts'

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
  readonly trigrams: readonly Trigram[]
  /** 1 for each profile that matches. */
  readonly accepted: Uint8Array
  readonly minReputation: number
  readonly maxReputation: number
  readonly sort: 'similarity' | 'created_at' | 'reputation' | 'name'
}

export interface FoundNames {
  readonly total: number
  /** Of the page, in order. */
  readonly slots: Uint32Array
  readonly similarities: Float32Array
}

const MIN_CAPACITY = 1_024
/** Longer names have too many trigrams to match any query. */
const MAX_TRIGRAM_COUNT = 254
/** Of a slot without an agent. */
const NO_NAME = 255
/** The characters of a pda that its start has, seven bits each. */
const START_LENGTH = 7

/** The names of agents by slot, and what filters and orders of a search need. Equal to pg_trgm. */
export class NameIndex {
  #capacity: number
  readonly #pdas: string[] = []
  readonly #names: string[] = []
  /** The start of the pda as a number, to compare most of them fast. */
  #pdaStarts: Float64Array
  #createdAt: Float64Array
  #reputation: Int32Array
  #profileOf: Uint16Array
  #trigramCounts: Uint8Array
  /** The lowest trigram count of each word of slots. */
  #shortest: Uint8Array
  /** The trigrams of names that are not ASCII. */
  readonly #otherTrigrams = new Map<number, readonly Trigram[]>()
  readonly #postings = new Postings()
  #counter: SharedCounter
  /** Of slots that the last search selected: what they are sorted by, and their similarity. */
  #keys: Float64Array
  #similarities: Float32Array

  constructor(expectedAgents: number) {
    this.#capacity = words(Math.max(MIN_CAPACITY, expectedAgents * 1.1)) * WORD_BITS
    this.#pdaStarts = new Float64Array(this.#capacity)
    this.#createdAt = new Float64Array(this.#capacity)
    this.#reputation = new Int32Array(this.#capacity)
    this.#profileOf = new Uint16Array(this.#capacity)
    this.#trigramCounts = new Uint8Array(this.#capacity).fill(NO_NAME)
    this.#shortest = new Uint8Array(words(this.#capacity)).fill(NO_NAME)
    this.#counter = new SharedCounter(words(this.#capacity))
    this.#keys = new Float64Array(this.#capacity)
    this.#similarities = new Float32Array(this.#capacity)
  }

  /** Replaces what a slot has. */
  put(slot: number, agent: NamedAgent): void {
    if (slot >= this.#capacity) this.#grow(slot + 1)
    const isRenamed = agent.name !== this.#names[slot] || this.#pdas[slot] === ''
    if (isRenamed) {
      this.remove(slot)
      const trigrams =
        agent.trigrams === null ? asciiTrigrams(agent.name) : shownTrigrams(splitList(agent.trigrams))
      if (agent.trigrams !== null) this.#otherTrigrams.set(slot, trigrams)
      this.#postings.add(slot, trigrams, this.#capacity)
      this.#setTrigramCount(slot, Math.min(trigrams.length, MAX_TRIGRAM_COUNT))
    }
    this.#pdas[slot] = agent.pda
    this.#names[slot] = agent.name
    this.#pdaStarts[slot] = startOf(agent.pda)
    this.#createdAt[slot] = agent.createdAt
    this.#reputation[slot] = agent.reputation
    this.#profileOf[slot] = agent.profile
  }

  remove(slot: number): void {
    if ((this.#pdas[slot] ?? '') === '') return
    const trigrams = this.#otherTrigrams.get(slot) ?? asciiTrigrams(this.#names[slot]!)
    this.#postings.remove(slot, trigrams)
    this.#otherTrigrams.delete(slot)
    this.#pdas[slot] = ''
    this.#names[slot] = ''
    this.#setTrigramCount(slot, NO_NAME)
  }

  #grow(slots: number): void {
    const before = this.#capacity
    this.#capacity = words(slots * 1.5) * WORD_BITS
    this.#pdaStarts = resized(this.#pdaStarts, this.#capacity)
    this.#createdAt = resized(this.#createdAt, this.#capacity)
    this.#reputation = resized(this.#reputation, this.#capacity)
    this.#profileOf = resized(this.#profileOf, this.#capacity)
    this.#trigramCounts = resized(this.#trigramCounts, this.#capacity).fill(NO_NAME, before)
    this.#shortest = resized(this.#shortest, words(this.#capacity)).fill(NO_NAME, words(before))
    this.#postings.grow(this.#capacity)
    this.#counter = new SharedCounter(words(this.#capacity))
    this.#keys = new Float64Array(this.#capacity)
    this.#similarities = new Float32Array(this.#capacity)
  }

  #setTrigramCount(slot: number, count: number): void {
    this.#trigramCounts[slot] = count
    const first = slot & ~(WORD_BITS - 1)
    let shortest = NO_NAME
    for (let i = first; i < first + WORD_BITS; i++)
      if (this.#trigramCounts[i]! < shortest) shortest = this.#trigramCounts[i]!
    this.#shortest[slot >> 5] = shortest
  }

  search(query: NameQuery): FoundNames {
    const { trigrams, backward, offset, limit } = query
    const compare = this.#compare(query)
    const selection = new WindowSelection(
      backward ? (one, other) => compare(other, one) : compare,
      offset,
      offset + limit,
    )
    let total = 0
    const sets = this.#postings.of(trigrams)
    this.#counter.count(sets, trigrams.length, this.#shortest, (candidates) => {
      total += this.#match(candidates, query, selection)
    })
    const slots = Uint32Array.from(selection.found())
    return { total, slots, similarities: Float32Array.from(slots, (slot) => this.#similarities[slot]!) }
  }

  /**
   * Counts the candidates that match the name and all conditions, and selects those of the page.
   */
  #match({ slots, shared, size }: Candidates, query: NameQuery, selection: WindowSelection): number {
    const { accepted, minReputation, maxReputation, sort, after, before, backward } = query
    const queried = query.trigrams.length
    const forward = backward ? -1 : 1
    const rising = query.descending ? -forward : forward
    const trigramCounts = this.#trigramCounts
    const profileOf = this.#profileOf
    const reputation = this.#reputation
    const createdAt = this.#createdAt
    const starts = this.#pdaStarts
    const keys = this.#keys
    let matches = 0
    let { last } = selection
    for (let i = 0; i < size; i++) {
      const slot = slots[i]!
      const count = trigramCounts[slot]!
      if (!isMatch(shared[i]!, queried, count)) continue
      const score = reputation[slot]!
      if (accepted[profileOf[slot]!] === 0 || score < minReputation || score > maxReputation) continue
      matches += 1
      const similar = similarity(shared[i]!, queried, count)
      const key = sort === 'similarity' ? similar : sort === 'created_at' ? createdAt[slot]! : score
      // The same as the comparison of `selection`, but most slots of a large result end here.
      if (last !== null && sort !== 'name') {
        const difference = rising * (key - keys[last]!) || forward * (starts[slot]! - starts[last]!)
        if (difference > 0) continue
      }
      keys[slot] = key
      this.#similarities[slot] = similar
      if ((after === null && before === null) || this.#isBetween(query, slot)) selection.add(slot)
      last = selection.last
    }
    return matches
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
    const keys = this.#keys
    const starts = this.#pdaStarts
    const pdas = this.#pdas
    const names = this.#names
    const comparePdas: Compare = (one, other) =>
      starts[one]! - starts[other]! || compareTexts(pdas[one]!, pdas[other]!)
    return sort === 'name'
      ? (one, other) => direction * compareTexts(names[one]!, names[other]!) || comparePdas(one, other)
      : (one, other) => direction * (keys[one]! - keys[other]!) || comparePdas(one, other)
  }

  #compareKey({ sort, descending }: NameQuery, slot: number, [value, pda]: SortKey): number {
    const own = sort === 'name' ? this.#names[slot]! : this.#keys[slot]!
    const rising = own < value ? -1 : own > value ? 1 : 0
    return (descending ? -rising : rising) || compareTexts(this.#pdas[slot]!, pda)
  }
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
