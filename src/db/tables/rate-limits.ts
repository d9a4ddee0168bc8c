/** Where a client stands with a limit that holds across replicas. */
export interface RateLimitsTable {
  kind: string
  /** `clientNetwork` of its address. */
  client: string
  /** Milliseconds since 1970 at which the client's whole limit is there again. */
  arrival: number
}
