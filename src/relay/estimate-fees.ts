import { pubkeyParameter } from '../domain/parameters.ts'
import { DomainError } from '../domain/errors.ts'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'
import type { FeeEstimate, FeeSamples } from './fees.ts'
import { RELAY_POLICY } from './policy.ts'

export interface EstimateFeesInput {
  readonly accountKeys?: readonly string[] | null
}

/** Throws ACCOUNT_KEYS_REQUIRED, TOO_MANY_ACCOUNT_KEYS, INVALID_PUBKEY, LEDGER_UNAVAILABLE. */
export async function estimateFees(
  { accountKeys }: EstimateFeesInput,
  fees: FeeSamples,
): Promise<FeeEstimate> {
  if (accountKeys === undefined || accountKeys === null) throw new DomainError('ACCOUNT_KEYS_REQUIRED')
  const max = RELAY_POLICY.maxFeeAccounts
  if (accountKeys.length > max)
    throw new DomainError('TOO_MANY_ACCOUNT_KEYS', { count: accountKeys.length, max })
  const keys = accountKeys.map((key, i) => pubkeyParameter(`accountKeys[${i}]`, key))
  try {
    return await fees.writing([...new Set(keys)])
  } catch (error) {
    if (error instanceof LedgerRpcError) throw new DomainError('LEDGER_UNAVAILABLE', {}, { cause: error })
    throw error
  }
}
