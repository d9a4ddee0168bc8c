import {
  FILE_TYPE,
  LAYOUT,
  MACHINE_BPF,
  pack,
  RELOCATION,
  SECTION_FLAG,
  SECTION_TYPE,
  sizeOf,
} from './elf.ts'
import type { Syscall } from './relocate.ts'

const FILE_HEADER_SIZE = 64
const SEGMENTS = 3
const SEGMENT_TYPE = { load: 1, dynamic: 2 }
const SEGMENT_FLAG = { exec: 1, read: 4 }
const SYMBOL_TYPE = { function: 0x12, undefined: 0x10 }
const DYNAMIC_ENTRIES = 10

/** The offset of the code, which follows the file header and the program headers. */
export const TEXT_OFFSET = FILE_HEADER_SIZE + SEGMENTS * sizeOf(LAYOUT.programHeader)

export interface Program {
  text: Buffer
  rodata: Buffer
  /** Offset in the file. */
  entrypoint: number
  syscalls: Syscall[]
}

interface Section {
  name: string
  type: number
  flags: number
  data: Buffer
  offset: number
  /** The number of a section that this one refers to. */
  link: number
  entrySize: number
}

export function align8(offset: number): number {
  return (offset + 7) & ~7
}

/** Writes an ELF64 shared object in which every address equals its file offset. */
export function writeSharedObject(program: Program): Buffer {
  const sections = createSections(program)
  const names = sections.at(-1)!
  const headersOffset = align8(endOf(names))
  const file = Buffer.alloc(headersOffset + (sections.length + 1) * sizeOf(LAYOUT.sectionHeader))
  file.set(fileHeader(program.entrypoint, headersOffset, sections.length))
  file.set(programHeaders(sections), FILE_HEADER_SIZE)
  for (const { data, offset } of sections) file.set(data, offset)
  const headers = sections.map((section) => sectionHeader(section, names.data))
  // The first header is empty.
  file.set(Buffer.concat(headers), headersOffset + sizeOf(LAYOUT.sectionHeader))
  return file
}

function createSections({ text, rodata, entrypoint, syscalls }: Program): Section[] {
  const { alloc, exec, write } = SECTION_FLAG
  const { progbits, dynamic, dynsym, strtab, rel } = SECTION_TYPE
  const sections: Section[] = []
  const add = (name: string, type: number, flags: number, data: Buffer, link = 0, entrySize = 0): Section => {
    const last = sections.at(-1)
    const offset = last === undefined ? TEXT_OFFSET : align8(endOf(last))
    const section = { name, type, flags, data, offset, link, entrySize }
    sections.push(section)
    return section
  }
  const symbolNames = ['entrypoint', ...new Set(syscalls.map((each) => each.name))]
  const strings = stringTable(symbolNames)
  const dynamicData = Buffer.alloc(DYNAMIC_ENTRIES * sizeOf(LAYOUT.dynamicEntry))
  add('.text', progbits, alloc | exec, text)
  add('.rodata', progbits, alloc, rodata)
  add('.dynamic', dynamic, alloc | write, dynamicData, 5, sizeOf(LAYOUT.dynamicEntry))
  const symbolTable = symbolsOf(symbolNames, strings, entrypoint)
  const symbols = add('.dynsym', dynsym, alloc, symbolTable, 5, sizeOf(LAYOUT.symbol))
  const symbolStrings = add('.dynstr', strtab, alloc, strings)
  const relocationTable = relocationsOf(syscalls, symbolNames)
  const relocations = add('.rel.dyn', rel, alloc, relocationTable, 4, sizeOf(LAYOUT.relocation))
  add('.shstrtab', strtab, 0, stringTable([...sections.map((each) => each.name), '.shstrtab']))
  dynamicData.set(dynamicEntries(symbols, symbolStrings, relocations))
  return sections
}

/**
 * The symbols in which the loader finds the entry point and the syscalls. The first one is empty.
 */
function symbolsOf(names: string[], strings: Buffer, entrypoint: number): Buffer {
  const symbols = names.map((name, i) => {
    const nameOffset = offsetOf(strings, name)
    if (i > 0) return pack(LAYOUT.symbol, nameOffset, SYMBOL_TYPE.undefined)
    return pack(LAYOUT.symbol, nameOffset, SYMBOL_TYPE.function, 0, 1, entrypoint)
  })
  return Buffer.concat([pack(LAYOUT.symbol), ...symbols])
}

function relocationsOf(syscalls: Syscall[], names: string[]): Buffer {
  const relocations = syscalls.map(({ offset, name }) =>
    pack(LAYOUT.relocation, TEXT_OFFSET + offset, RELOCATION.call, names.indexOf(name) + 1),
  )
  return Buffer.concat(relocations)
}

function dynamicEntries(symbols: Section, strings: Section, relocations: Section): Buffer {
  const entries = {
    flags: [30, 4],
    relocations: [17, relocations.offset],
    relocationsSize: [18, relocations.data.length],
    relocationSize: [19, relocations.entrySize],
    symbols: [6, symbols.offset],
    symbolSize: [11, symbols.entrySize],
    strings: [5, strings.offset],
    stringsSize: [10, strings.data.length],
    textRelocations: [22],
    end: [0],
  }
  return Buffer.concat(Object.values(entries).map((entry) => pack(LAYOUT.dynamicEntry, ...entry)))
}

function fileHeader(entrypoint: number, sectionHeaders: number, sections: number): Buffer {
  // 64-bit, little endian, ELF version 1, and padding.
  const identification = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  const file = [FILE_TYPE.shared, MACHINE_BPF, 1, entrypoint, FILE_HEADER_SIZE, sectionHeaders, 0]
  const { programHeader, sectionHeader } = LAYOUT
  const counts = [sizeOf(programHeader), SEGMENTS, sizeOf(sectionHeader), sections + 1, sections]
  return pack('BBBBBBBBBBBBBBBBHHIQQQIHHHHHH', ...identification, ...file, FILE_HEADER_SIZE, ...counts)
}

/** The segments are the code, everything else that is loaded, and the dynamic section. */
function programHeaders(sections: Section[]): Buffer {
  const [text, rodata, dynamic, , , relocations] = sections as [Section, Section, Section, ...Section[]]
  const header = (type: number, flags: number, first: Section, last: Section): Buffer => {
    const { offset } = first
    const size = endOf(last) - offset
    return pack(LAYOUT.programHeader, type, flags, offset, offset, offset, size, size, 8)
  }
  const { read, exec } = SEGMENT_FLAG
  return Buffer.concat([
    header(SEGMENT_TYPE.load, read | exec, text, text),
    header(SEGMENT_TYPE.load, read, rodata, relocations!),
    header(SEGMENT_TYPE.dynamic, read, dynamic, dynamic),
  ])
}

function sectionHeader({ name, type, flags, data, offset, link, entrySize }: Section, names: Buffer): Buffer {
  const [address, alignment] = flags === 0 ? [0, 1] : [offset, 8]
  const position = [address, offset, data.length]
  const references = [link, 0, alignment, entrySize]
  return pack(LAYOUT.sectionHeader, offsetOf(names, name), type, flags, ...position, ...references)
}

function endOf({ offset, data }: Section): number {
  return offset + data.length
}

/** Texts that each end with a zero byte, after an empty one. */
function stringTable(texts: string[]): Buffer {
  return Buffer.from(`\0${texts.map((text) => `${text}\0`).join('')}`, 'latin1')
}

function offsetOf(strings: Buffer, text: string): number {
  return strings.indexOf(`\0${text}\0`) + 1
}
