import { PROGRAM_BASE, RELOCATION, SLOT } from './elf.ts'
import type { ElfSymbol, ObjectFile, Relocation, Section } from './object.ts'

export interface SyscallUse {
  /** Offset of the call in the text section. */
  offset: number
  name: string
}

/** Where a section of the object went: a copy of its bytes and its offset in the output file. */
export interface Placed {
  section: Section
  offset: number
}

/**
 * Writes final addresses into the sections' bytes, in place. Calls to undefined symbols are syscalls: they stay open for
 * the loader and are returned.
 */
export function relocate(object: ObjectFile, placed: Placed[]): SyscallUse[] {
  const offsets = new Map(placed.map(({ section, offset }) => [section.index, offset]))
  const syscalls: SyscallUse[] = []
  for (const { section } of placed) {
    for (const relocation of object.relocationsOf(section)) {
      if (relocation.type === RELOCATION.call && relocation.symbol.section === 0)
        syscalls.push({ offset: relocation.offset, name: relocation.symbol.name })
      else apply(section, relocation, offsets)
    }
  }
  return syscalls
}

function apply(section: Section, relocation: Relocation, offsets: Map<number, number>): void {
  const { offset, type, symbol } = relocation
  const { data } = section
  if (type === RELOCATION.wide) {
    const address = addressOf(symbol, offsets) + BigInt(data.readUInt32LE(offset + 4))
    data.writeUInt32LE(Number(address & 0xffff_ffffn), offset + 4)
    data.writeUInt32LE(Number(address >> 32n), offset + 4 + SLOT)
  } else if (type === RELOCATION.word) {
    data.writeBigUInt64LE(addressOf(symbol, offsets) + data.readBigUInt64LE(offset), offset)
  } else if (type === RELOCATION.call && symbol.section === section.index) {
    // Against the section symbol the immediate holds the target's slot - 1, against the function itself -1.
    const target = symbol.value / SLOT + data.readInt32LE(offset + 4) + 1
    data.writeInt32LE(target - offset / SLOT - 1, offset + 4)
  } else {
    throw new Error(`cannot apply relocation ${type} to ${symbol.name} in ${section.name}`)
  }
}

function addressOf(symbol: ElfSymbol, offsets: Map<number, number>): bigint {
  const offset = offsets.get(symbol.section)
  if (offset === undefined) throw new Error(`${symbol.name} is not in a loaded section`)
  return PROGRAM_BASE + BigInt(offset + symbol.value)
}
