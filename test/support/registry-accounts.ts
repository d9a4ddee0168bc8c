import type { Account } from '@agent-registry/localnet'
import { encodeAccount, registryAddresses } from '@agent-registry/program'
import { type Pubkey, UPGRADEABLE_LOADER } from '@agent-registry/solana'
import { keyOf } from './factories.ts'

const account = (owner: Pubkey, data: Uint8Array, executable = false): Account => ({
  lamports: 1_000_000_000n,
  owner,
  data,
  executable,
  rentEpoch: 0n,
})

/** The program account, without code, and the config account of an initialized registry. */
export function registryAccounts(program: Pubkey): [[Pubkey, Account], [Pubkey, Account]] {
  const config = encodeAccount({
    name: 'RegistryConfig',
    data: {
      admin: keyOf('admin'),
      usdcMint: keyOf('usdc'),
      treasury: keyOf('treasury'),
      tierThresholds: [0n, 100n, 500n, 1_000n],
      cooldownSeconds: 604_800n,
      paused: false,
      bump: 255,
    },
  })
  return [
    [program, account(UPGRADEABLE_LOADER, new Uint8Array(36), true)],
    [registryAddresses(program).config(), account(program, config)],
  ]
}
