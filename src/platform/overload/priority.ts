/** Under overload, `low` is refused first and `high` (signed by a wallet) last. */
export type Priority = 'low' | 'high'
