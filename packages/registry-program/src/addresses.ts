import { PublicKey } from '@solana/web3.js'
import { pubkey, type Pubkey } from '@agent-registry/solana'

/** The program-derived addresses of the registry (program/README.md, "Accounts"). */
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
  const program = new PublicKey(programId)
  const derive = (seed: string, ...keys: Pubkey[]): Pubkey =>
    pubkey(
      PublicKey.findProgramAddressSync(
        [Buffer.from(seed), ...keys.map((key) => new PublicKey(key).toBytes())],
        program,
      )[0].toBase58(),
    )
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
