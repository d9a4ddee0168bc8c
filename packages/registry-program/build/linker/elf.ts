/** Constants of the ELF64 format. */
export const ELF = {
  headerSize: 64,
  programHeaderSize: 56,
  sectionHeaderSize: 64,
  symbolSize: 24,
  relocationSize: 16,
  dynamicEntrySize: 16,
  machineBpf: 247,
  typeRelocatable: 1,
  typeShared: 3,
} as const

export const SECTION_TYPE = { progbits: 1, symtab: 2, strtab: 3, dynamic: 6, rel: 9, dynsym: 11 } as const
export const SECTION_FLAG = { write: 1, alloc: 2, exec: 4 } as const
export const SEGMENT_TYPE = { load: 1, dynamic: 2 } as const
export const SEGMENT_FLAG = { exec: 1, write: 2, read: 4 } as const

/** The relocations of the BPF back end: a 64-bit immediate, a 64-bit word, a call. */
export const RELOCATION = { immediate: 1, word: 2, call: 10 } as const

export const DYNAMIC_TAG = {
  null: 0,
  strtab: 5,
  symtab: 6,
  strsz: 10,
  syment: 11,
  rel: 17,
  relsz: 18,
  relent: 19,
  textrel: 22,
  flags: 30,
} as const

/** The loader maps the file at this address. */
export const PROGRAM_BASE = 0x1_0000_0000n
/** The bytes of one VM instruction. A 64-bit immediate uses two instructions. */
export const INSTRUCTION_SIZE = 8

export function align8(offset: number): number {
  return (offset + 7) & ~7
}
