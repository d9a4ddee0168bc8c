import { toBase58 } from '../program/base58.ts'
import type { Instruction } from '../program/instruction.ts'

/** A transaction whose message is legacy or v0. */
export interface ParsedTransaction {
  /** 64 bytes for each signer; zeros if it has not signed. */
  readonly signatures: readonly Uint8Array[]
  /** The bytes that signers sign. */
  readonly message: Uint8Array
  /** The keys of the message with their flags. The first one pays the fee. */
  readonly keys: Instruction['keys']
  readonly instructions: readonly Instruction[]
}

/** The bytes are not a transaction that this package can check. */
export class MalformedTransactionError extends Error {
  override readonly name = 'MalformedTransactionError'
}

const SIGNATURE_BYTES = 64
const KEY_BYTES = 32
const VERSIONED = 128

/**
 * Reads a transaction strictly. Throws MalformedTransactionError, also for lookup tables, and for
 * versions after 0, by their number.
 */
export function parseTransaction(bytes: Uint8Array): ParsedTransaction {
  let offset = 0
  const take = (length: number): Uint8Array => {
    offset += length
    if (offset > bytes.length) throw new MalformedTransactionError('The transaction is too short')
    return bytes.subarray(offset - length, offset)
  }
  const byte = (): number => take(1)[0]!
  // Longer lists do not fit into a transaction, so the length has one byte, or two for data.
  const length = (): number => {
    const low = byte()
    if (low < 128) return low
    const high = byte()
    if (high === 0 || high >= 128) throw new MalformedTransactionError('A length is malformed')
    return (low & 127) | (high << 7)
  }
  const list = <Item>(read: () => Item): Item[] => {
    const items: Item[] = []
    for (let rest = length(); rest > 0; rest -= 1) items.push(read())
    return items
  }

  // From version 1 on, the message with its version comes before the signatures.
  refuseVersion(bytes[0])
  const signatures = list(() => take(SIGNATURE_BYTES))
  const start = offset
  refuseVersion(bytes[start])
  const isVersioned = bytes[start] === VERSIONED
  if (isVersioned) take(1)
  const [signers, readonlySigners, readonlyOthers] = [byte(), byte(), byte()]
  const addresses = list(() => toBase58(take(KEY_BYTES)))
  if (
    signers !== signatures.length ||
    readonlySigners >= signers ||
    signers + readonlyOthers > addresses.length
  )
    throw new MalformedTransactionError('The header of the message is malformed')
  const keys = addresses.map((pubkey, i) => ({
    pubkey,
    isSigner: i < signers,
    isWritable: i < signers ? i < signers - readonlySigners : i < addresses.length - readonlyOthers,
  }))
  const keyAt = (index: number): Instruction['keys'][number] => {
    const key = keys[index]
    if (key === undefined) throw new MalformedTransactionError('An instruction uses an unknown key')
    return key
  }
  take(KEY_BYTES) // The blockhash.
  const instructions = list(() => ({
    programId: keyAt(byte()).pubkey,
    keys: Array.from(take(length()), keyAt),
    data: take(length()),
  }))
  if (isVersioned && length() > 0)
    throw new MalformedTransactionError('Transactions with lookup tables are not supported')
  if (offset !== bytes.length) throw new MalformedTransactionError('The transaction has extra bytes')
  return { signatures, message: bytes.subarray(start), keys, instructions }
}

/** Legacy messages have no version. */
function refuseVersion(first = 0): void {
  if (first > VERSIONED)
    throw new MalformedTransactionError(`Transaction version ${first - VERSIONED} is not supported`)
}

/** The transaction with this signature. Throws if the address is none of its signers. */
export function addSignature(transaction: Uint8Array, address: string, signature: Uint8Array): Uint8Array {
  const { keys } = parseTransaction(transaction)
  const index = keys.findIndex(({ pubkey, isSigner }) => isSigner && pubkey === address)
  if (index < 0) throw new TypeError(`${address} is not a signer of this transaction`)
  if (signature.length !== SIGNATURE_BYTES) throw new TypeError('A signature has 64 bytes')
  const signed = new Uint8Array(transaction)
  // One byte counts the signatures.
  signed.set(signature, 1 + SIGNATURE_BYTES * index)
  return signed
}
