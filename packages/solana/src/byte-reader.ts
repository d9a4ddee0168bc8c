/** The bytes are not a valid transaction or message. Clients receive this error's text. */
export class WireError extends Error {
  override readonly name = 'WireError'
}

/** A strict reader of Solana's wire format. It throws WireError when it reads past the end. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #offset = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get offset(): number {
    return this.#offset
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
    return this.u8() | (this.u8() << 8)
  }

  u32(): number {
    return (this.u16() | (this.u16() << 16)) >>> 0
  }

  u64(): bigint {
    return BigInt(this.u32()) | (BigInt(this.u32()) << 32n)
  }

  take(length: number): Uint8Array {
    const end = this.#offset + length
    if (end > this.#bytes.length) throw new WireError('unexpected end of data')
    const slice = this.#bytes.subarray(this.#offset, end)
    this.#offset = end
    return slice
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
    if (this.#offset !== this.#bytes.length) throw new WireError('trailing bytes')
  }
}
