/** What is refused first where there is too much to do, and what last: what a wallet has signed. */
export type ShedOrder = 'first' | 'last'

/** `in_hand`: too many at once. `queue_full`: too much waits for the database. `queue_stands`: some, and it does not get less. */
export type ShedReason = 'in_hand' | 'queue_full' | 'queue_stands'
