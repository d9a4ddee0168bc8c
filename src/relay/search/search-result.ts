export type SearchResult =
  /** The prepared transaction, or a version of it that `match.ts` allows. */
  | { readonly kind: 'found'; readonly signature: string; readonly signedTx: string }
  /** It is not on the ledger, and it has expired. */
  | { readonly kind: 'absent' }
  /**
   * The fee payer has too many transactions to compare all, or a version of the transaction landed
   * that is also another prepared transaction.
   */
  | { readonly kind: 'unknown' }
