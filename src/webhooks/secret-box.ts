import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { OperatorError } from '../platform/process/operator-error.ts'

/**
 * Secrets of subscriptions as they are stored: AES-256-GCM under a key from the settings, bound to their subscription.
 * Stored form: version 1 (1 byte), key id (4), nonce (12), tag (16), ciphertext.
 */
export interface SecretBox {
  seal(subscriptionId: string, secret: string): Buffer
  /** Throws OperatorError where the key is not among those given, and Error for bytes that were altered or of another subscription. */
  open(subscriptionId: string, sealed: Uint8Array): string
  /** What the stored form begins with under each key: who has any other cannot be opened. */
  readonly prefixes: readonly Buffer[]
}

const VERSION = 1
const PREFIX = 5
const NONCE = 12
const TAG = 16
const CIPHER = 'aes-256-gcm'

/** `keys`: 32 bytes each. The first one seals, all of them open, so that a key can be replaced. */
export function createSecretBox(
  keys: readonly Uint8Array[],
  random: (size: number) => Buffer = randomBytes,
): SecretBox {
  const [first] = keys
  if (first === undefined) throw new TypeError('a secret box needs a key')
  const prefixes = keys.map(prefixOf)
  return {
    prefixes,
    seal: (subscriptionId, secret) => {
      const nonce = random(NONCE)
      const cipher = createCipheriv(CIPHER, first, nonce).setAAD(Buffer.from(subscriptionId))
      const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([prefixOf(first), nonce, cipher.getAuthTag(), ciphertext])
    },
    open: (subscriptionId, sealed) => {
      const bytes = Buffer.from(sealed)
      const key = keys[prefixes.findIndex((prefix) => prefix.equals(bytes.subarray(0, PREFIX)))]
      if (key === undefined) throw unknownKey()
      try {
        return decrypt(key, subscriptionId, bytes)
      } catch (cause) {
        throw new Error('a webhook secret cannot be opened: it was altered, or is of another webhook', {
          cause,
        })
      }
    },
  }
}

export function unknownKey(): OperatorError {
  return new OperatorError(
    'Webhook secrets in the database are encrypted under a key that WEBHOOK_SECRETS_KEY does not name: add it after the new one, with a comma',
  )
}

/** The key's id is of its hash, and says nothing of it. */
function prefixOf(key: Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from([VERSION]),
    createHash('sha256').update('webhook secrets key').update(key).digest().subarray(0, 4),
  ])
}

function decrypt(key: Uint8Array, subscriptionId: string, sealed: Buffer): string {
  const tagAt = PREFIX + NONCE
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(PREFIX, tagAt), { authTagLength: TAG })
  decipher.setAAD(Buffer.from(subscriptionId)).setAuthTag(sealed.subarray(tagAt, tagAt + TAG))
  return Buffer.concat([decipher.update(sealed.subarray(tagAt + TAG)), decipher.final()]).toString('utf8')
}
