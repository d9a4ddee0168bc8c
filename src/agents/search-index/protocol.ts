import type { FoundAgents, NameSearch } from './name-index.ts'

/**
 * What the index has read: every transaction below `floor`, and those in `applied`. Transaction ids
 * as decimal text.
 */
export interface IndexPosition {
  /** Changes when the server starts: a restored server may repeat transaction ids. */
  readonly server: string
  readonly floor: string
  readonly applied: readonly string[]
}

export interface IndexData {
  readonly connection: object
  readonly maxBytes: number
}

export interface SearchRequest {
  readonly id: number
  readonly name: string
  readonly search: NameSearch
  /** Reads what was committed until now first. */
  readonly refresh: boolean
}

export interface LocatedAgents extends FoundAgents {
  readonly position: IndexPosition
}

export interface IndexStatus {
  /** False while it is loading, too large, or the database cannot be reached. */
  readonly ready: boolean
  readonly names: number
  /** Memory of the worker thread. */
  readonly bytes: number
  /** New problems, for the log. */
  readonly problem: string | null
}

/** `found` is null if the index cannot answer. */
export type IndexMessage =
  | { readonly id: number; readonly found: LocatedAgents | null }
  | { readonly status: IndexStatus }
