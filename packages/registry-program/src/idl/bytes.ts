const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads little-endian values; reading past the end throws RangeError. */
export class ByteReader {
  private offset = 0
  private readonly view: DataView
  private readonly data: Uint8Array

  constructor(data: Uint8Array, offset = 0) {
    this.data = data
    this.view = new DataView(data.buffer, data.byteOffset, data.byteLength)
    this.offset = offset
  }

  /** The bytes not read yet. */
  get remaining(): number {
    return this.data.length - this.offset
  }

  take(length: number): Uint8Array {
    const start = this.advance(length)
    return this.data.subarray(start, start + length)
  }

  bool(): boolean {
    const value = this.u8()
    if (value > 1) throw new RangeError(`a bool is 0 or 1, got ${value}`)
    return value === 1
  }

  u8 = (): number => this.view.getUint8(this.advance(1))
  u16 = (): number => this.view.getUint16(this.advance(2), true)
  i16 = (): number => this.view.getInt16(this.advance(2), true)
  u32 = (): number => this.view.getUint32(this.advance(4), true)
  u64 = (): bigint => this.view.getBigUint64(this.advance(8), true)
  i64 = (): bigint => this.view.getBigInt64(this.advance(8), true)
  /** u32 length, then UTF-8; malformed UTF-8 throws TypeError. */
  string = (): string => utf8.decode(this.take(this.u32()))

  private advance(length: number): number {
    const start = this.offset
    if (length > this.data.length - start)
      throw new RangeError(`need ${length} bytes at ${start}, have ${this.data.length - start}`)
    this.offset = start + length
    return start
  }
}

/** Writes little-endian values into a growing buffer. */
export class ByteWriter {
  private readonly parts: Buffer[] = []

  bytes(value: Uint8Array): void {
    this.parts.push(Buffer.from(value))
  }

  u8 = (value: number): void => this.fixed(1, (b) => b.writeUInt8(value))
  u16 = (value: number): void => this.fixed(2, (b) => b.writeUInt16LE(value))
  i16 = (value: number): void => this.fixed(2, (b) => b.writeInt16LE(value))
  u32 = (value: number): void => this.fixed(4, (b) => b.writeUInt32LE(value))
  u64 = (value: bigint): void => this.fixed(8, (b) => b.writeBigUInt64LE(value))
  i64 = (value: bigint): void => this.fixed(8, (b) => b.writeBigInt64LE(value))

  string(value: string): void {
    const text = Buffer.from(value, 'utf8')
    this.u32(text.length)
    this.parts.push(text)
  }

  finish(): Buffer {
    return Buffer.concat(this.parts)
  }

  private fixed(length: number, write: (buffer: Buffer) => void): void {
    const buffer = Buffer.alloc(length)
    write(buffer)
    this.parts.push(buffer)
  }
}
