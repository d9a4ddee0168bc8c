/** Milliseconds. */
export interface RelayTiming {
  /** How often a transaction that is not confirmed is looked for. */
  readonly pollMs: number
  /** How often one is looked at that only has to become final, or to expire. */
  readonly finalityPollMs: number
  /** How often the same bytes are sent again. */
  readonly resendMs: number
  /** How long who took a row has for it, before others take it. Longer than a call to the node may last. */
  readonly leaseMs: number
  /** How often the table is looked at while nothing is open. */
  readonly idlePollMs: number
}

export const RELAY_TIMING: RelayTiming = {
  pollMs: 400,
  finalityPollMs: 2_000,
  resendMs: 2_000,
  leaseMs: 20_000,
  idlePollMs: 1_000,
}
