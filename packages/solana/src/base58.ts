const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** The digit of each character code, or -1. */
const DIGITS = /* @__PURE__ */ Int8Array.from({ length: 128 }, (_, code) =>
  ALPHABET.indexOf(String.fromCharCode(code)),
)

// Numbers are lists of limbs, lowest first. 58^5 * 2^16 is exact in a double.
const STEP = 5
const LIMB = 58 ** STEP
const WORD = 2 ** 16

/** Multiplies the number by the factor and adds the value. Returns how many limbs are used. */
function append(limbs: Float64Array, used: number, base: number, factor: number, value: number): number {
  let carry = value
  for (let i = 0; i < used; i += 1) {
    const sum = (limbs[i] ?? 0) * factor + carry
    carry = Math.floor(sum / base)
    limbs[i] = sum - carry * base
  }
  let size = used
  for (; carry > 0; carry = Math.floor(carry / base)) limbs[size++] = carry % base
  return size
}

/**
 * Base-58 in Bitcoin's alphabet. `docs/decisions/own-code-or-library.md` says why it is our own.
 */
export function encodeBase58(bytes: Uint8Array): string {
  const limbs = new Float64Array(Math.ceil((bytes.length * 8) / 29) + 1)
  let used = 0
  for (let at = bytes.length % 2; at <= bytes.length; at += 2)
    used = append(limbs, used, LIMB, WORD, (bytes[at - 2] ?? 0) * 256 + (bytes[at - 1] ?? 0))
  let text = ''
  for (let i = 0; i < used; i += 1) {
    let rest = limbs[i] ?? 0
    for (let digit = 0; digit < STEP; digit += 1) {
      if (rest === 0 && i === used - 1) break
      text = ALPHABET.charAt(rest % 58) + text
      rest = Math.floor(rest / 58)
    }
  }
  let zeros = 0
  while (bytes[zeros] === 0) zeros += 1
  return '1'.repeat(zeros) + text
}

/** Returns null if the text is not base-58. */
export function decodeBase58(text: string): Uint8Array<ArrayBuffer> | null {
  const words = new Float64Array(Math.ceil((text.length * 5.86) / 16) + 1)
  let used = 0
  for (let at = 0; at < text.length;) {
    let [value, factor] = [0, 1]
    for (const end = Math.min(at + STEP, text.length); at < end; at += 1) {
      const digit = DIGITS[text.charCodeAt(at)] ?? -1
      if (digit < 0) return null
      value = value * 58 + digit
      factor *= 58
    }
    used = append(words, used, WORD, factor, value)
  }
  let zeros = 0
  while (text.charAt(zeros) === '1') zeros += 1
  const isOdd = used > 0 && (words[used - 1] ?? 0) < 256
  const bytes = new Uint8Array(zeros + 2 * used - (isOdd ? 1 : 0))
  for (let i = 0, at = bytes.length; at > zeros; i += 1) {
    bytes[--at] = (words[i] ?? 0) & 255
    if (at > zeros) bytes[--at] = (words[i] ?? 0) >> 8
  }
  return bytes
}

/** Checked before decoding, which takes quadratic time. */
const OF_64_BYTES = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/

/** The 64 bytes of a signature in base-58. Null for any other text. */
export function signatureBytes(text: string): Uint8Array | null {
  const bytes = OF_64_BYTES.test(text) ? decodeBase58(text) : null
  return bytes?.length === 64 ? bytes : null
}
