export * from './admin-instructions.ts'
export { type RegistryAddresses, registryAddresses } from './addresses.ts'
export * from './codec.ts'
export * from './generated/types.ts'
export * from './idl.ts'
export { registryInstruction } from './instructions.ts'
export { onchainIdlAccounts } from './onchain-idl.ts'

/** The ELF file of the program. */
export const PROGRAM_FILE = new URL('../registry.so', import.meta.url)
