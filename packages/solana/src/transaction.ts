import { encodeBase58 } from './base58.ts'
import { ByteReader, WireError } from './byte-reader.ts'
import { type Message, readMessage } from './message.ts'

/** The size of one packet: the limit for legacy and v0 transactions. */
const MAX_TRANSACTION_BYTES = 1232

/** The limit of version 1. */
export const MAX_V1_TRANSACTION_BYTES = 4096
/** The first byte of a version 1 transaction. */
const VERSION_1 = 0x81

export interface WireTransaction {
  readonly bytes: Uint8Array
  /** The part of `bytes` that is signed. */
  readonly messageBytes: Uint8Array
  /** Base-58. */
  readonly signatures: readonly string[]
  /** The first signature, which identifies the transaction. */
  readonly signature: string
  readonly message: Message
}

/**
 * @throws WireError if the bytes are not a valid transaction of a known version and its size
 */
export function parseTransaction(bytes: Uint8Array): WireTransaction {
  const isV1 = bytes[0] === VERSION_1
  const max = isV1 ? MAX_V1_TRANSACTION_BYTES : MAX_TRANSACTION_BYTES
  if (bytes.length > max)
    throw new WireError(`transaction too large: ${bytes.length} bytes (max: ${max} bytes)`)
  const reader = new ByteReader(bytes)
  const { message, messageBytes, signatures } = isV1 ? readV1(reader, bytes) : readSigned(reader, bytes)
  reader.end()
  const [signature] = signatures
  if (signature === undefined || signatures.length !== message.requiredSignatures)
    throw new WireError(`${message.requiredSignatures} signatures required, got ${signatures.length}`)
  return { bytes, messageBytes, signatures, signature, message }
}

type Parts = Pick<WireTransaction, 'message' | 'messageBytes' | 'signatures'>

function readSigned(reader: ByteReader, bytes: Uint8Array): Parts {
  const signatures = reader.list(() => readSignature(reader))
  const messageBytes = bytes.subarray(reader.offset)
  const message = readMessage(reader)
  if (message.version === 1) throw new WireError('the signatures of version 1 come after the message')
  return { signatures, messageBytes, message }
}

/** The signatures come last, and only the header says how many there are. */
function readV1(reader: ByteReader, bytes: Uint8Array): Parts {
  const message = readMessage(reader)
  const messageBytes = bytes.subarray(0, reader.offset)
  const signatures = Array.from({ length: message.requiredSignatures }, () => readSignature(reader))
  return { message, messageBytes, signatures }
}

function readSignature(reader: ByteReader): string {
  return encodeBase58(reader.take(64))
}
