import {
  ASSOCIATED_TOKEN_PROGRAM,
  MEMO_PROGRAMS,
  type Pubkey,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@agent-registry/solana'

export const PRIORITY_LEVELS = ['low', 'medium', 'high'] as const
export type PriorityLevel = (typeof PRIORITY_LEVELS)[number]

/** A preparation reads accounts, simulates and decodes: see `bench/unit-costs`. */
export const PREPARE_UNITS = 3

/** The limits of a relayed transaction. */
export const RELAY_POLICY = {
  maxInstructions: 16,
  /** Size of a transaction with its signatures: what fits in one network packet. */
  maxTransactionBytes: 1_232,
  /** The most that a node accepts in one getRecentPrioritizationFees. */
  maxFeeAccounts: 128,
  /** Compute-unit limit = units that the simulation used * headroom, between floor and cap. */
  computeUnits: { headroomPercent: 120, floor: 1_000, cap: 1_400_000 },
  /** Micro-lamports per compute unit. Percentiles of the sorted samples, one per recent slot. */
  priorityFee: {
    low: { percentile: 25, floor: 0 },
    medium: { percentile: 50, floor: 1_000 },
    high: { percentile: 75, floor: 10_000 },
    ceiling: 1_000_000,
  },
  /** Wallets insert assertions of the Lighthouse program. Instructions 0 and 1 write accounts. */
  lighthouse: { maxInstructions: 8, firstAssertion: 2, lastAssertion: 15 },
} as const

/** Milliseconds. */
export const RELAY_TIMING = {
  /** Between two status requests for a transaction that is not confirmed. */
  pollMs: 400,
  /** Between two status requests for a transaction that only has to be finalized or to expire. */
  finalityPollMs: 2_000,
  /** Between two sends of the same bytes. */
  resendMs: 2_000,
  /** How long a process owns a row that it claimed. Longer than one call of the node can take. */
  leaseMs: 20_000,
  /** Between two reads of the table while no transaction is open. */
  idlePollMs: 1_000,
}
export type RelayTiming = Readonly<typeof RELAY_TIMING>

/** Anybody can prepare a transaction of a busy wallet, so a search of one costs few calls. */
export const SEARCH_LIMITS = {
  /** Per pass. */
  rows: 256,
  rowsPerPayer: 64,
  /** Calls of a pass, without the first page of each fee payer. Cheap searches come first. */
  calls: 200,
  /** Per fee payer. */
  pages: 3,
  verifications: 2_000,
  fetches: 10,
  concurrentPayers: 4,
  /** Searches without a result, about one hour, until the outcome is reported as unknown. */
  attempts: 18,
  /** The longest wait between two searches, as a multiple of `finalityPollMs`. */
  maxBackoff: 150,
} as const

/** Limits of the comparison with transactions that the indexer sees. */
export const SEEN_LIMITS = {
  /** Transactions that wait for the comparison. */
  waiting: 1_000,
  /** Failed transactions that are read, of those that waited together. */
  fetches: 20,
} as const

/** Programs that a relayed transaction may call, unless RELAY_ALLOWED_PROGRAMS replaces them. */
export function defaultAllowedPrograms(registryProgram: Pubkey): Pubkey[] {
  return [
    registryProgram,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAM,
    TOKEN_2022_PROGRAM,
    ASSOCIATED_TOKEN_PROGRAM,
    ...MEMO_PROGRAMS,
  ]
}
