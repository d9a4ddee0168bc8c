/** Bytes of a value. */
export interface Bytes {
  bytes: Buffer
  from: number
  to: number
}

/** Typed arrays, so that a thread can hand them over. */
export interface PackedData {
  /** The number of values of a row. */
  readonly fields: number
  readonly chunks: Buffer[]
  /** Bytes in the last chunk that have been used. */
  used: number
  /** By slot, in units of bytes. One more than that, so that 0 is a slot without a row. */
  offsets: Uint32Array
  /** Unused offsets by size. */
  readonly free: Map<number, number[]>
}

const CHUNK = 2 ** 20
const UNIT = 8
/** Tells that four bytes with the length follow. Shorter texts have their length plus one here. */
const LONG = 255
const COPY_HEADER = 19
const ZERO = '0'.charCodeAt(0)

/**
 * Rows as bytes outside the heap of JavaScript, so that garbage collections do not look at them. A
 * row is the texts of its values, each after its length.
 */
export class PackedRows {
  readonly data: PackedData
  readonly #one: Bytes = noBytes()
  readonly #other: Bytes = noBytes()
  #scratch = Buffer.alloc(4_096)

  constructor(data: PackedData) {
    this.data = data
    // A thread hands over Buffers as plain arrays.
    for (const [i, { buffer }] of data.chunks.entries()) data.chunks[i] = Buffer.from(buffer)
  }

  get capacity(): number {
    return this.data.offsets.length
  }

  setCapacity(capacity: number): void {
    const { offsets } = this.data
    this.data.offsets = new Uint32Array(capacity)
    this.data.offsets.set(offsets.subarray(0, capacity))
  }

  get bytes(): number {
    return Math.max(this.data.chunks.length - 1, 0) * CHUNK + this.data.used
  }

  has(slot: number): boolean {
    return this.data.offsets[slot]! > 0
  }

  put(slot: number, values: readonly unknown[]): void {
    this.#reserve(values.reduce<number>((size, value) => size + 5 + 3 * String(value).length, 0))
    let at = 0
    for (const value of values) {
      if (value === null) this.#scratch[at++] = 0
      else at = this.#writeLength(Buffer.byteLength(value as string), at)
      if (value !== null) at += this.#scratch.write(value as string, at)
    }
    this.#store(slot, at)
  }

  /** Adds a row in the form of `copy … (format binary)`, of texts only. False if it is the end. */
  putCopied(slot: number, message: Buffer): boolean {
    // The first row follows the header of the format.
    let from = message[0] === 'P'.charCodeAt(0) ? COPY_HEADER + message.readInt32BE(COPY_HEADER - 4) : 0
    const count = message.readInt16BE(from)
    if (count < 0) return false
    from += 2
    this.#reserve(message.length + count)
    const scratch = this.#scratch
    let at = 0
    for (let i = 0; i < count; i++) {
      const length = message.readInt32BE(from)
      from += 4
      if (length < 0) scratch[at++] = 0
      else {
        at = this.#writeLength(length, at)
        // Faster than `copy` for short texts.
        for (const end = from + length; from < end;) scratch[at++] = message[from++]!
      }
    }
    this.#store(slot, at)
    return true
  }

  remove(slot: number): void {
    const { free, offsets } = this.data
    const size = this.#sizeOf(slot)
    const known = free.get(size)
    if (known === undefined) free.set(size, [offsets[slot]!])
    else known.push(offsets[slot]!)
    offsets[slot] = 0
  }

