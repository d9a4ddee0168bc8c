import { parseObject, type Section } from './object.ts'
import { type PlacedSection, relocate } from './relocate.ts'
import { align8, TEXT_OFFSET, writeSharedObject } from './shared-object.ts'

/** Links one relocatable BPF object into a shared object for the Solana loader (SBPF version 0). */
export function link(objectBytes: Buffer): Buffer {
  const { sections, symbols } = parseObject(objectBytes)
  const text = sections.find((section) => section.name === '.text')
  if (text === undefined) throw new Error('the object has no code')
  // The loader refuses writable globals.
  const other = sections.find((each) => each.isLoaded && each !== text && !isRodata(each))
  if (other !== undefined) throw new Error(`the section ${other.name} cannot be linked`)
  const entry = symbols.find((each) => each.name === 'entrypoint' && each.section === text.index)
  if (entry === undefined) throw new Error('the object defines no entrypoint')

  const rodataOffset = align8(TEXT_OFFSET + text.data.length)
  const constants: PlacedSection[] = []
  let end = rodataOffset
  for (const section of sections.filter(isRodata)) {
    constants.push({ section, offset: end })
    end = align8(end + section.data.length)
  }
  const syscalls = relocate([{ section: text, offset: TEXT_OFFSET }, ...constants])
  const rodata = Buffer.alloc(end - rodataOffset)
  for (const { section, offset } of constants) rodata.set(section.data, offset - rodataOffset)
  return writeSharedObject({ text: text.data, rodata, entrypoint: TEXT_OFFSET + entry.value, syscalls })
}

function isRodata(section: Section): boolean {
  return section.isLoaded && section.name.startsWith('.rodata')
}
