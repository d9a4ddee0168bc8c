import { generateSigner, signerFromSecretKey, type Signer } from '@agent-registry/client'
import { readValue, storeValue } from '../api/storage.ts'

const NAME = 'throw-away wallet'

/** A wallet for the localnet. Its key is in sessionStorage, so it ends with the tab. */
export async function throwAwayWallet(): Promise<Signer> {
  const stored = readValue(NAME)
  if (Array.isArray(stored)) return signerFromSecretKey(stored as number[])
  const signer = await generateSigner()
  storeValue(NAME, [...signer.secretKey])
  return signer
}
