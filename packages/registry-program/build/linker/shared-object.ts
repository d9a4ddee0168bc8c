import { align8, ELF, SEGMENT_FLAG, SEGMENT_TYPE } from './elf.ts'

export interface OutputSection {
  name: string
  type: number
  flags: number
  offset: number
  data: Buffer
  link?: number
  entrySize?: number
}

const VERSION = 1
const LITTLE_ENDIAN_64 = [0x7f, 0x45, 0x4c, 0x46, 2, 1, VERSION]

/** The offset of the first section, after the file header and three program headers. */
export const FIRST_OFFSET = ELF.headerSize + 3 * ELF.programHeaderSize

/**
 * Writes an ELF64 shared object in which every address equals its file offset. The segments are
 * .text, the sections after it, and .dynamic.
 * @param sections in file order. The section with their names is added.
 */
export function writeSharedObject(sections: OutputSection[], entry: number): Buffer {
  const names = Buffer.from(
    `\0${[...sections.map((each) => each.name), '.shstrtab', ''].join('\0')}`,
    'latin1',
  )
  const last = sections.at(-1)
  if (last === undefined) throw new Error('nothing to write')
  const namesAt = last.offset + last.data.length
  const all = [...sections, { name: '.shstrtab', type: 3, flags: 0, offset: namesAt, data: names }]
  const headersAt = align8(namesAt + names.length)
  const file = Buffer.alloc(headersAt + (all.length + 1) * ELF.sectionHeaderSize)
  file.set(LITTLE_ENDIAN_64)
  file.writeUInt16LE(ELF.typeShared, 16)
  file.writeUInt16LE(ELF.machineBpf, 18)
  file.writeUInt32LE(VERSION, 20)
  file.writeBigUInt64LE(BigInt(entry), 24)
  file.writeBigUInt64LE(BigInt(ELF.headerSize), 32)
  file.writeBigUInt64LE(BigInt(headersAt), 40)
  const sizes = [ELF.headerSize, ELF.programHeaderSize, 3, ELF.sectionHeaderSize, all.length + 1, all.length]
  for (const [i, size] of sizes.entries()) file.writeUInt16LE(size, 52 + 2 * i)
  writeSegments(file, sections)
  for (const [i, section] of all.entries()) {
    file.set(section.data, section.offset)
    writeSectionHeader(file, headersAt + (i + 1) * ELF.sectionHeaderSize, section, names)
  }
  return file
}

function writeSegments(file: Buffer, sections: OutputSection[]): void {
  const [text, ...rest] = sections
  const dynamic = sections.find((each) => each.name === '.dynamic')
  const [first, last] = [rest[0], rest.at(-1)]
  if (!text || !dynamic || !first || !last) throw new Error('a section is missing')
  const size = last.offset + last.data.length - first.offset
  const segments = [
    [SEGMENT_TYPE.load, SEGMENT_FLAG.read | SEGMENT_FLAG.exec, text.offset, text.data.length],
    [SEGMENT_TYPE.load, SEGMENT_FLAG.read, first.offset, size],
    [SEGMENT_TYPE.dynamic, SEGMENT_FLAG.read, dynamic.offset, dynamic.data.length],
  ] as const
  for (const [i, [type, flags, offset, length]] of segments.entries()) {
    const at = ELF.headerSize + i * ELF.programHeaderSize
    file.writeUInt32LE(type, at)
    file.writeUInt32LE(flags, at + 4)
    for (const place of [8, 16, 24]) file.writeBigUInt64LE(BigInt(offset), at + place)
    for (const place of [32, 40]) file.writeBigUInt64LE(BigInt(length), at + place)
    file.writeBigUInt64LE(8n, at + 48)
  }
}

function writeSectionHeader(file: Buffer, at: number, section: OutputSection, names: Buffer): void {
  file.writeUInt32LE(names.indexOf(`\0${section.name}\0`) + 1, at)
  file.writeUInt32LE(section.type, at + 4)
  file.writeBigUInt64LE(BigInt(section.flags), at + 8)
  file.writeBigUInt64LE(section.flags === 0 ? 0n : BigInt(section.offset), at + 16)
  file.writeBigUInt64LE(BigInt(section.offset), at + 24)
  file.writeBigUInt64LE(BigInt(section.data.length), at + 32)
  file.writeUInt32LE(section.link ?? 0, at + 40)
  file.writeBigUInt64LE(section.flags === 0 ? 1n : 8n, at + 48)
  file.writeBigUInt64LE(BigInt(section.entrySize ?? 0), at + 56)
}
