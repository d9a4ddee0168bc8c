import { PublicKey } from '@solana/web3.js'
import { UPGRADEABLE_LOADER } from './program-ids.ts'
import { type Pubkey, pubkey, pubkeyBytes } from './pubkey.ts'

/** An account as the ledger stores it; lamports are the caller's, at least the rent-exempt minimum of the data. */
export interface AccountImage {
  address: Pubkey
  owner: Pubkey
  executable: boolean
  data: Uint8Array
}

export interface Deployment {
  programId: Pubkey
  /** The ELF file, program/registry.so. */
  elf: Uint8Array
  /** May upgrade the program, and alone may initialise the registry. */
  authority: Pubkey
  /** The slot of the deployment; the program runs in later slots. */
  slot: bigint
}

const PROGRAM_VARIANT = 2
const PROGRAM_DATA_VARIANT = 3
const PROGRAM_SIZE = 36
const PROGRAM_DATA_HEADER = 45

/** Where the upgradeable loader keeps a program's code and upgrade authority. */
export function programDataAddress(programId: Pubkey): Pubkey {
  const seeds = [pubkeyBytes(programId)]
  return pubkey(PublicKey.findProgramAddressSync(seeds, new PublicKey(UPGRADEABLE_LOADER))[0].toBase58())
}

/** The two accounts that a deployment by the upgradeable loader leaves: the program and its ProgramData. */
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
  programData.writeUInt8(1, 12)
  programData.set(pubkeyBytes(authority), 13)
  programData.set(elf, PROGRAM_DATA_HEADER)
  const owner = UPGRADEABLE_LOADER
  return {
    program: { address: programId, owner, executable: true, data: program },
    programData: { address, owner, executable: false, data: programData },
  }
}
