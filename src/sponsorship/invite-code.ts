import { createHash, randomBytes } from 'node:crypto'

/** Crockford's base 32: no two characters look alike. Each has 5 bits, a code has 100. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 20

/** A new code in the form `XXXXX-XXXXX-XXXXX-XXXXX`. */
export function newInviteCode(): string {
  const characters = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return characters.replace(/.{5}(?=.)/g, '$&-')
}

/**
 * The hash that is stored: hex of the SHA-256 of the characters. Case, spaces and hyphens do not
 * matter, and O, I and L are read as digits. Null if the text is not a code.
 */
export function inviteCodeHash(code: string): string | null {
  if (code.length > 64) return null
  const characters = code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  if (characters.length !== LENGTH || !/^[0-9A-HJKMNP-TV-Z]+$/.test(characters)) return null
  return createHash('sha256').update(characters).digest('hex')
}
