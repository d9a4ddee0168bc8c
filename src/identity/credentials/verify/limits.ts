/**
 * Caps on what is read of a credential. The worst credential within them costs well under the time limit; what cost seconds in
 * measurements (long base-58, long arrays, many proofs, deep nesting) lies far outside.
 */
export const LIMITS = {
  bytes: 32_768,
  /** Values of any kind. */
  nodes: 512,
  depth: 10,
  arrayItems: 256,
  /** UTF-16 units of a string or a key. */
  stringLength: 8_192,
  proofs: 4,
  contexts: 6,
  /** 64 bytes are at most 89 characters of multibase base-58. */
  proofValueLength: 100,
} as const

/** How far clocks may be apart, ms: a credential may begin, or have ended, that much away. */
export const CLOCK_SKEW_MS = 300_000
