import type { Pubkey } from '@agent-registry/solana'
import { DomainError } from '../domain/errors.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import { createSlotTime } from '../ledger/rpc/ledger-probe.ts'
import { cachedValue } from '../platform/async/cached-value.ts'
import type { Clock } from '../platform/clock.ts'
import { createLedgerState, readRent } from '../relay/ledger-state.ts'
import { SPONSOR_POLICY } from './policy.ts'

const MICRO = 1_000_000n

export type LedgerAmounts = ReturnType<typeof createLedgerAmounts>

/** Cached amounts from the ledger, in lamports. `get` throws LedgerRpcError if no node responds. */
export function createLedgerAmounts(rpc: LedgerCalls, clock: Clock, feePayer: Pubkey) {
  const commitment = 'confirmed'
  const ledger = createLedgerState(rpc, clock)
  return {
    /** The rent of the account that a registration creates. */
    agentRent: (): Promise<bigint> => ledger.rentExemption(SPONSOR_POLICY.registration.creates.bytes),
    /** Not from the cache: what is signed must not cost more than the rent of now. */
    agentRentNow: async (): Promise<bigint> =>
      BigInt(await readRent(rpc, SPONSOR_POLICY.registration.creates.bytes)),
    feePayerBalance: cachedValue({
      clock,
      freshMs: 500,
      maxAgeMs: 1_500,
      load: async () => {
        const { value } = await rpc.call<{ value: number }>('getBalance', [feePayer, { commitment }])
        return BigInt(value)
      },
    }),
    head: ledger.head,
    /** Seconds. */
    slotTime: createSlotTime(rpc, clock),
  }
}

/** Lamports: the fee for each signature, and the priority fee, rounded up. */
export function networkFee(signatures: number, unitLimit: number, price: bigint): bigint {
  const priorityFee = (BigInt(unitLimit) * price + MICRO - 1n) / MICRO
  return BigInt(signatures * SPONSOR_POLICY.lamportsPerSignature) + priorityFee
}

/** The most lamports that a transaction of this kind can cost the fee payer. */
export function maxCost(kind: SponsorshipKind, rent: bigint): bigint {
  const { maxSignatures, maxPriorityFee } = SPONSOR_POLICY
  const fee = networkFee(maxSignatures, SPONSOR_POLICY[kind].maxComputeUnits, BigInt(maxPriorityFee))
  return kind === 'registration' ? rent + fee : fee
}

export function costExceeded(amount: bigint | number, unit: string, max: bigint | number): DomainError {
  return new DomainError('SPONSOR_COST_EXCEEDED', { amount: String(amount), unit, max: String(max) })
}
