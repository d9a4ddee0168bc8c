import { generateSigner, signerFromSecretKey, type Signer } from '@agent-registry/client'
import { readValue, storeValue } from '../api/storage.ts'
import { save } from '../ui/save.ts'

const NAME = 'throw-away wallet'

/** A wallet for the localnet. Its key is in sessionStorage, so it ends with the tab. */
export async function throwAwayWallet(): Promise<Signer> {
  const stored = readValue(NAME)
  if (Array.isArray(stored)) return signerFromSecretKey(stored as number[])
  const signer = await generateSigner()
  storeValue(NAME, [...signer.secretKey])
  return signer
}

/** Saves its key as a file of the Solana command line. */
export async function saveThrowAwayWallet(): Promise<void> {
  const { address } = await throwAwayWallet()
  save(`${address}.json`, JSON.stringify(readValue(NAME)), 'application/json')
}
