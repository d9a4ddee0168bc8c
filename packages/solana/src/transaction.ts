import bs58 from 'bs58'
import { ByteReader, WireError } from './byte-reader.ts'
import { type Message, readMessage } from './message.ts'

/** The size of one packet: the limit for legacy and v0 transactions. */
export const MAX_TRANSACTION_BYTES = 1232

export interface WireTransaction {
  readonly bytes: Uint8Array
  /** Base-58. */
  readonly signatures: readonly string[]
  /** The first signature, which identifies the transaction. */
  readonly signature: string
  readonly message: Message
}

/**
 * @throws WireError if the bytes are not a valid legacy or v0 transaction of at most 1,232 bytes
 */
export function parseTransaction(bytes: Uint8Array): WireTransaction {
  if (bytes.length > MAX_TRANSACTION_BYTES) {
    throw new WireError(`transaction too large: ${bytes.length} bytes (max: ${MAX_TRANSACTION_BYTES} bytes)`)
  }
  const reader = new ByteReader(bytes)
  const signatures = reader.list(() => bs58.encode(reader.take(64)))
  const message = readMessage(reader)
  reader.end()
  const [signature] = signatures
  if (signature === undefined || signatures.length !== message.requiredSignatures) {
    throw new WireError(`${message.requiredSignatures} signatures required, got ${signatures.length}`)
  }
  return { bytes, signatures, signature, message }
}
