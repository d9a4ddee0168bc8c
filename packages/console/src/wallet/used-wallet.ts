const NAME = 'wallet'

/** The wallet that was connected in this tab. */
export interface UsedWallet {
  readonly name: string
  /** Null for a throw-away wallet. */
  readonly network: string | null
}

export function readUsedWallet(): UsedWallet | null {
  return JSON.parse(sessionStorage.getItem(NAME) ?? 'null') as UsedWallet | null
}

export function storeUsedWallet(wallet: UsedWallet | null): void {
  if (wallet === null) sessionStorage.removeItem(NAME)
  else sessionStorage.setItem(NAME, JSON.stringify(wallet))
}
