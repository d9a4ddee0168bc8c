import { FILE_TYPE, LAYOUT, MACHINE_BPF, SECTION_FLAG, SECTION_TYPE, sizeOf, unpack } from './elf.ts'

export type ObjectFile = ReturnType<typeof parseObject>
export type Section = ObjectFile['sections'][number]
export type ElfSymbol = ObjectFile['symbols'][number]
export type Relocation = Section['relocations'][number]

/** Reads a relocatable ELF64 object of the BPF back end. */
export function parseObject(file: Buffer) {
  if (file.readUInt32BE(0) !== 0x7f454c46) throw new Error('not an ELF file')
  if (file.readUInt16LE(16) !== FILE_TYPE.relocatable || file.readUInt16LE(18) !== MACHINE_BPF)
    throw new Error('not a relocatable BPF object')
  const raw = readSections(file)
  const names = raw[file.readUInt16LE(62)]
  const symbolTable = raw.find((each) => each.type === SECTION_TYPE.symtab)
  const symbolNames = symbolTable && raw[symbolTable.link]
  if (names === undefined || symbolNames === undefined) throw new Error('the object has no symbol table')
  const symbols = unpack(LAYOUT.symbol, symbolTable!.data).map(
    // `section` is the index of the section that defines the symbol, or 0 if it is undefined.
    ([name = 0, , , section = 0, value = 0]) => ({ name: textAt(symbolNames.data, name), section, value }),
  )
  const sections = raw.map(({ nameOffset, flags, data }, index) => ({
    index,
    name: textAt(names.data, nameOffset),
    isLoaded: (flags & SECTION_FLAG.alloc) !== 0,
    data,
    relocations: raw
      .filter((each) => each.type === SECTION_TYPE.rel && each.target === index)
      .flatMap((each) => unpack(LAYOUT.relocation, each.data))
      .map(([offset = 0, type = 0, symbol = 0]) => ({ offset, type, symbol: symbols[symbol]! })),
  }))
  return { sections, symbols }
}

function readSections(file: Buffer) {
  const start = Number(file.readBigUInt64LE(40))
  const end = start + file.readUInt16LE(60) * sizeOf(LAYOUT.sectionHeader)
  return unpack(LAYOUT.sectionHeader, file.subarray(start, end)).map(
    // `link` of a symbol table is its string table. `target` of relocations is the section they
    // change.
    ([nameOffset = 0, type = 0, flags = 0, , offset = 0, size = 0, link = 0, target = 0]) => {
      const data = Buffer.from(file.subarray(offset, offset + size))
      return { nameOffset, type, flags, link, target, data }
    },
  )
}

function textAt(strings: Buffer, offset: number): string {
  return strings.toString('latin1', offset, strings.indexOf(0, offset))
}
