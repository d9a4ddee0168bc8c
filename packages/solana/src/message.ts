import { encodeBase58 } from './base58.ts'
import { type Pubkey, pubkeyFromBytes } from './pubkey.ts'
import { ByteReader, WireError } from './byte-reader.ts'

export interface Instruction {
  readonly programIdIndex: number
  readonly accounts: Uint8Array
  readonly data: Uint8Array
}

interface TableLookup {
  readonly table: Pubkey
  readonly writable: Uint8Array
  readonly readonly: Uint8Array
}

/** What a version 1 message has in place of compute-budget instructions. Null if it is not set. */
export interface TransactionConfig {
  /** Lamports in total, not per compute unit. */
  readonly priorityFee: bigint | null
  /** Not set means 0. */
  readonly computeUnitLimit: number | null
  /** Bytes. Not set means 0. */
  readonly loadedAccountsDataSizeLimit: number | null
  /** Bytes. */
  readonly heapSize: number | null
}

/** The newest transaction version that can be read. Nodes return newer ones only as an error. */
export const MAX_TRANSACTION_VERSION = 1

export interface Message {
  readonly version: 'legacy' | 0 | 1
  readonly requiredSignatures: number
  readonly readonlySigned: number
  readonly readonlyUnsigned: number
  readonly staticKeys: readonly Pubkey[]
  /** Base-58. */
  readonly blockhash: string
  readonly instructions: readonly Instruction[]
  /** Only version 0 has lookup tables. */
  readonly lookups: readonly TableLookup[]
  /** Null except in version 1. */
  readonly config: TransactionConfig | null
}

export function parseMessage(bytes: Uint8Array): Message {
  const reader = new ByteReader(bytes)
  const message = readMessage(reader)
  reader.end()
  return message
}

/** @throws WireError if the bytes are not a valid message of a known version */
export function readMessage(reader: ByteReader): Message {
  let version: Message['version'] = 'legacy'
  if (reader.peek() >= 0x80) {
    const number = reader.u8() & 0x7f
    if (number === 1) return readMessageV1(reader)
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
    blockhash: encodeBase58(reader.take(32)),
    instructions: reader.list(() => ({
      programIdIndex: reader.u8(),
      accounts: reader.take(reader.length()),
      data: reader.take(reader.length()),
    })),
    lookups: version === 'legacy' ? [] : reader.list(() => readLookup(reader)),
    config: null,
  }
  sanitize(message)
  return message
}

/** SIMD-0385: counts before contents, and lengths of one or two bytes. */
function readMessageV1(reader: ByteReader): Message {
  const [requiredSignatures, readonlySigned, readonlyUnsigned] = [reader.u8(), reader.u8(), reader.u8()]
  const mask = reader.u32()
  const blockhash = encodeBase58(reader.take(32))
  const [instructionCount, keyCount] = [reader.u8(), reader.u8()]
  const staticKeys = times(keyCount, () => pubkeyFromBytes(reader.take(32)))
  const config = readConfig(reader, mask)
  const headers = times(instructionCount, () => ({
    programIdIndex: reader.u8(),
    accounts: reader.u8(),
    data: reader.u16(),
  }))
  const message: Message = {
    version: 1,
    requiredSignatures,
    readonlySigned,
    readonlyUnsigned,
    staticKeys,
    blockhash,
    instructions: headers.map(({ programIdIndex, accounts, data }) => ({
      programIdIndex,
      accounts: reader.take(accounts),
      data: reader.take(data),
    })),
    lookups: [],
    config,
  }
  sanitize(message)
  sanitizeV1(message)
  return message
}

const CONFIG_BITS = { priorityFee: 0b11, computeUnitLimit: 0b100, dataSize: 0b1000, heapSize: 0b1_0000 }

function readConfig(reader: ByteReader, mask: number): TransactionConfig {
  if (mask >= 0b10_0000) throw new WireError('unknown bits in the config mask')
  const feeBits = mask & CONFIG_BITS.priorityFee
  if (feeBits !== 0 && feeBits !== CONFIG_BITS.priorityFee) throw new WireError('half a priority fee')
  const value = (bit: number): number | null => ((mask & bit) === 0 ? null : reader.u32())
  return {
    priorityFee: feeBits === 0 ? null : reader.u64(),
    computeUnitLimit: value(CONFIG_BITS.computeUnitLimit),
    loadedAccountsDataSizeLimit: value(CONFIG_BITS.dataSize),
    heapSize: value(CONFIG_BITS.heapSize),
  }
}

function times<T>(count: number, read: () => T): T[] {
  return Array.from({ length: count }, read)
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

const V1_LIMITS = { signatures: 12, keys: 64, instructions: 64 }

function sanitizeV1({ requiredSignatures, staticKeys, instructions, config }: Message): void {
  const { signatures, keys, instructions: calls } = V1_LIMITS
  if (requiredSignatures > signatures) throw new WireError(`more than ${signatures} signatures`)
  if (staticKeys.length > keys) throw new WireError(`more than ${keys} account keys`)
  if (instructions.length > calls) throw new WireError(`more than ${calls} instructions`)
  if (new Set(staticKeys).size < staticKeys.length) throw new WireError('an account key occurs twice')
  if ((config?.heapSize ?? 0) % 1024 !== 0) throw new WireError('the heap size is not a multiple of 1024')
}

/** Whether the header marks the static key at this position as writable. */
export function isStaticWritable(message: Message, index: number): boolean {
  const { requiredSignatures, readonlySigned, readonlyUnsigned, staticKeys } = message
  if (index < requiredSignatures) return index < requiredSignatures - readonlySigned
  return index < staticKeys.length - readonlyUnsigned
}
