import { programDataAddress } from './addresses.ts'
import { UPGRADEABLE_LOADER } from './program-ids.ts'
import { type Pubkey, pubkeyBytes } from './pubkey.ts'

/** An account without its lamports, which must be at least the rent-exempt minimum for the data. */
export interface AccountImage {
  address: Pubkey
  owner: Pubkey
  executable: boolean
  data: Uint8Array
}

export interface Deployment {
  programId: Pubkey
  /** The program's ELF file. */
  elf: Uint8Array
  /** The key that may upgrade the program. */
  authority: Pubkey
  /** The slot of the deployment. The program runs in later slots. */
  slot: bigint
}

const PROGRAM_VARIANT = 2
const PROGRAM_DATA_VARIANT = 3
const PROGRAM_SIZE = 36
const PROGRAM_DATA_HEADER = 45

/** The two accounts that exist after the upgradeable loader has deployed a program. */
export function deploymentAccounts(deployment: Deployment): {
  program: AccountImage
  programData: AccountImage
} {
  const { programId, elf, authority, slot } = deployment
  const address = programDataAddress(programId)
  const program = Buffer.alloc(PROGRAM_SIZE)
  program.writeUInt32LE(PROGRAM_VARIANT)
  program.set(pubkeyBytes(address), 4)
  const programData = Buffer.alloc(PROGRAM_DATA_HEADER + elf.length)
  programData.writeUInt32LE(PROGRAM_DATA_VARIANT)
  programData.writeBigUInt64LE(slot, 4)
  // The tag of an optional key: 1 means that an upgrade authority follows.
  programData.writeUInt8(1, 12)
  programData.set(pubkeyBytes(authority), 13)
  programData.set(elf, PROGRAM_DATA_HEADER)
  const owner = UPGRADEABLE_LOADER
  return {
    program: { address: programId, owner, executable: true, data: program },
    programData: { address, owner, executable: false, data: programData },
  }
}
