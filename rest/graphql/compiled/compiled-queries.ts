import type { DocumentNode } from 'graphql'
import { canCompile } from './can-compile.ts'
import { type CompiledQuery, compileQueryOf } from './compile-query.ts'
import { hash } from 'node:crypto'

/** Compiled documents of a process. Each takes about 100 KB. */
const MAX_COMPILED = 100
/** A document is compiled at this use. */
const COMPILE_AT = 3
/** Queries between two compilations. A compilation takes about as long as 10 short queries. */
const COMPILE_EVERY = 10

interface Entry extends CompiledQuery {
  readonly places: Places
}

/**
 * The queries that clients send most often, compiled. A new one takes the place of another only if
 * it is used more often, so documents that are used once cannot push out the others.
 */
export class CompiledQueries {
  readonly #entries = new Map<string, Entry>()
  readonly #uses = new Frequencies()
  readonly #canCompile = new WeakMap<DocumentNode, boolean>()
  #sinceCompiled = COMPILE_EVERY

  find(query: string): CompiledQuery | undefined {
    const entry = this.#entries.get(query)
    if (entry !== undefined) {
      this.#uses.count(entry.places)
      this.#sinceCompiled += 1
    }
    return entry
  }

  /** Counts a use of a valid document that is not compiled. Compiles it if it is used often. */
  offer(query: string, document: DocumentNode): void {
    const places = Frequencies.placesOf(query)
    const uses = this.#uses.count(places)
    this.#sinceCompiled += 1
    if (uses < COMPILE_AT || this.#sinceCompiled < COMPILE_EVERY || this.#entries.has(query)) return
    const rarest = this.#entries.size < MAX_COMPILED ? undefined : this.#rarest()
    if (rarest !== undefined && rarest.uses >= uses) return
    const isAllowed = this.#canCompile.get(document) ?? canCompile(query, document)
    this.#canCompile.set(document, isAllowed)
    if (!isAllowed) return
    const compiled = compileQueryOf(document)
    this.#sinceCompiled = 0
    if (compiled === null) return
    if (rarest !== undefined) this.#entries.delete(rarest.query)
    this.#entries.set(query, { ...compiled, places })
  }

  #rarest(): { query: string; uses: number } {
    let rarest = { query: '', uses: Infinity }
    for (const [query, { places }] of this.#entries) {
      const uses = this.#uses.at(places)
      if (uses < rarest.uses) rarest = { query, uses }
    }
    return rarest
  }
}

/** Texts share counters. The smallest of several counters is rarely shared with a frequent text. */
const ROWS = 4
/** Counters of a row. A power of two, so that a place is some bits of a hash. */
const PLACES = 4_096
/** Uses after which all counts are halved, so that documents of the past lose their advantage. */
const SAMPLE = 10 * PLACES

/** Where a text is counted. */
export type Places = readonly number[]

/**
 * Estimates how often each text was used lately, in little memory (a count-min sketch). A count is
 * never too low.
 */
export class Frequencies {
  readonly #counts = new Uint32Array(ROWS * PLACES)
  #uses = 0

  static placesOf(text: string): Places {
    // Nobody can choose documents that share all places with a frequent one.
    const bits = hash('sha256', text, 'buffer')
    return Array.from({ length: ROWS }, (_, row) => row * PLACES + (bits.readUInt16LE(2 * row) % PLACES))
  }

  /** Counts a use and returns the uses so far. */
  count(places: Places): number {
    this.#uses += 1
    if (this.#uses % SAMPLE === 0) this.#counts.forEach((count, at) => (this.#counts[at] = count >> 1))
    for (const place of places) this.#counts[place]! += 1
    return this.at(places)
  }

  at(places: Places): number {
    return Math.min(...places.map((place) => this.#counts[place]!))
  }
}
