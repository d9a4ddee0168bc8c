/** The parts of the ELF64 format that the linker reads and writes. */
export const FILE_TYPE = { relocatable: 1, shared: 3 }
export const MACHINE_BPF = 247
export const SECTION_TYPE = { progbits: 1, symtab: 2, strtab: 3, dynamic: 6, rel: 9, dynsym: 11 }
export const SECTION_FLAG = { write: 1, alloc: 2, exec: 4 }
/** The relocations of the BPF back end: a 64-bit immediate, a 64-bit word, a call. */
export const RELOCATION = { immediate: 1, word: 2, call: 10 }

/** Layouts of records as in Python's `struct`: B is 1 byte, H 2 bytes, I 4 bytes, Q 8 bytes. */
export const LAYOUT = {
  programHeader: 'IIQQQQQQ',
  sectionHeader: 'IIQQQQIIQQ',
  symbol: 'IBBHQQ',
  relocation: 'QII',
  dynamicEntry: 'QQ',
}
const FIELD_SIZES: Readonly<Record<string, number>> = { B: 1, H: 2, I: 4, Q: 8 }

export function sizeOf(layout: string): number {
  return Array.from(layout).reduce((size, field) => size + FIELD_SIZES[field]!, 0)
}

/** Encodes a record. Missing values are 0. */
export function pack(layout: string, ...values: number[]): Buffer {
  const fields = Array.from(layout).map((field, i) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(BigInt(values[i] ?? 0))
    return bytes.subarray(0, FIELD_SIZES[field])
  })
  return Buffer.concat(fields)
}

/** Decodes a table of records. */
export function unpack(layout: string, table: Buffer): number[][] {
  let offset = 0
  return Array.from({ length: table.length / sizeOf(layout) }, () =>
    Array.from(layout).map((field) => {
      const bytes = Buffer.alloc(8)
      offset += table.copy(bytes, 0, offset, offset + FIELD_SIZES[field]!)
      return Number(bytes.readBigUInt64LE())
    }),
  )
}
