import { hasTexts, readValue, storeValue } from '../api/storage.ts'

const NAME = 'wallet'

/** The wallet that was connected in this tab. */
export interface UsedWallet {
  readonly name: string
  /** Null for a throw-away wallet. */
  readonly network: string | null
}

export function readUsedWallet(): UsedWallet | null {
  const stored = readValue(NAME)
  if (!hasTexts(stored, 'name')) return null
  return { name: stored.name, network: hasTexts(stored, 'network') ? stored.network : null }
}

export function storeUsedWallet(wallet: UsedWallet | null): void {
  storeValue(NAME, wallet)
}
