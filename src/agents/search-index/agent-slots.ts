import type { AgentProfile } from '../../registry/agents-copy.ts'
import { resized, WORD_BITS, words } from './slot-set.ts'
import { asciiTrigrams, type Trigram } from './trigrams.ts'

/** What the index reads of an agent. */
export interface IndexedAgent {
  readonly pda: string
  readonly name: string
  /** Of the name, if `asciiTrigrams` does not know them. */
  readonly trigrams: readonly Trigram[] | null
  /** The values that most filters compare. Few different ones. */
  readonly profile: AgentProfile
  readonly reputation: number
  /** Microseconds since 1970. */
  readonly createdAt: number
}

/** The characters of a pda that `pdaStarts` has, seven bits each. */
const START_LENGTH = 7
/** Longer than any name. */
const NO_NAME = 255

/** Agents by slot. A slot is a small number that is reused after its agent is removed. */
export class AgentSlots {
  capacity: number
  readonly pdas: string[] = []
  readonly names: string[] = []
  /** The start of the pda as a number, to compare most of them fast. */
  pdaStarts: Float64Array
  createdAt: Float64Array
  reputation: Int32Array
  /** The index of the profile in `profiles`. */
  profileOf: Uint16Array
  trigramCounts: Uint8Array
  /** The lowest trigram count of each word of slots. */
  shortest: Uint8Array
  /** The first one, of free slots, is null. */
  readonly profiles: (AgentProfile | null)[] = [null]
  readonly #profileIds = new Map<string, number>()
  readonly #slots = new Map<string, number>()
  readonly #free: number[] = []
  /** The trigrams of names that are not ASCII. */
  readonly #otherTrigrams = new Map<number, readonly Trigram[]>()

  constructor(capacity: number) {
    this.capacity = words(capacity) * WORD_BITS
    this.pdaStarts = new Float64Array(this.capacity)
    this.createdAt = new Float64Array(this.capacity)
    this.reputation = new Int32Array(this.capacity)
    this.profileOf = new Uint16Array(this.capacity)
    this.trigramCounts = new Uint8Array(this.capacity).fill(NO_NAME)
    this.shortest = new Uint8Array(words(this.capacity)).fill(NO_NAME)
  }

  get size(): number {
    return this.#slots.size
  }

  get isFull(): boolean {
    return this.#slots.size === this.capacity
  }

  slotOf(pda: string): number | undefined {
    return this.#slots.get(pda)
  }

  /** The trigrams of a slot that is in use. */
  trigramsOf(slot: number): readonly Trigram[] {
    return this.#otherTrigrams.get(slot) ?? asciiTrigrams(this.names[slot]!)
  }

  /** Adds or replaces an agent. There must be a free slot for a new one. */
  put(agent: IndexedAgent, trigramCount: number): number {
    const slot = this.#slots.get(agent.pda) ?? this.#free.pop() ?? this.pdas.length
    this.#slots.set(agent.pda, slot)
    this.pdas[slot] = agent.pda
    this.names[slot] = agent.name
    this.pdaStarts[slot] = startOf(agent.pda)
    this.createdAt[slot] = agent.createdAt
    this.reputation[slot] = agent.reputation
    this.profileOf[slot] = this.#profileId(agent.profile)
    if (agent.trigrams === null) this.#otherTrigrams.delete(slot)
    else this.#otherTrigrams.set(slot, agent.trigrams)
    this.#setTrigramCount(slot, trigramCount)
    return slot
  }

  remove(slot: number): void {
    this.#slots.delete(this.pdas[slot]!)
    this.#free.push(slot)
    this.#otherTrigrams.delete(slot)
    this.pdas[slot] = ''
    this.names[slot] = ''
    this.profileOf[slot] = 0
    this.#setTrigramCount(slot, NO_NAME)
  }

  grow(capacity: number): void {
    const before = this.capacity
    this.capacity = words(capacity) * WORD_BITS
    this.pdaStarts = resized(this.pdaStarts, this.capacity)
    this.createdAt = resized(this.createdAt, this.capacity)
    this.reputation = resized(this.reputation, this.capacity)
    this.profileOf = resized(this.profileOf, this.capacity)
    this.trigramCounts = resized(this.trigramCounts, this.capacity).fill(NO_NAME, before)
    this.shortest = resized(this.shortest, words(this.capacity)).fill(NO_NAME, words(before))
  }

  #setTrigramCount(slot: number, count: number): void {
    this.trigramCounts[slot] = count
    const word = slot >> 5
    const first = word * WORD_BITS
    let shortest = NO_NAME
    for (let i = first; i < first + WORD_BITS; i++)
      if (this.trigramCounts[i]! < shortest) shortest = this.trigramCounts[i]!
    this.shortest[word] = shortest
  }

  #profileId(profile: AgentProfile): number {
    const key = JSON.stringify([profile.tier, profile.status, profile.category, profile.mismatched])
    const known = this.#profileIds.get(key)
    if (known !== undefined) return known
    const id = this.profiles.push(profile) - 1
    this.#profileIds.set(key, id)
    return id
  }
}

/** Equal starts need a comparison of the whole text. */
export function startOf(pda: string): number {
  let start = 0
  for (let i = 0; i < START_LENGTH; i++)
    start = start * 128 + (i < pda.length ? Math.min(pda.charCodeAt(i), 127) : 0)
  return start
}
