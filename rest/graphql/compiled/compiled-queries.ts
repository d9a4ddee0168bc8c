import type { DocumentNode } from 'graphql'
import { canCompile } from './can-compile.ts'
import { type CompiledQuery, compileQueryOf } from './compile-query.ts'
import { Frequencies, type Places } from './frequencies.ts'

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
