/** What the operator is ready to spend. */
export interface SponsorLimits {
  /** Lamports in any 24 hours. */
  readonly dailyBudget: bigint
  /** Lamports that stay on the fee payer. */
  readonly minBalance: bigint
  /** Sponsored transactions beside registrations, in any 24 hours. */
  readonly dailyTransactionsPerWallet: number
}

/** registration: the service pays rent and fee. transaction: the fee alone. */
export type SponsorshipKind = 'registration' | 'transaction'

/**
 * reserved: prepared. submitted: signed by the service. confirmed: on the ledger. failed: on the ledger, where it failed at the cost of
 * its fee. released: can never land. The last four follow the prepared transaction by a trigger.
 */
export type SponsorshipState = 'reserved' | 'submitted' | 'confirmed' | 'failed' | 'released'
