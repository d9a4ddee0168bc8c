import type { Pubkey } from '@agent-registry/solana'
import type { Clock } from '../platform/clock.ts'
import { cachedValue } from '../platform/async/cached-value.ts'
import { SPONSOR_POLICY } from './policy.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'

const MICRO = 1_000_000n

/** What the ledger says of money, in lamports; shared for a moment. Throw LedgerRpcError where the node does not answer. */
export interface Costs {
  /** Rent of the account that a registration creates. */
  rent(): Promise<bigint>
  /** Of the fee payer, confirmed. */
  balance(): Promise<bigint>
}

export function createCosts(rpc: LedgerCalls, clock: Clock, feePayer: Pubkey): Costs {
  const rent = cachedValue({
    clock,
    freshMs: 60_000,
    maxAgeMs: 600_000,
    load: async () =>
      BigInt(
        await rpc.call<number>('getMinimumBalanceForRentExemption', [
          SPONSOR_POLICY.registration.creates.bytes,
          { commitment: 'confirmed' },
        ]),
      ),
  })
  const balance = cachedValue({
    clock,
    freshMs: 500,
    maxAgeMs: 1_500,
    load: async () => {
      const { value } = await rpc.call<{ value: number }>('getBalance', [
        feePayer,
        { commitment: 'confirmed' },
      ])
      return BigInt(value)
    },
  })
  return { rent: () => rent.get(), balance: () => balance.get() }
}

/** Lamports that the network takes: for each signature, and the priority fee, rounded up. */
export function networkFee(signatures: number, budget: { limit: number; price: bigint }): bigint {
  const priority = (BigInt(budget.limit) * budget.price + MICRO - 1n) / MICRO
  return BigInt(signatures) * BigInt(SPONSOR_POLICY.lamportsPerSignature) + priority
}

/** The most that a transaction of this kind can cost the fee payer. */
export function maxCost(kind: 'registration' | 'transaction', rent: bigint): bigint {
  const limit = SPONSOR_POLICY[kind].maxComputeUnits
  const fee = networkFee(SPONSOR_POLICY.maxSignatures, {
    limit,
    price: BigInt(SPONSOR_POLICY.maxPriorityFee),
  })
  return kind === 'registration' ? rent + fee : fee
}
