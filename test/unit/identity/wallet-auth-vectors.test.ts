import bs58 from 'bs58'
import nacl from 'tweetnacl'
import { expect, test } from 'vitest'
import { verifyRequest, signedMessage } from '../../../src/identity/wallet-auth.ts'
import { DomainError } from '../../../src/domain/errors.ts'
import table from '../../support/identity/wallet-auth-vectors.json' with { type: 'json' }

interface Vector {
  name: string
  /** Milliseconds since the epoch. */
  nowMs: number
  method: string
  path: string
  pubkey: string | null
  timestamp: string | null
  signature: string | null
  /** The text of the 401 response. Null if the request is accepted. */
  error: string | null
  /** A signature made without a private key. Some other libraries accept it. */
  forgery?: boolean
}

const vectors: Vector[] = table.vectors
const pair = nacl.sign.keyPair.fromSeed(Buffer.from(table.seed, 'hex'))

function outcome(vector: Vector): string | null {
  const { method, path, nowMs } = vector
  const { pubkey, timestamp, signature } = vector
  const request = {
    method,
    path,
    pubkey: pubkey ?? undefined,
    timestamp: timestamp ?? undefined,
    signature: signature ?? undefined,
  }
  try {
    verifyRequest(request, nowMs)
    return null
  } catch (error) {
    if (error instanceof DomainError && error.status === 401) return error.message
    throw error
  }
}

const messageOf = (vector: Vector): Uint8Array =>
  Buffer.from(signedMessage({ ...vector, pubkey: vector.pubkey ?? '', timestamp: vector.timestamp ?? '' }))

test.each(vectors.map((vector) => [vector.name, vector] as const))(
  '%s: the outcome is the expected one',
  (_, vector) => {
    expect(outcome(vector)).toBe(vector.error)
  },
)

test('tweetnacl creates the same signatures as the accepted ones', () => {
  const accepted = vectors.filter(({ error }) => error === null)
  expect(accepted.length).toBeGreaterThan(5)
  for (const vector of accepted)
    expect(bs58.encode(nacl.sign.detached(messageOf(vector), pair.secretKey))).toBe(vector.signature)
})

test('tweetnacl accepts forgeries with small-order keys, so these keys are refused explicitly', () => {
  const forgeries = vectors.filter(({ forgery }) => forgery === true)
  expect(forgeries.length).toBe(3)
  for (const vector of forgeries) {
    const [signature, key] = [bs58.decode(vector.signature ?? ''), bs58.decode(vector.pubkey ?? '')]
    expect(nacl.sign.detached.verify(messageOf(vector), signature, key)).toBe(true)
  }
})

test('the table contains all error texts of the contract except the last one', () => {
  expect(new Set(vectors.map(({ error }) => error)).size).toBe(7)
})
