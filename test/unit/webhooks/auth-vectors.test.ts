import bs58 from 'bs58'
import nacl from 'tweetnacl'
import { expect, test } from 'vitest'
import { verifyRequest, signedMessage } from '../../../src/identity/wallet-auth/verify-request.ts'
import { DomainError } from '../../../src/domain/errors.ts'
import table from '../../support/webhooks/auth-vectors.json' with { type: 'json' }

interface Vector {
  name: string
  /** Milliseconds since the epoch. */
  nowMs: number
  method: string
  path: string
  pubkey: string | null
  timestamp: string | null
  signature: string | null
  /** The text of the 401; null where the request is taken. */
  error: string | null
  /** Made without a private key, and taken by other verifiers. */
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

test.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_, vector) => {
  expect(outcome(vector)).toBe(vector.error)
})

test('tweetnacl makes the signatures that are taken', () => {
  const taken = vectors.filter(({ error }) => error === null)
  expect(taken.length).toBeGreaterThan(5)
  for (const vector of taken)
    expect(bs58.encode(nacl.sign.detached(messageOf(vector), pair.secretKey))).toBe(vector.signature)
})

test('tweetnacl takes the forgeries under keys of small order, which is why they are refused by name', () => {
  const forgeries = vectors.filter(({ forgery }) => forgery === true)
  expect(forgeries.length).toBe(3)
  for (const vector of forgeries) {
    const [signature, key] = [bs58.decode(vector.signature ?? ''), bs58.decode(vector.pubkey ?? '')]
    expect(nacl.sign.detached.verify(messageOf(vector), signature, key)).toBe(true)
  }
})

test('every text of the contract’s seven but the last is in the table', () => {
  expect(new Set(vectors.map(({ error }) => error)).size).toBe(7)
})
