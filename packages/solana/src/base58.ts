import { toHex } from './bytes.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** The digit of each character code, or -1. */
const DIGITS = /* @__PURE__ */ Int8Array.from({ length: 128 }, (_, code) =>
  ALPHABET.indexOf(String.fromCharCode(code)),
)

// Numbers are lists of limbs, lowest first. 58^5 * 2^16 is exact in a double.
const STEP = 5
const LIMB = 58 ** STEP
const WORD = 2 ** 16

/** Keys and signatures, of which each transaction has about twelve. */
const SHORT = 64
const SHORT_LIMBS = 18
/** 2^0, 2^16, 2^32 and so on, SHORT_LIMBS limbs each. Sums of 32 products are exact in a double. */
const PLACES = /* @__PURE__ */ Float64Array.from({ length: (SHORT / 2) * SHORT_LIMBS }, (_, at) => {
  const place = 2n ** BigInt(16 * Math.floor(at / SHORT_LIMBS))
  return Number((place / BigInt(LIMB) ** BigInt(at % SHORT_LIMBS)) % BigInt(LIMB))
})
/** Creating it for each key would take longer than the sums. */
const shortLimbs = /* @__PURE__ */ new Float64Array(SHORT_LIMBS)

/**
 * Base-58 in Bitcoin's alphabet. `docs/decisions/own-code-or-library.md` says why it is our own.
 */
export function encodeBase58(bytes: Uint8Array): string {
  const text = bytes.length > SHORT ? longDigits(bytes) : shortDigits(bytes)
  let zeros = 0
  while (bytes[zeros] === 0) zeros += 1
  let digits = 0
  while (text.charAt(digits) === '1') digits += 1
  return '1'.repeat(zeros) + text.slice(digits)
}

/** Divides once for each limb, and not for each word and limb. */
function shortDigits(bytes: Uint8Array): string {
  const used = Math.ceil((bytes.length * 8) / 29)
  shortLimbs.fill(0)
  for (let at = bytes.length, place = 0; at > 0; at -= 2, place += SHORT_LIMBS) {
    const word = (bytes[at - 2] ?? 0) * 256 + (bytes[at - 1] ?? 0)
    for (let i = 0; i < used; i += 1) shortLimbs[i] = (shortLimbs[i] ?? 0) + word * (PLACES[place + i] ?? 0)
  }
  let text = ''
  let carry = 0
  for (let i = 0; i < used; i += 1) {
    const sum = (shortLimbs[i] ?? 0) + carry
    carry = Math.floor(sum / LIMB)
    text = limbDigits(sum - carry * LIMB) + text
  }
  return text
}

function longDigits(bytes: Uint8Array): string {
  const limb = BigInt(LIMB)
  let text = ''
  for (let rest = BigInt(`0x${toHex(bytes)}`); rest > 0n; rest /= limb)
    text = limbDigits(Number(rest % limb)) + text
  return text
}

const PAIR = 58 ** 2
/** The two digits of each number below PAIR: three texts for a limb are faster than five. */
const PAIRS = /* @__PURE__ */ Array.from(ALPHABET).flatMap((high) =>
  Array.from(ALPHABET, (low) => high + low),
)

function limbDigits(limb: number): string {
  const higher = Math.floor(limb / PAIR)
  const highest = Math.floor(higher / PAIR)
  return ALPHABET.charAt(highest) + (PAIRS[higher % PAIR] ?? '') + (PAIRS[limb % PAIR] ?? '')
}

/** Returns null if the text is not base-58. */
export function decodeBase58(text: string): Uint8Array<ArrayBuffer> | null {
  const words = new Float64Array(Math.ceil((text.length * 5.86) / 16) + 1)
  let used = 0
  for (let at = 0; at < text.length;) {
    let [carry, factor] = [0, 1]
    for (const end = Math.min(at + STEP, text.length); at < end; at += 1) {
      const digit = DIGITS[text.charCodeAt(at)] ?? -1
      if (digit < 0) return null
      carry = carry * 58 + digit
      factor *= 58
    }
    for (let i = 0; i < used; i += 1) {
      const sum = (words[i] ?? 0) * factor + carry
      carry = Math.floor(sum / WORD)
      words[i] = sum - carry * WORD
    }
    for (; carry > 0; carry = Math.floor(carry / WORD)) words[used++] = carry % WORD
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
