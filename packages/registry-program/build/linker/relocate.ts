import { RELOCATION } from './elf.ts'
import type { ElfSymbol, Relocation, Section } from './object.ts'

/** The loader maps the file at this address. */
const PROGRAM_BASE = 0x1_0000_0000n
/** The bytes of one VM instruction. A 64-bit immediate uses two instructions. */
const INSTRUCTION_SIZE = 8

export interface Syscall {
  /** The offset of the call in the text section. */
  offset: number
  name: string
}

/** A section of the object, and its offset in the output file. */
export interface PlacedSection {
  section: Section
  offset: number
}

/**
 * Writes the final addresses into the data of the sections. A call to an undefined symbol is a
 * syscall, which the loader resolves.
 * @returns the syscalls
 */
export function relocate(placed: PlacedSection[]): Syscall[] {
  const offsets = new Map(placed.map(({ section, offset }) => [section.index, offset]))
  const syscalls: Syscall[] = []
  for (const { section } of placed) {
    for (const relocation of section.relocations) {
      const { offset, type, symbol } = relocation
      if (type === RELOCATION.call && symbol.section === 0) syscalls.push({ offset, name: symbol.name })
      else apply(section, relocation, offsets)
    }
  }
  return syscalls
}

function apply(section: Section, relocation: Relocation, offsets: Map<number, number>): void {
  const { offset, type, symbol } = relocation
  const { data } = section
  if (type === RELOCATION.immediate) {
    const address = addressOf(symbol, offsets) + BigInt(data.readUInt32LE(offset + 4))
    data.writeUInt32LE(Number(address & 0xffff_ffffn), offset + 4)
    data.writeUInt32LE(Number(address >> 32n), offset + 4 + INSTRUCTION_SIZE)
  } else if (type === RELOCATION.word) {
    data.writeBigUInt64LE(addressOf(symbol, offsets) + data.readBigUInt64LE(offset), offset)
  } else if (type === RELOCATION.call && symbol.section === section.index) {
    // The immediate is the number of the target minus 1 for a section symbol, and -1 for a
    // function.
    const target = symbol.value / INSTRUCTION_SIZE + data.readInt32LE(offset + 4) + 1
    data.writeInt32LE(target - offset / INSTRUCTION_SIZE - 1, offset + 4)
  } else {
    throw new Error(`cannot apply relocation ${type} to ${symbol.name} in ${section.name}`)
  }
}

function addressOf(symbol: ElfSymbol, offsets: Map<number, number>): bigint {
  const offset = offsets.get(symbol.section)
  if (offset === undefined) throw new Error(`${symbol.name} is not in a loaded section`)
  return PROGRAM_BASE + BigInt(offset + symbol.value)
}
