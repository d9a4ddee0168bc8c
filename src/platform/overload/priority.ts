/** How a request fares under overload: `low` is refused first; `high` (signed by a wallet) is refused last. */
export type Priority = 'low' | 'high'
