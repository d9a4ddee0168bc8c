import {
  ASSOCIATED_TOKEN_PROGRAM,
  concat,
  encodeBase58,
  pubkeyBytes,
  sha256,
  TOKEN_PROGRAM,
  utf8,
} from '@agent-registry/solana/wire'

const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
const MAX_BUMP = 255

/** The address of a program that these seeds derive, with the canonical bump. */
export async function programAddress(program: string, seeds: readonly Uint8Array[]): Promise<string> {
  const suffix = concat(pubkeyBytes(program), utf8('ProgramDerivedAddress'))
  for (let bump = MAX_BUMP; bump >= 0; bump -= 1) {
    const hash = await sha256(concat(...seeds, [bump], suffix))
    if (!isOnCurve(hash)) return encodeBase58(hash)
  }
  throw new Error('The seeds derive no address')
}

/** Whether the bytes are a point of Ed25519: a key that can sign. */
export function isOnCurve(bytes: Uint8Array): boolean {
  let y = 0n
  for (const [i, byte] of bytes.entries()) y |= BigInt(i === 31 ? byte & 127 : byte) << BigInt(8 * i)
  const y2 = (y * y) % P
  // x^2 = (y^2 - 1) / (d y^2 + 1). A quotient is a square if the product is one.
  const product = (((y2 + P - 1n) % P) * ((D * y2 + 1n) % P)) % P
  return product === 0n || power(product, (P - 1n) / 2n) === 1n
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let rest = exponent, square = base; rest > 0n; rest >>= 1n, square = (square * square) % P)
    if (rest & 1n) result = (result * square) % P
  return result
}

/** The address of a wallet's associated token account for a mint of SPL Token. */
export function tokenAccount(owner: string, mint: string): Promise<string> {
  return programAddress(ASSOCIATED_TOKEN_PROGRAM, [owner, TOKEN_PROGRAM, mint].map(pubkeyBytes))
}
