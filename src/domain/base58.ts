const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const CODES = Uint8Array.from(ALPHABET, (char) => char.charCodeAt(0))
const DIGITS = new Int8Array(128).fill(-1)
for (const [digit, code] of CODES.entries()) DIGITS[code] = digit

/** Five digits at a time: 58^5 * 2^16 is exact in a double. */
const STEP = 5
const LIMB = 58 ** STEP
const WORD = 2 ** 16

/**
 * Base-58 in Bitcoin's alphabet. Reading the ledger converts a dozen keys per transaction; the usual package goes digit by digit, which
 * made a fifth of a catch-up's processor time.
 */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1
  const limbs = new Float64Array(Math.ceil((bytes.length * 8) / 29) + 1)
  let used = 0
  for (let at = bytes.length % 2 === 0 ? 0 : -1; at < bytes.length; at += 2) {
    let carry = (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)
    for (let i = 0; i < used; i += 1) {
      const value = (limbs[i] ?? 0) * WORD + carry
      carry = Math.floor(value / LIMB)
      limbs[i] = value - carry * LIMB
    }
    if (carry > 0) limbs[used++] = carry
  }
  const digits = new Uint8Array(used * STEP)
  for (let i = 0, at = digits.length; i < used; i += 1) {
    let limb = limbs[i] ?? 0
    for (let digit = 0; digit < STEP; digit += 1) {
      const rest = Math.floor(limb / 58)
      digits[--at] = CODES[limb - rest * 58] ?? 0
      limb = rest
    }
  }
  let first = 0
  while (first < digits.length && digits[first] === CODES[0]) first += 1
  return '1'.repeat(zeros) + Buffer.from(digits.buffer, first, digits.length - first).toString('latin1')
}

/** Null for what is not base-58. */
export function decodeBase58(text: string): Uint8Array | null {
  let zeros = 0
  while (zeros < text.length && text.charCodeAt(zeros) === CODES[0]) zeros += 1
  // Words of the number, the lowest first.
  const words = new Float64Array(Math.ceil((text.length * 5.86) / 16) + 1)
  let used = 0
  for (let at = 0; at < text.length;) {
    const end = Math.min(at + STEP, text.length)
    let carry = 0
    let base = 1
    for (; at < end; at += 1) {
      const digit = DIGITS[text.charCodeAt(at)] ?? -1
      if (digit < 0) return null
      carry = carry * 58 + digit
      base *= 58
    }
    for (let i = 0; i < used; i += 1) {
      const value = (words[i] ?? 0) * base + carry
      carry = Math.floor(value / WORD)
      words[i] = value - carry * WORD
    }
    for (; carry > 0; carry = Math.floor(carry / WORD)) words[used++] = carry % WORD
  }
  const odd = used > 0 && (words[used - 1] ?? 0) < 256 ? 1 : 0
  const bytes = new Uint8Array(zeros + used * 2 - odd)
  for (let i = 0, at = bytes.length; i < used; i += 1) {
    const word = words[i] ?? 0
    bytes[--at] = word & 255
    if (at > zeros) bytes[--at] = word >> 8
  }
  return bytes
}
