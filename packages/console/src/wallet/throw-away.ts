import { generateSigner, signerFromSecretKey, type Signer } from '@agent-registry/client'
import { readValue, storeValue } from '../api/storage.ts'
import { save } from '../ui/save.ts'

const NAME = 'throw-away wallet'

let secretKey: readonly number[] | null = null

/** A wallet for the localnet. Its key is in sessionStorage, so it ends with the tab. */
export async function throwAwayWallet(): Promise<Signer> {
  const stored = readValue(NAME)
  const signer = await (Array.isArray(stored) ? signerFromSecretKey(stored as number[]) : generateSigner())
  secretKey = [...signer.secretKey]
  storeValue(NAME, secretKey)
  return signer
}

/** Saves the key of the wallet that this tab uses, as a file of the Solana command line. */
export function saveThrowAwayWallet(address: string): void {
  if (secretKey === null) throw new Error('The key of this wallet is not in this tab any more.')
  save(`${address}.json`, JSON.stringify(secretKey), 'application/json')
}
