import { programAddress, type Pubkey, pubkeyBytes } from '@agent-registry/solana'

export type RegistryAddresses = ReturnType<typeof registryAddresses>

/** The program-derived addresses of a registry. */
export function registryAddresses(programId: Pubkey) {
  const derive = (seed: string, ...keys: Pubkey[]): Pubkey =>
    programAddress(programId, [Buffer.from(seed), ...keys.map(pubkeyBytes)])
  return {
    programId,
    config: () => derive('config'),
    agent: (owner: Pubkey) => derive('agent', owner),
    stake: (agent: Pubkey) => derive('stake', agent),
    vault: (agent: Pubkey) => derive('vault', agent),
    withdrawal: (stake: Pubkey) => derive('withdrawal', stake),
    reporter: (authority: Pubkey) => derive('reporter', authority),
    /** Signs the events that the program sends to itself. */
    eventAuthority: () => derive('__event_authority'),
    deactivationRecord: (owner: Pubkey) => derive('deactivated', owner),
  }
}
