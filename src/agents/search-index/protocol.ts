import type { Position } from '../../registry/changes.ts'
import type { FoundAgents, NameSearch } from './name-index.ts'

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
  readonly position: Position
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
