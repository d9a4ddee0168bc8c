import type { RegistryAccount } from './registry-types.ts'

/**
 * The bytes for which the program allocates each account, discriminator included: it takes no other length (`program/src/state`).
 * Agents and reporters hold texts, and zeros after the last field.
 */
export const ACCOUNT_BYTES: Record<RegistryAccount['name'], number> = {
  RegistryConfig: 146,
  Agent: 421,
  Stake: 129,
  WithdrawalRequest: 57,
  ReputationReporter: 119,
  DeactivationRecord: 51,
}
