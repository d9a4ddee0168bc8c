/** The accounts of an instruction that the wallet signs for: names and positions in the IDL. */
export type WalletAccounts = Readonly<Record<string, number>>

/**
 * What the fee payer's money may be spent on. Accounts have the IDL's name and position. The
 * service does not start if the table does not fit the IDL (check-table.ts).
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
    /**
     * Percent of the daily budget. They need no code, so they must leave the rest to registrations.
     */
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