  /** The texts of a row. */
  read(slot: number): (string | null)[] {
    const start = this.#startOf(slot, this.#one)
    const { bytes } = this.#one
    const end = this.#endOf(bytes, start)
    const whole = bytes.toString('latin1', start, end)
    const texts: (string | null)[] = []
    let at = start
    for (let i = 0; i < this.data.fields; i++) {
      at = bounds(this.#one, at)
      const { from, to } = this.#one
      if (to < from) texts.push(null)
      else if (isAscii(bytes, from, to)) texts.push(whole.slice(from - start, to - start))
      else texts.push(bytes.toString('utf8', from, to))
    }
    return texts
  }

  /** One text of a row. */
  text(slot: number, field: number): string | null {
    const { bytes, from, to } = this.find(slot, field)
    return to < from ? null : bytes.toString('utf8', from, to)
  }

  number(slot: number, field: number): number {
    const { bytes, from, to } = this.find(slot, field)
    let number = 0
    // Faster than `Number` for whole numbers.
    for (let at = from; at < to; at++) {
      const digit = bytes[at]! - ZERO
      if (digit < 0 || digit > 9) return Number(this.text(slot, field))
      number = number * 10 + digit
    }
    return number
  }

  /** A value of a row. If it is null, it ends before it begins. Valid until the next call. */
  find(slot: number, field: number, into: Bytes = this.#one): Bytes {
    let at = this.#startOf(slot, into)
    for (let i = 0; i <= field; i++) at = bounds(into, at)
    return into
  }

  /** Compares values of two rows. */
  compare(one: number, other: number, field: number): number {
    return compareBytes(this.find(one, field), this.find(other, field, this.#other))
  }

  #startOf(slot: number, into: Bytes): number {
    const offset = (this.data.offsets[slot]! - 1) * UNIT
    into.bytes = this.data.chunks[Math.floor(offset / CHUNK)]!
    return offset % CHUNK
  }

  #endOf(bytes: Uint8Array, start: number): number {
    let at = start
    for (let i = 0; i < this.data.fields; i++) {
      const first = bytes[at]!
      at += first === 0 ? 1 : first === LONG ? 5 + longLength(bytes, at) : first
    }
    return at
  }

  /** In units. */
  #sizeOf(slot: number): number {
    const start = this.#startOf(slot, this.#one)
    return Math.ceil((this.#endOf(this.#one.bytes, start) - start) / UNIT)
  }

  #reserve(size: number): void {
    if (size > this.#scratch.length) this.#scratch = Buffer.alloc(size * 2)
  }

  #writeLength(length: number, at: number): number {
    if (length + 1 < LONG) {
      this.#scratch[at] = length + 1
      return at + 1
    }
    this.#scratch[at] = LONG
    return this.#scratch.writeUInt32LE(length, at + 1)
  }

  /** Stores what is in the scratch. */
  #store(slot: number, length: number): void {
    if (slot >= this.capacity) throw new Error('the rows in memory need more room')
    if (length > CHUNK) throw new Error('a row is too long to be in memory')
    const { offsets, free, chunks } = this.data
    const size = Math.ceil(length / UNIT)
    let offset = offsets[slot]!
    if (offset === 0 || this.#sizeOf(slot) !== size) {
      if (offset > 0) this.remove(slot)
      offset = free.get(size)?.pop() ?? this.#append(size)
      offsets[slot] = offset
    }
    const at = (offset - 1) * UNIT
    chunks[Math.floor(at / CHUNK)]!.set(this.#scratch.subarray(0, length), at % CHUNK)
  }

  #append(size: number): number {
    const { data } = this
    if (data.chunks.length === 0 || data.used + size * UNIT > CHUNK) {
      data.chunks.push(Buffer.alloc(CHUNK))
      data.used = 0
    }
    const offset = ((data.chunks.length - 1) * CHUNK + data.used) / UNIT + 1
    data.used += size * UNIT
    return offset
  }
}

/** Sets the bounds of the value at an offset, and returns the offset of the next one. */
function bounds(into: Bytes, at: number): number {
  const first = into.bytes[at]!
  if (first === LONG) {
    into.from = at + 5
    return (into.to = into.from + longLength(into.bytes, at))
  }
  into.from = at + 1
  into.to = at + first
  return first === 0 ? into.from : into.to
}

function longLength(bytes: Uint8Array, at: number): number {
  return bytes[at + 1]! | (bytes[at + 2]! << 8) | (bytes[at + 3]! << 16)
}

function isAscii(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i]! > 127) return false
  return true
}

export const noBytes = (): Bytes => ({ bytes: Buffer.alloc(0), from: 0, to: 0 })

export function bytesOf(text: string): Bytes {
  const bytes = Buffer.from(text)
  return { bytes, from: 0, to: bytes.length }
}

/** Lower case if it folds, as `lower` of ASCII. */
export const byteOf = (byte: number, folds: boolean): number =>
  folds && byte >= 65 && byte <= 90 ? byte + 32 : byte

/** The order of UTF-8, which is that of `collate "C"`. */
export function compareBytes(one: Bytes, other: Bytes, folds = false): number {
  const length = Math.min(one.to - one.from, other.to - other.from)
  const [a, b] = [one.bytes, other.bytes]
  for (let i = one.from, j = other.from, end = i + length; i < end; i++, j++)
    if (a[i] !== b[j]) {
      const difference = byteOf(a[i]!, folds) - byteOf(b[j]!, folds)
      if (difference !== 0) return difference
    }
  return one.to - one.from - (other.to - other.from)
}

export function emptyPackedRows(fields: number, capacity: number): PackedRows {
  return new PackedRows({
    fields,
    chunks: [],
    used: 0,
    offsets: new Uint32Array(capacity),
    free: new Map(),
  })
}
