/** The bytes are not a valid transaction or message. Clients receive this error's text. */
export class WireError extends RangeError {}

/** A strict reader of Solana's formats. It throws WireError when it reads past the end. */
export class ByteReader {
  readonly #bytes: Uint8Array
  /** For numbers, which begin where `skip` returns. */
  readonly view: DataView
  #offset = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get offset(): number {
    return this.#offset
  }

  get remaining(): number {
    return this.#bytes.length - this.#offset
  }

  /** Moves past the next bytes and returns their offset. */
  skip(length: number): number {
    if (length > this.remaining) throw new WireError('unexpected end of data')
    this.#offset += length
    return this.#offset - length
  }

  take(length: number): Uint8Array {
    const start = this.skip(length)
    return this.#bytes.subarray(start, start + length)
  }

  peek(): number {
    const byte = this.#bytes[this.#offset]
    if (byte === undefined) throw new WireError('unexpected end of data')
    return byte
  }

  u8(): number {
    const byte = this.peek()
    this.#offset += 1
    return byte
  }

  /** Little endian, like all integers. */
  u16(): number {
    return this.view.getUint16(this.skip(2), true)
  }

  u32(): number {
    return this.view.getUint32(this.skip(4), true)
  }

  u64(): bigint {
    return this.view.getBigUint64(this.skip(8), true)
  }

  /** A compact-u16: 7 bits per byte, least significant first, in its shortest form only. */
  length(): number {
    let value = 0
    for (let index = 0; index < 3; index += 1) {
      const byte = this.u8()
      value |= (byte & 0x7f) << (7 * index)
      if (byte < 0x80) {
        if (index > 0 && byte === 0) throw new WireError('length is not in its shortest form')
        if (value > 0xffff) throw new WireError('length is over 65535')
        return value
      }
    }
    throw new WireError('length has more than three bytes')
  }

  list<T>(read: () => T): T[] {
    const length = this.length()
    const items: T[] = []
    for (let index = 0; index < length; index += 1) items.push(read())
    return items
  }

  end(): void {
    if (this.remaining > 0) throw new WireError('trailing bytes')
  }
}
