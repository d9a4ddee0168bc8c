import { toBase58 } from '../program/base58.ts'
import { utf8 } from '../program/bytes.ts'
import type { Signer } from '../signers/signer.ts'

/** The last timestamps of requests by wallet, method and path, in seconds. */
export type UsedTimestamps = Map<string, number>

/** More entries than that are removed, if they are in the past. */
const MAX_ENTRIES = 1_000

/** The three headers that prove that the request comes from the wallet. */
export async function walletHeaders(
  wallet: Signer,
  method: string,
  path: string,
  used: UsedTimestamps,
): Promise<Record<string, string>> {
  if (wallet.signMessage === undefined) throw new TypeError('The wallet cannot sign messages')
  const timestamp = nextTimestamp(`${wallet.address} ${method} ${path}`, used)
  const message = `service-auth:${wallet.address}:${timestamp}:${method}:${path}`
  return {
    'x-wallet-pubkey': wallet.address,
    'x-wallet-timestamp': String(timestamp),
    'x-wallet-signature': toBase58(await wallet.signMessage(utf8(message))),
  }
}

/**
 * A signature is valid once. Repeated requests within a second take the seconds after it, which the
 * gateway accepts up to 60 s ahead.
 */
function nextTimestamp(request: string, used: UsedTimestamps): number {
  const now = Math.floor(Date.now() / 1000)
  const timestamp = Math.max(now, (used.get(request) ?? 0) + 1)
  used.set(request, timestamp)
  if (used.size > MAX_ENTRIES) for (const [each, last] of used) if (last < now) used.delete(each)
  return timestamp
}
