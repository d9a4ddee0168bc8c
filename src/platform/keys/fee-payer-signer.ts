import { createPrivateKey, sign } from 'node:crypto'
import type { Keypair } from '@solana/web3.js'
import { pubkey, type Pubkey } from '@agent-registry/solana'

/** Signs as the fee payer. Asynchronous, so that the key can be in a KMS or an HSM. */
export interface FeePayerSigner {
  readonly pubkey: Pubkey
  /**
   * Returns the Ed25519 signature of a transaction's message, 64 bytes. Other sponsored submits
   * wait for it, and after 5 s it fails.
   */
  sign(message: Uint8Array): Promise<Uint8Array>
}

/** PKCS #8 of an Ed25519 key (RFC 8410, section 7), without its 32 bytes. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** A signer with the key in this process. Only its public key can be printed. */
export function createLocalSigner(keypair: Keypair): FeePayerSigner {
  const seed = Buffer.from(keypair.secretKey.subarray(0, 32))
  const der = Buffer.concat([PKCS8_PREFIX, seed])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  seed.fill(0)
  der.fill(0)
  return {
    pubkey: pubkey(keypair.publicKey.toBase58()),
    sign: async (message) => new Uint8Array(sign(null, message, key)),
  }
}
