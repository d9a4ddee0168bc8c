import { DYNAMIC_SECTION_SIZE, dynamicSection, dynamicTables } from './dynamic.ts'
import { align8, ELF, SECTION_FLAG, SECTION_TYPE } from './elf.ts'
import { isLoaded, type ObjectFile, parseObject, type Section } from './object.ts'
import { type PlacedSection, relocate } from './relocate.ts'
import { FIRST_OFFSET, type OutputSection, writeSharedObject } from './shared-object.ts'

/** Links one relocatable BPF object into a shared object for the Solana loader (SBPF version 0). */
export function link(objectBytes: Buffer): Buffer {
  const object = parseObject(objectBytes)
  const text = { section: textOf(object), offset: FIRST_OFFSET }
  const rodataAt = align8(FIRST_OFFSET + text.section.data.length)
  const constants: PlacedSection[] = []
  let rodataEnd = rodataAt
  for (const section of object.sections.filter(isRodata)) {
    constants.push({ section, offset: rodataEnd })
    rodataEnd = align8(rodataEnd + section.data.length)
  }
  const syscalls = relocate(object, [text, ...constants])
  const rodata = Buffer.alloc(rodataEnd - rodataAt)
  for (const { section, offset } of constants) rodata.set(section.data, offset - rodataAt)
  const entry = text.offset + entrypointOf(object, text.section)
  const tables = dynamicTables(syscalls, text.offset, { address: entry, section: 1 })
  const dynamicAt = rodataEnd
  const symbols = dynamicAt + DYNAMIC_SECTION_SIZE
  const strings = symbols + tables.symbols.length
  const relocations = align8(strings + tables.strings.length)
  const { alloc, exec, write } = SECTION_FLAG
  const sections: OutputSection[] = [
    { name: '.text', type: 1, flags: alloc | exec, offset: text.offset, data: text.section.data },
    { name: '.rodata', type: 1, flags: alloc, offset: rodataAt, data: rodata },
    {
      name: '.dynamic',
      type: SECTION_TYPE.dynamic,
      flags: alloc | write,
      offset: dynamicAt,
      data: dynamicSection({ symbols, strings, relocations }, tables),
      link: 5,
      entrySize: ELF.dynamicEntrySize,
    },
    {
      name: '.dynsym',
      type: SECTION_TYPE.dynsym,
      flags: alloc,
      offset: symbols,
      data: tables.symbols,
      link: 5,
      entrySize: ELF.symbolSize,
    },
    { name: '.dynstr', type: SECTION_TYPE.strtab, flags: alloc, offset: strings, data: tables.strings },
    {
      name: '.rel.dyn',
      type: SECTION_TYPE.rel,
      flags: alloc,
      offset: relocations,
      data: tables.relocations,
      link: 4,
      entrySize: ELF.relocationSize,
    },
  ]
  return writeSharedObject(sections, entry)
}

function isRodata(section: Section): boolean {
  return isLoaded(section) && section.name.startsWith('.rodata')
}

function textOf({ sections }: ObjectFile): Section {
  const text = sections.find((section) => section.name === '.text')
  if (text === undefined) throw new Error('the object has no code')
  // The loader refuses writable globals.
  const other = sections.find((each) => isLoaded(each) && each !== text && !isRodata(each))
  if (other !== undefined) throw new Error(`the section ${other.name} cannot be linked`)
  return text
}

function entrypointOf(object: ObjectFile, text: Section): number {
  const symbol = object.symbols.find((each) => each.name === 'entrypoint' && each.section === text.index)
  if (symbol === undefined) throw new Error('the object defines no entrypoint')
  return symbol.value
}
