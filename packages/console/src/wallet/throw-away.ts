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

/**
 * Gives the wallet some SOL. The policy of the page allows no node, so this needs an operation of the
 * gateway; until there is one, null.
 */
export const airdrop: ((address: string) => Promise<void>) | null = null
