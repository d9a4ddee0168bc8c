const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Bytes as base-58 text. */
export function toBase58(bytes: Uint8Array): string {
  let text = ''
  for (let number = toNumber(bytes); number > 0n; number /= 58n) text = ALPHABET[Number(number % 58n)] + text
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1
  return '1'.repeat(zeros) + text
}

/** The bytes of a public key. Throws TypeError if the text is not base-58 of 32 bytes. */
export function addressBytes(address: string): Uint8Array {
  const isBase58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)
  let number = 0n
  if (isBase58) for (const char of address) number = number * 58n + BigInt(ALPHABET.indexOf(char))
  const bytes = new Uint8Array(32)
  for (let i = 31; i >= 0; i -= 1, number >>= 8n) bytes[i] = Number(number & 255n)
  // The text of a shorter or longer number decodes to other bytes.
  if (!isBase58 || toBase58(bytes) !== address)
    throw new TypeError(`An address must be base-58 of 32 bytes, got ${JSON.stringify(address)}`)
  return bytes
}

function toNumber(bytes: Uint8Array): bigint {
  let number = 0n
  for (const byte of bytes) number = (number << 8n) | BigInt(byte)
  return number
}
