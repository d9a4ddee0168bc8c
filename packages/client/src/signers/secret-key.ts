import { concat, encodeBase58, fromBase64, isEqual } from '@agent-registry/solana/wire'
import { addSignature, parseTransaction } from '../transactions/message.ts'
import type { Signer } from './signer.ts'

/** A wallet whose key this program holds. */
export interface KeySigner extends Signer {
  signMessage(message: Uint8Array): Promise<Uint8Array>
  /** Seed and public key: the 64 bytes of a key file of the Solana CLI. */
  readonly secretKey: Uint8Array
}

/** The start of a PKCS#8 document with an Ed25519 seed. */
const PKCS8 = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20]
const SEED_BYTES = 32

/** A new wallet. Store `secretKey` if you need the wallet later. */
export function generateSigner(): Promise<KeySigner> {
  return signerFromSecretKey(crypto.getRandomValues(new Uint8Array(SEED_BYTES)))
}

/**
 * A wallet from its 32-byte seed, or from the 64 bytes of a key file of the Solana CLI or a
 * `Keypair` of web3.js. Throws TypeError for other bytes.
 */
export async function signerFromSecretKey(bytes: ArrayLike<number>): Promise<KeySigner> {
  const given = Uint8Array.from(bytes)
  if (given.length !== SEED_BYTES && given.length !== 2 * SEED_BYTES)
    throw new TypeError(`A secret key has 32 or 64 bytes, got ${given.length}`)
  const seed = given.slice(0, SEED_BYTES)
  const key = await crypto.subtle.importKey('pkcs8', concat(PKCS8, seed), 'Ed25519', true, ['sign'])
  const { x = '' } = await crypto.subtle.exportKey('jwk', key)
  const publicKey = fromBase64(x)
  if (given.length > SEED_BYTES && !isEqual(given.subarray(SEED_BYTES), publicKey))
    throw new TypeError('The public key in the secret key does not match its seed')
  const address = encodeBase58(publicKey)
  const signMessage = async (message: Uint8Array): Promise<Uint8Array> =>
    new Uint8Array(await crypto.subtle.sign('Ed25519', key, new Uint8Array(message)))
  return {
    address,
    secretKey: concat(seed, publicKey),
    signMessage,
    signTransaction: async (transaction) =>
      addSignature(transaction, address, await signMessage(parseTransaction(transaction).message)),
  }
}
