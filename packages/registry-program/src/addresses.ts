import { programAddress, type Pubkey, pubkeyBytes } from '@agent-registry/solana'

/** The program-derived addresses of a registry. */
export interface RegistryAddresses {
  readonly programId: Pubkey
  config(): Pubkey
  agent(owner: Pubkey): Pubkey
  stake(agent: Pubkey): Pubkey
  vault(agent: Pubkey): Pubkey
  withdrawal(stake: Pubkey): Pubkey
  reporter(authority: Pubkey): Pubkey
  deactivationRecord(owner: Pubkey): Pubkey
}

export function registryAddresses(programId: Pubkey): RegistryAddresses {
  const derive = (seed: string, ...keys: Pubkey[]): Pubkey =>
    programAddress(programId, [Buffer.from(seed), ...keys.map(pubkeyBytes)])
  return {
    programId,
    config: () => derive('config'),
    agent: (owner) => derive('agent', owner),
    stake: (agent) => derive('stake', agent),
    vault: (agent) => derive('vault', agent),
    withdrawal: (stake) => derive('withdrawal', stake),
    reporter: (authority) => derive('reporter', authority),
    deactivationRecord: (owner) => derive('deactivated', owner),
  }
}
