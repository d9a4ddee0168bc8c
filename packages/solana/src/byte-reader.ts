/** Bytes that are not a transaction. The text says what is wrong, for the client. */
export class WireError extends Error {
  override readonly name = 'WireError'
}

/** Reads Solana's wire format strictly: no read past the end, and lengths in their shortest form only. */
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

  take(length: number): Uint8Array {
    const end = this.#offset + length
    if (end > this.#bytes.length) throw new WireError('unexpected end of data')
    const slice = this.#bytes.subarray(this.#offset, end)
    this.#offset = end
    return slice
  }

  /** The compact-u16 length: 7 bits a byte, least significant first. */
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
