/** Work that waits for a connection of the pool. */
export interface PoolQueue {
  /** How much can be done at once. */
  readonly connections: number
  readonly length: number
  /** How often a connection was given to work so far. */
  readonly taken: number
}
