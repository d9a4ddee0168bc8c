import { generateSigner, signerFromSecretKey, type Signer } from '@agent-registry/client'

const NAME = 'throw-away wallet'

/** A wallet for the localnet. Its key is in sessionStorage, so it ends with the tab. */
export async function throwAwayWallet(): Promise<Signer> {
  const stored = sessionStorage.getItem(NAME)
  if (stored !== null) return signerFromSecretKey(JSON.parse(stored) as number[])
  const signer = await generateSigner()
  sessionStorage.setItem(NAME, JSON.stringify([...signer.secretKey]))
  return signer
}
