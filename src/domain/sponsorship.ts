/** Limits that the operator sets. */
export interface SponsorLimits {
  /** Lamports per 24 hours. */
  readonly dailyBudget: bigint
  /** Lamports that must stay in the fee payer's account. */
  readonly minBalance: bigint
  /** Sponsored registrations per client network and 24 hours. Failed ones count. */
  readonly dailyRegistrationsPerClient: number
  /** Sponsored transactions other than registrations, per wallet and 24 hours. */
  readonly dailyTransactionsPerWallet: number
  /** Sponsored transactions other than registrations, per client network and 24 hours. */
  readonly dailyTransactionsPerClient: number
}

/**
 * registration: the service pays rent and network fee. transaction: it pays only the network fee.
 */
export type SponsorshipKind = 'registration' | 'transaction'

/**
 * submitted: signed by the service. confirmed: landed. failed: landed with an error, which cost the
 * network fee. released: can never land. A trigger derives the last three from the prepared
 * transaction.
 */
export type SponsorshipState = 'submitted' | 'confirmed' | 'failed' | 'released'
