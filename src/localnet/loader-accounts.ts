import { deploymentAccounts } from '../../program/deploy-accounts.ts'
import type { Pubkey } from '../domain/pubkey.ts'
import type { Account } from './vm/account.ts'

export { programDataAddress } from '../../program/deploy-accounts.ts'

export interface ProgramDeployment {
  readonly programId: Pubkey
  readonly elf: Uint8Array
  readonly upgradeAuthority: Pubkey
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
