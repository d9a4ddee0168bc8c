import { type Pubkey, pubkeyFromBytes } from '@agent-registry/solana'

/** The bytes do not have the layout that the parser expects. */
export class NotParsableError extends Error {
  override readonly name = 'NotParsableError'
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads little-endian values in order. Throws NotParsableError past the end. */
export class DataReader {
  readonly #bytes: Buffer
  #offset = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  readonly u8 = (): number => this.take(1).readUInt8()
  readonly u16 = (): number => this.take(2).readUInt16LE()
  readonly u32 = (): number => this.take(4).readUInt32LE()
  readonly u64 = (): bigint => this.take(8).readBigUInt64LE()
  readonly i64 = (): bigint => this.take(8).readBigInt64LE()
  readonly f64 = (): number => this.take(8).readDoubleLE()
  readonly key = (): Pubkey => pubkeyFromBytes(this.take(32))
  /** A tag of one byte, and a key if the tag is 1. */
  readonly optionalKey = (): Pubkey | null => (this.u8() === 1 ? this.key() : null)
  /** A length of eight bytes, and as many bytes. */
  readonly bytes = (): Buffer => this.take(Number(this.u64()))
  readonly text = (): string => decodeUtf8(this.bytes())

  take(length: number): Buffer {
    const end = this.#offset + length
    if (end > this.#bytes.length) throw new NotParsableError('unexpected end of data')
    const taken = this.#bytes.subarray(this.#offset, end)
    this.#offset = end
    return taken
  }

  rest(): Buffer {
    return this.take(this.#bytes.length - this.#offset)
  }

  /** Reads a list that fills the remaining bytes. */
  list<T>(read: () => T): T[] {
    const items: T[] = []
    while (this.#offset < this.#bytes.length) items.push(read())
    return items
  }
}

/** Throws NotParsableError if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new NotParsableError('not UTF-8')
  }
}
