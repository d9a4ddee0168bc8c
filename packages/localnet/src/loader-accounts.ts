import { deploymentAccounts, type Pubkey, pubkeyFromBytes, UPGRADEABLE_LOADER } from '@agent-registry/solana'
import type { Account } from './vm/account.ts'
export { programDataAddress } from '@agent-registry/solana'

export interface ProgramDeployment {
  readonly programId: Pubkey
  readonly elf: Uint8Array
  readonly upgradeAuthority: Pubkey
}

const PROGRAM_BYTES = 36

/** The data account that an upgradeable program names, if the account is one. */
export function programDataOf(account: Account | null): Pubkey[] {
  if (account?.owner !== UPGRADEABLE_LOADER || !account.executable) return []
  return account.data.length < PROGRAM_BYTES ? [] : [pubkeyFromBytes(account.data.subarray(4, PROGRAM_BYTES))]
}

/** The two accounts of a program deployed at slot 0. The data account comes first: the VM needs it to load the other. */
export function programAccounts(
  { programId, elf, upgradeAuthority }: ProgramDeployment,
  rentFor: (bytes: number) => bigint,
): [Pubkey, Account][] {
  const { program, programData } = deploymentAccounts({
    programId,
    elf,
    authority: upgradeAuthority,
    slot: 0n,
  })
  return [programData, program].map(({ address, owner, executable, data }) => [
    address,
    { lamports: rentFor(data.length), owner, data, executable, rentEpoch: 0n },
  ])
}
