import type { Idl } from '@agent-registry/program'
import type { Pubkey } from '@agent-registry/solana'
import { OperatorError } from '../platform/process/operator-error.ts'
import { DomainError } from '../domain/errors.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import { createSlotTime } from '../ledger/rpc/ledger-probe.ts'
import { cachedValue } from '../platform/async/cached-value.ts'
import type { Clock } from '../platform/clock.ts'
import { createLedgerState, readRent } from './ledger-state.ts'

/** The accounts of an instruction that the wallet signs for: names and positions in the IDL. */
export type WalletAccounts = Readonly<Record<string, number>>

/**
 * What the fee payer's money may be spent on. Accounts have the IDL's name and position. The
 * service does not start if the table does not fit the IDL (`checkPolicyTable`).
 */
export const SPONSOR_POLICY = {
  /**
   * A registration is exactly this instruction. The fee payer is its account `payer` and no other
   * account. It pays the network fee and the rent of the account `creates`.
   */
  registration: {
    instruction: 'register_agent',
    payer: { name: 'payer', index: 0 },
    wallet: { owner: 1 },
    /** `bytes` is what the program allocates. The ledger says what its rent is. */
    creates: { name: 'agent', index: 2, bytes: 421 },
    maxComputeUnits: 60_000,
    /**
     * A registration that lands and fails returns the use of its code, because its owner may not be
     * the cause. After this number of failures of a code, each failure is a use.
     */
    freeFailuresPerCode: 3,
  },
  /**
   * Other transactions have only these instructions, each signed by the same wallet and for its
   * own agent. The fee payer is none of their accounts and pays the network fee. The wallet pays
   * the rent of new accounts.
   */
  transaction: {
    instructions: {
      update_agent: { owner: 0 },
      suspend_agent: { authority: 0 },
      reactivate_agent: { authority: 0 },
      deposit: { payer: 0, owner: 1 },
      request_withdrawal: { owner: 0 },
      cancel_withdrawal: { owner: 0 },
      complete_withdrawal: { owner: 0 },
    },
    maxInstructions: 4,
    maxComputeUnits: 150_000,
    /** Percent of the daily budget. They need no code, and leave the rest to registrations. */
    budgetShare: 50,
  },
  /** The signatures of the fee payer and the wallet. */
  maxSignatures: 2,
  lamportsPerSignature: 5_000,
  /** Micro-lamports per compute unit. A higher priority level is lowered to it. */
  maxPriorityFee: 100_000,
  /** The most lamports that one transaction may cost, whatever the rent is. */
  maxLamports: 10_000_000,
} as const

/** The sponsorship policy does not fit the registry's IDL. */
export class PolicyError extends OperatorError {
  override readonly name = 'PolicyError'
}

interface NamedAccount {
  readonly name: string
  readonly index: number
}

/** The part of SPONSOR_POLICY that depends on the IDL. */
interface PolicyTable {
  readonly registration: {
    readonly instruction: string
    readonly payer: NamedAccount
    readonly wallet: WalletAccounts
    readonly creates: NamedAccount
  }
  readonly transaction: { readonly instructions: Readonly<Record<string, WalletAccounts>> }
}

/** Throws PolicyError with all differences: a new version can change the accounts. */
export function checkPolicyTable({ registration, transaction }: PolicyTable, idl: Idl): void {
  const problems: string[] = []
  const { payer, wallet, creates } = registration
  const signers: Record<string, WalletAccounts> = {
    ...transaction.instructions,
    [registration.instruction]: { [payer.name]: payer.index, ...wallet },
  }
  for (const [name, expected] of Object.entries(signers)) {
    const instruction = idl.instructions.find((each) => each.name === name)
    if (instruction === undefined) {
      problems.push(`the IDL has no instruction ${name}`)
      continue
    }
    const actual = instruction.accounts.flatMap((each, i) =>
      each.signer === true ? [`${each.name} ${i}`] : [],
    )
    const wanted = Object.entries(expected)
      .toSorted(([, a], [, b]) => a - b)
      .map(([account, i]) => `${account} ${i}`)
    if (actual.join() !== wanted.join())
      problems.push(`${name} is signed by ${actual.join(', ')}, not ${wanted.join(', ')}`)
    for (const account of name === registration.instruction ? [payer, creates] : []) {
      const found = instruction.accounts[account.index]
      if (found?.name !== account.name || found.writable !== true)
        problems.push(`account ${account.index} of ${name} is not ${account.name}, writable`)
    }
  }
  if (Object.hasOwn(transaction.instructions, registration.instruction))
    problems.push(`the payer of ${registration.instruction} pays rent`)
  if (problems.length > 0)
    throw new PolicyError(`The sponsorship policy does not fit the registry: ${problems.join('; ')}`)
}

const MICRO = 1_000_000n

export type LedgerAmounts = ReturnType<typeof createLedgerAmounts>

/** Cached amounts from the ledger, in lamports. `get` throws LedgerRpcError if no node responds. */
export function createLedgerAmounts(rpc: LedgerCalls, clock: Clock, feePayer: Pubkey) {
  const commitment = 'confirmed'
  const ledger = createLedgerState(rpc, clock)
  return {
    /** The rent of the account that a registration creates. */
    agentRent: (): Promise<bigint> => ledger.rentExemption(SPONSOR_POLICY.registration.creates.bytes),
    /** Reads the ledger in place of the cache: the rent can have changed since the preparation. */
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
