import bs58 from 'bs58'
import { type Pubkey, pubkeyFromBytes } from './pubkey.ts'
import { ByteReader, WireError } from './byte-reader.ts'

export interface Instruction {
  readonly programIdIndex: number
  readonly accounts: Uint8Array
  readonly data: Uint8Array
}

export interface TableLookup {
  readonly table: Pubkey
  readonly writable: Uint8Array
  readonly readonly: Uint8Array
}

export interface Message {
  readonly version: 'legacy' | 0
  readonly requiredSignatures: number
  readonly readonlySigned: number
  readonly readonlyUnsigned: number
  readonly staticKeys: readonly Pubkey[]
  /** Base-58. */
  readonly blockhash: string
  readonly instructions: readonly Instruction[]
  readonly lookups: readonly TableLookup[]
}

export function parseMessage(bytes: Uint8Array): Message {
  const reader = new ByteReader(bytes)
  const message = readMessage(reader)
  reader.end()
  return message
}

/** @throws WireError if the bytes are not a valid legacy or v0 message */
export function readMessage(reader: ByteReader): Message {
  let version: Message['version'] = 'legacy'
  if (reader.peek() >= 0x80) {
    const number = reader.u8() & 0x7f
    if (number !== 0) throw new WireError(`transaction version ${number} is not supported`)
    version = 0
  }
  // The object is created in the order of the wire format.
  const message: Message = {
    version,
    requiredSignatures: reader.u8(),
    readonlySigned: reader.u8(),
    readonlyUnsigned: reader.u8(),
    staticKeys: reader.list(() => pubkeyFromBytes(reader.take(32))),
    blockhash: bs58.encode(reader.take(32)),
    instructions: reader.list(() => ({
      programIdIndex: reader.u8(),
      accounts: reader.take(reader.length()),
      data: reader.take(reader.length()),
    })),
    lookups: version === 'legacy' ? [] : reader.list(() => readLookup(reader)),
  }
  sanitize(message)
  return message
}

function readLookup(reader: ByteReader): TableLookup {
  return {
    table: pubkeyFromBytes(reader.take(32)),
    writable: reader.take(reader.length()),
    readonly: reader.take(reader.length()),
  }
}

/** The number of account keys, including those from lookup tables. */
function keyCount(message: Message): number {
  return message.lookups.reduce(
    (count, each) => count + each.writable.length + each.readonly.length,
    message.staticKeys.length,
  )
}

// The same rules as `sanitize` of the Rust crate solana-message.
function sanitize(message: Message): void {
  const { requiredSignatures, readonlySigned, readonlyUnsigned, staticKeys } = message
  const keys = keyCount(message)
  if (readonlySigned >= requiredSignatures) throw new WireError('no writable signer to pay the fee')
  if (requiredSignatures + readonlyUnsigned > staticKeys.length)
    throw new WireError('header names more keys than there are')
  if (keys > 256) throw new WireError('more than 256 account keys')
  if (message.lookups.some((each) => each.writable.length + each.readonly.length === 0)) {
    throw new WireError('lookup of no address')
  }
  for (const { programIdIndex, accounts } of message.instructions) {
    if (programIdIndex === 0 || programIdIndex >= staticKeys.length)
      throw new WireError('invalid program id index')
    if (accounts.some((index) => index >= keys)) throw new WireError('invalid account index')
  }
}

/** Whether the header marks the static key at this position as writable. */
export function isStaticWritable(message: Message, index: number): boolean {
  const { requiredSignatures, readonlySigned, readonlyUnsigned, staticKeys } = message
  if (index < requiredSignatures) return index < requiredSignatures - readonlySigned
  return index < staticKeys.length - readonlyUnsigned
}
