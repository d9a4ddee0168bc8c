import { AgentSlots, type IndexedAgent } from './agent-slots.ts'
import { type AgentConditions, acceptsProfile } from '../../registry/agents-copy.ts'
import { selectWindow } from '../../registry/select-window.ts'
import type { Window } from '../../registry/table-copy.ts'
import { agentOrder, type AgentSort } from './agent-order.ts'
import { Postings } from './postings.ts'
import { type Candidates, SharedCounter } from './shared-counter.ts'
import { isMatch, similarity } from './similarity.ts'
import { words } from './slot-set.ts'
import { asciiTrigrams, type Trigram } from './trigrams.ts'

const MIN_CAPACITY = 1_024
/** Longer names have too many trigrams to match any query. */
const MAX_TRIGRAM_COUNT = 254

export interface NameSearch extends AgentConditions, Window {
  readonly sort: AgentSort
}

export interface FoundAgents {
  readonly total: number
  /** Of the page, in order. */
  readonly pdas: readonly string[]
}

/** A copy of the names and of what filters and orders of a search need. Equal to pg_trgm. */
export class NameIndex {
  readonly #agents: AgentSlots
  readonly #postings = new Postings()
  #counter: SharedCounter
  #similarities: Float32Array

  constructor(expectedAgents: number) {
    this.#agents = new AgentSlots(Math.max(MIN_CAPACITY, Math.ceil(expectedAgents * 1.1)))
    this.#counter = new SharedCounter(words(this.#agents.capacity))
    this.#similarities = new Float32Array(this.#agents.capacity)
  }

  get size(): number {
    return this.#agents.size
  }

  put(agent: IndexedAgent): void {
    this.#removePostings(agent.pda)
    if (this.#agents.isFull) this.#grow()
    const trigrams = agent.trigrams ?? asciiTrigrams(agent.name)
    const slot = this.#agents.put(agent, Math.min(trigrams.length, MAX_TRIGRAM_COUNT))
    this.#postings.add(slot, trigrams, this.#agents.capacity)
  }

  remove(pda: string): void {
    const slot = this.#removePostings(pda)
    if (slot !== undefined) this.#agents.remove(slot)
  }

  #removePostings(pda: string): number | undefined {
    const slot = this.#agents.slotOf(pda)
    if (slot !== undefined) this.#postings.remove(slot, this.#agents.trigramsOf(slot))
    return slot
  }

  #grow(): void {
    this.#agents.grow(Math.ceil(this.#agents.capacity * 1.5))
    this.#postings.grow(this.#agents.capacity)
    this.#counter = new SharedCounter(words(this.#agents.capacity))
    this.#similarities = new Float32Array(this.#agents.capacity)
  }

  search(trigrams: readonly Trigram[], search: NameSearch): FoundAgents {
    const sets = this.#postings.of(trigrams)
    const candidates = this.#counter.count(sets, trigrams.length, this.#agents.shortest)
    const matches = this.#match(candidates, trigrams.length, search)
    const order = agentOrder(this.#agents, this.#similarities, search)
    const { after, before, backward, offset, limit } = search
    const between =
      after === null && before === null
        ? matches
        : matches.filter(
            (slot) =>
              (after === null || order.compareKey(slot, after) > 0) &&
              (before === null || order.compareKey(slot, before) < 0),
          )
    const total = matches.length
    const { compare } = order
    const page = selectWindow(
      between,
      backward ? (one, other) => compare(other, one) : compare,
      offset,
      Math.min(offset + limit, between.length),
    )
    return { total, pdas: Array.from(page, (slot) => this.#agents.pdas[slot]!) }
  }

  /** The candidates that match the name and all conditions, and their similarities. */
  #match(candidates: Candidates, queryTrigrams: number, search: NameSearch): Uint32Array {
    const { slots, shared, size } = candidates
    const { trigramCounts, profileOf, reputation, profiles } = this.#agents
    const accepted = Uint8Array.from(profiles, (profile) =>
      Number(profile !== null && acceptsProfile(search, profile)),
    )
    const min = search.minReputation ?? Number.NEGATIVE_INFINITY
    const max = search.maxReputation ?? Number.POSITIVE_INFINITY
    const similarities = this.#similarities
    let matches = 0
    for (let i = 0; i < size; i++) {
      const slot = slots[i]!
      if (!isMatch(shared[i]!, queryTrigrams, trigramCounts[slot]!)) continue
      if (accepted[profileOf[slot]!] === 0 || reputation[slot]! < min || reputation[slot]! > max) continue
      similarities[slot] = similarity(shared[i]!, queryTrigrams, trigramCounts[slot]!)
      // Never more than were read.
      slots[matches++] = slot
    }
    return slots.subarray(0, matches)
  }
}
