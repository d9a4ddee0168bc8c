import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { OperatorError } from '../platform/process/operator-error.ts'

const VERSION = 1
const PREFIX_LENGTH = 5
const NONCE_LENGTH = 12
const TAG_LENGTH = 16
const CIPHER = 'aes-256-gcm'

export type SecretBox = ReturnType<typeof createSecretBox>

/**
 * Encrypts the secrets of subscriptions for the database: AES-256-GCM, bound to the subscription's
 * id. Stored form: version 1 (1 byte), key id (4), nonce (12), tag (16), ciphertext. `keys`: 32
 * bytes each. The first key encrypts; all keys decrypt, so that a key can be replaced.
 */
export function createSecretBox(keys: readonly Uint8Array[]) {
  const [first] = keys
  if (first === undefined) throw new TypeError('a secret box needs a key')
  const prefixes = keys.map(prefixOf)
  return {
    /** The first bytes of the stored form, one for each key. Others cannot be opened. */
    prefixes,
    seal: (subscriptionId: string, secret: string): Buffer => {
      const nonce = randomBytes(NONCE_LENGTH)
      const cipher = createCipheriv(CIPHER, first, nonce).setAAD(Buffer.from(subscriptionId))
      const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([prefixOf(first), nonce, cipher.getAuthTag(), ciphertext])
    },
    /** Throws OperatorError without the key, and Error if the bytes were modified or moved. */
    open: (subscriptionId: string, sealed: Uint8Array): string => {
      const bytes = Buffer.from(sealed)
      const key = keys[prefixes.findIndex((prefix) => prefix.equals(bytes.subarray(0, PREFIX_LENGTH)))]
      if (key === undefined) throw unknownKey()
      try {
        return decrypt(key, subscriptionId, bytes)
      } catch (cause) {
        const problem = 'it was modified or belongs to another webhook'
        throw new Error(`cannot decrypt a webhook secret: ${problem}`, { cause })
      }
    },
  }
}

export function unknownKey(): OperatorError {
  return new OperatorError(
    'WEBHOOK_SECRETS_KEY does not contain the key of some webhook secrets in the database. Add the old key after the new one, separated by a comma',
  )
}

/** The version and the key id, which is part of a hash of the key and does not reveal it. */
function prefixOf(key: Uint8Array): Buffer {
  const hash = createHash('sha256').update('webhook secrets key').update(key).digest()
  return Buffer.concat([Buffer.from([VERSION]), hash.subarray(0, PREFIX_LENGTH - 1)])
}

function decrypt(key: Uint8Array, subscriptionId: string, sealed: Buffer): string {
  const tagAt = PREFIX_LENGTH + NONCE_LENGTH
  const textAt = tagAt + TAG_LENGTH
  const nonce = sealed.subarray(PREFIX_LENGTH, tagAt)
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH })
  decipher.setAAD(Buffer.from(subscriptionId)).setAuthTag(sealed.subarray(tagAt, textAt))
  return Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()]).toString('utf8')
}

const SECRET_BYTES = 33

/**
 * `whsec_` and 33 random bytes in base64. Bytes whose text has `+` or `/` are drawn again, so the
 * text needs no quoting in shells and URLs, and decoders of both alphabets of base64 accept it.
 */
export function newSecret(): string {
  for (;;) {
    const text = randomBytes(SECRET_BYTES).toString('base64')
    if (!/[+/]/.test(text)) return `whsec_${text}`
  }
}
