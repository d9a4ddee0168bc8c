import { createHash, randomBytes } from 'node:crypto'

/** Crockford's base 32: no letter looks like a digit or like another letter. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 5 bits each: 100. */
const LETTERS = 20
const READ_AS: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1' }

/** A new code, as `XXXXX-XXXXX-XXXXX-XXXXX`. */
export function newInviteCode(random: (bytes: number) => Uint8Array = randomBytes): string {
  const letters = Array.from(random(LETTERS), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return letters.replace(/.{5}(?=.)/g, '$&-')
}

/** What is stored of a code: hex of the SHA-256 of its letters. Null for text that no code can be. */
export function inviteCodeHash(code: string): string | null {
  if (code.length > 64) return null
  const letters = code
    .toUpperCase()
    .replace(/[\s-]/g, '')
    .replace(/[OIL]/g, (letter) => READ_AS[letter] ?? letter)
  if (letters.length !== LETTERS || !/^[0-9A-HJKMNP-TV-Z]+$/.test(letters)) return null
  return createHash('sha256').update(letters).digest('hex')
}
