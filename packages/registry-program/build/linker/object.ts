import { ELF, SECTION_FLAG, SECTION_TYPE } from './elf.ts'

export interface Section {
  index: number
  name: string
  type: number
  flags: number
  /** For relocations: the index of the section that they change. */
  target: number
  data: Buffer
}

export interface ElfSymbol {
  name: string
  /** The index of the section that defines the symbol, or 0 if it is undefined. */
  section: number
  value: number
}

export interface Relocation {
  offset: number
  type: number
  symbol: ElfSymbol
}

export interface ObjectFile {
  sections: Section[]
  symbols: ElfSymbol[]
  relocationsOf(section: Section): Relocation[]
}

/** Reads a relocatable ELF64 object of the BPF back end. */
export function parseObject(file: Buffer): ObjectFile {
  if (file.readUInt32BE(0) !== 0x7f454c46) throw new Error('not an ELF file')
  if (file.readUInt16LE(16) !== ELF.typeRelocatable || file.readUInt16LE(18) !== ELF.machineBpf)
    throw new Error('not a relocatable BPF object')
  const sections = readSections(file)
  const table = sections.find((section) => section.type === SECTION_TYPE.symtab)
  if (table === undefined) throw new Error('the object has no symbol table')
  const symbols = readSymbols(table.data, sections)
  return {
    sections,
    symbols,
    relocationsOf: (section) =>
      sections
        .filter((each) => each.type === SECTION_TYPE.rel && each.target === section.index)
        .flatMap((each) => readRelocations(each.data, symbols)),
  }
}

export function isLoaded(section: Section): boolean {
  return (section.flags & SECTION_FLAG.alloc) !== 0
}

function readSections(file: Buffer): Section[] {
  const start = Number(file.readBigUInt64LE(40))
  const count = file.readUInt16LE(60)
  const headers = Array.from({ length: count }, (_, i) =>
    file.subarray(start + i * ELF.sectionHeaderSize, start + (i + 1) * ELF.sectionHeaderSize),
  )
  const bytesOf = (header: Buffer): Buffer => {
    const offset = Number(header.readBigUInt64LE(24))
    return Buffer.from(file.subarray(offset, offset + Number(header.readBigUInt64LE(32))))
  }
  const namesHeader = headers[file.readUInt16LE(62)]
  const names = namesHeader === undefined ? Buffer.alloc(0) : bytesOf(namesHeader)
  return headers.map((header, index) => ({
    index,
    name: textAt(names, header.readUInt32LE(0)),
    type: header.readUInt32LE(4),
    flags: Number(header.readBigUInt64LE(8)),
    target: header.readUInt32LE(44),
    data: bytesOf(header),
  }))
}

function readSymbols(table: Buffer, sections: Section[]): ElfSymbol[] {
  const names = sections.find((section) => section.name === '.strtab')?.data ?? Buffer.alloc(0)
  return Array.from({ length: table.length / ELF.symbolSize }, (_, i) => {
    const at = i * ELF.symbolSize
    return {
      name: textAt(names, table.readUInt32LE(at)),
      section: table.readUInt16LE(at + 6),
      value: Number(table.readBigUInt64LE(at + 8)),
    }
  })
}

function readRelocations(data: Buffer, symbols: ElfSymbol[]): Relocation[] {
  return Array.from({ length: data.length / ELF.relocationSize }, (_, i) => {
    const at = i * ELF.relocationSize
    const symbol = symbols[data.readUInt32LE(at + 12)]
    if (symbol === undefined) throw new Error('a relocation names an unknown symbol')
    return { offset: Number(data.readBigUInt64LE(at)), type: data.readUInt32LE(at + 8), symbol }
  })
}

function textAt(strings: Buffer, offset: number): string {
  return strings.toString('latin1', offset, strings.indexOf(0, offset))
}
