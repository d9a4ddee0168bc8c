import { DYNAMIC_TAG, ELF, RELOCATION } from './elf.ts'
import type { Syscall } from './relocate.ts'

const GLOBAL_FUNCTION = 0x12
const GLOBAL = 0x10
const FLAG_TEXTREL = 4n

export interface DynamicTables {
  symbols: Buffer
  strings: Buffer
  relocations: Buffer
}

/**
 * The tables in which the loader finds the entry point and the syscalls.
 * @param textOffset the offset of .text in the file
 */
export function dynamicTables(
  syscalls: Syscall[],
  textOffset: number,
  entry: { address: number; section: number },
): DynamicTables {
  const names = ['entrypoint', ...new Set(syscalls.map((each) => each.name))]
  const strings = Buffer.from(`\0${names.map((name) => `${name}\0`).join('')}`, 'latin1')
  const symbols = Buffer.alloc(ELF.symbolSize * (names.length + 1))
  for (const [i, name] of names.entries()) {
    const at = (i + 1) * ELF.symbolSize
    symbols.writeUInt32LE(strings.indexOf(`\0${name}\0`) + 1, at)
    symbols.writeUInt8(i === 0 ? GLOBAL_FUNCTION : GLOBAL, at + 4)
    if (i > 0) continue
    symbols.writeUInt16LE(entry.section, at + 6)
    symbols.writeBigUInt64LE(BigInt(entry.address), at + 8)
  }
  const relocations = Buffer.alloc(ELF.relocationSize * syscalls.length)
  for (const [i, { offset, name }] of syscalls.entries()) {
    relocations.writeBigUInt64LE(BigInt(textOffset + offset), i * ELF.relocationSize)
    relocations.writeUInt32LE(RELOCATION.call, i * ELF.relocationSize + 8)
    relocations.writeUInt32LE(names.indexOf(name) + 1, i * ELF.relocationSize + 12)
  }
  return { symbols, strings, relocations }
}

/** The .dynamic section, which contains the offsets of those tables. */
export function dynamicSection(
  at: { symbols: number; strings: number; relocations: number },
  tables: DynamicTables,
): Buffer {
  const entries: [number, bigint][] = [
    [DYNAMIC_TAG.flags, FLAG_TEXTREL],
    [DYNAMIC_TAG.rel, BigInt(at.relocations)],
    [DYNAMIC_TAG.relsz, BigInt(tables.relocations.length)],
    [DYNAMIC_TAG.relent, BigInt(ELF.relocationSize)],
    [DYNAMIC_TAG.symtab, BigInt(at.symbols)],
    [DYNAMIC_TAG.syment, BigInt(ELF.symbolSize)],
    [DYNAMIC_TAG.strtab, BigInt(at.strings)],
    [DYNAMIC_TAG.strsz, BigInt(tables.strings.length)],
    [DYNAMIC_TAG.textrel, 0n],
    [DYNAMIC_TAG.null, 0n],
  ]
  const data = Buffer.alloc(entries.length * ELF.dynamicEntrySize)
  for (const [i, [tag, value]] of entries.entries()) {
    data.writeBigUInt64LE(BigInt(tag), i * ELF.dynamicEntrySize)
    data.writeBigUInt64LE(value, i * ELF.dynamicEntrySize + 8)
  }
  return data
}

export const DYNAMIC_SECTION_SIZE = 10 * ELF.dynamicEntrySize
