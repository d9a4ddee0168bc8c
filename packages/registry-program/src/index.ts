export * from './account-bytes.ts'
export * from './addresses.ts'
export * from './enums.ts'
export { camelCase, codecOf } from './idl/codec.ts'
export * from './idl/types.ts'
export * from './registry-codec.ts'
export * from './registry-instructions.ts'
export * from './registry-types.ts'

/** The program as the upgradeable loader takes it, an ELF file. */
export const PROGRAM_FILE = new URL('../registry.so', import.meta.url)
