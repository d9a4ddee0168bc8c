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

/** What the relay carries and how it treats it: every number that decides over a transaction, in one place. */
export const RELAY_POLICY = {
  maxInstructions: 16,
  /** Bytes of one packet on the network: signatures and message. */
  maxTransactionBytes: 1_232,
  /** As many as a node takes in one getRecentPrioritizationFees. */
  maxFeeAccounts: 128,
  computeUnits: {
    /** Limit in the transaction = units of the simulation x headroom, in percent. */
    headroomPercent: 120,
    floor: 1_000,
    cap: 1_400_000,
  },
  /** Micro-lamports per compute unit. The percentile is of the sorted samples, one for each recent slot. */
  priorityFee: {
    low: { percentile: 25, floor: 0 },
    medium: { percentile: 50, floor: 1_000 },
    high: { percentile: 75, floor: 10_000 },
    ceiling: 1_000_000,
  },
  /** Wallets insert assertions of the Lighthouse program; its instructions 0 and 1 write to memory accounts. */
  lighthouse: { maxInstructions: 8, firstAssertion: 2, lastAssertion: 15 },
} as const satisfies RelayPolicy

interface RelayPolicy {
  maxInstructions: number
  maxTransactionBytes: number
  maxFeeAccounts: number
  computeUnits: { headroomPercent: number; floor: number; cap: number }
  priorityFee: Record<PriorityLevel, { percentile: number; floor: number }> & { ceiling: number }
  lighthouse: { maxInstructions: number; firstAssertion: number; lastAssertion: number }
}

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
