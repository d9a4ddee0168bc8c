import { hash } from 'node:crypto'
import type { DocumentNode } from 'graphql'
import { LRUCache } from 'lru-cache'
import { canCompile, type CompiledQuery, compileQueryOf } from './compile-query.ts'

/** Compiled documents of a process. Each takes about 100 KB. */
const MAX_COMPILED = 100
/** A document is compiled at this use. */
const COMPILE_AT = 3
/** Queries between two compilations. A compilation takes about as long as 10 short queries. */
const COMPILE_EVERY = 10
/** Other documents whose uses are counted, the last used ones. */
const MAX_COUNTED = 2_000
/** Uses after which the counts are halved, so that documents of the past lose their advantage. */
const HALVE_EVERY = 40_000

interface Entry extends CompiledQuery {
  uses: number
}

/**
 * The queries that clients send most often, compiled. A new one takes the place of another only if
 * it is used more often, so documents that are used once cannot push out the others.
 */
export class CompiledQueries {
  readonly #entries = new Map<string, Entry>()
  /** Uses of other documents, by the hash of their text. */
  readonly #others = new LRUCache<string, number>({ max: MAX_COUNTED })
  readonly #canCompile = new WeakMap<DocumentNode, boolean>()
  #sinceCompiled = COMPILE_EVERY
  #uses = 0

  find(query: string): CompiledQuery | undefined {
    const entry = this.#entries.get(query)
    if (entry !== undefined) {
      entry.uses += 1
      this.#count()
    }
    return entry
  }

  /** Counts a use of a valid document that is not compiled. Compiles it if it is used often. */
  offer(query: string, document: DocumentNode): void {
    this.#count()
    const key = hash('sha256', query)
    const uses = (this.#others.get(key) ?? 0) + 1
    this.#others.set(key, uses)
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
    this.#entries.set(query, { ...compiled, uses })
  }

  #count(): void {
    this.#sinceCompiled += 1
    this.#uses += 1
    if (this.#uses % HALVE_EVERY === 0) for (const entry of this.#entries.values()) entry.uses /= 2
  }

  #rarest(): { query: string; uses: number } {
    let rarest = { query: '', uses: Infinity }
    for (const [query, { uses }] of this.#entries) if (uses < rarest.uses) rarest = { query, uses }
    return rarest
  }
}
