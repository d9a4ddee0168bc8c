/** The account that pays sponsored transactions, as far as the health reports need it. */
export interface FeePayerStatus {
  /** Base-58. */
  readonly pubkey: string
  /** Whether it sponsors registrations now; false also while the ledger does not tell its balance. */
  enabled(): Promise<boolean>
}
