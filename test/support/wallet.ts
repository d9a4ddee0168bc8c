import { createHash } from 'node:crypto'
import bs58 from 'bs58'
import nacl from 'tweetnacl'
import { pubkey, type Pubkey } from '@agent-registry/solana'

/**
 * A wallet that signs requests as a client would: with tweetnacl and only by the text of the
 * contract.
 */
export interface TestWallet {
  readonly pubkey: Pubkey
  /** The three headers for one request. `now`: milliseconds since the epoch. */
  headers(method: string, path: string, now: number): Record<string, string>
}

export function walletOf(label: string): TestWallet {
  const pair = nacl.sign.keyPair.fromSeed(createHash('sha256').update(`wallet ${label}`).digest())
  const key = bs58.encode(pair.publicKey)
  return {
    pubkey: pubkey(key),
    headers: (method, path, now) => {
      const timestamp = Math.floor(now / 1000)
      const message = `service-auth:${key}:${timestamp}:${method}:${path}`
      return {
        'x-wallet-pubkey': key,
        'x-wallet-timestamp': String(timestamp),
        'x-wallet-signature': bs58.encode(nacl.sign.detached(Buffer.from(message), pair.secretKey)),
      }
    },
  }
}
