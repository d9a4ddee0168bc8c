/** Why the indexer could not read a transaction, an event, an account, or a part of the history. */
export type DeadLetterKind =
  | 'missing_history'
  | 'missing_transaction'
  | 'unreadable_transaction'
  | 'unknown_event'
  | 'undecodable_event'
  | 'unknown_account'
  | 'undecodable_account'
