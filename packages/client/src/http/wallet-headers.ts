import { encodeBase58, utf8 } from '@agent-registry/solana/wire'
import type { Signer } from '../signers/signer.ts'

/** The three headers that prove that the request comes from the wallet. */
export async function walletHeaders(
  wallet: Signer,
  method: string,
  path: string,
): Promise<Record<string, string>> {
  if (wallet.signMessage === undefined) throw new TypeError('The wallet cannot sign messages')
  const timestamp = Math.floor(Date.now() / 1000)
  const message = `service-auth:${wallet.address}:${timestamp}:${method}:${path}`
  return {
    'x-wallet-pubkey': wallet.address,
    'x-wallet-timestamp': String(timestamp),
    'x-wallet-signature': encodeBase58(await wallet.signMessage(utf8(message))),
  }
}
