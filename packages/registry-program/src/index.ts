export * from './admin-instructions.ts'
export { type RegistryAddresses, registryAddresses } from './addresses.ts'
export { camelCase } from './borsh.ts'
export * from './codec.ts'
export * from './enums.ts'
export { type Idl, idlOf, type IdlInstruction, registryIdl } from './idl.ts'
export { registryInstruction } from './instructions.ts'
export { onchainIdlAccounts } from './onchain-idl.ts'
export type * from './types.ts'

/** The ELF file of the program. */
export const PROGRAM_FILE = new URL('../registry.so', import.meta.url)
