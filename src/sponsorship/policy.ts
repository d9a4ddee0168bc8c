/**
 * What the fee payer's money may be spent on: all of it, in one place. Accounts are given by the IDL's name and position; a table that
 * does not fit the IDL stops the service at its start (check-table.ts).
 */
export const SPONSOR_POLICY = {
  /**
   * A registration: exactly this instruction and nothing beside it. The fee payer stands in the account `payer` and nowhere else, and pays
   * the network fee and the rent of the account `creates`.
   */
  registration: {
    instruction: 'register_agent',
    payer: { name: 'payer', index: 0 },
    wallet: { owner: 1 },
    /** `bytes`: what the program allocates; its rent is asked of the ledger. */
    creates: { name: 'agent', index: 2, bytes: 421 },
    maxComputeUnits: 60_000,
  },
  /**
   * Any other sponsored transaction: these instructions, each signed by one and the same wallet in the accounts given. The fee payer stands
   * in no account and pays the network fee. What a first deposit or a withdrawal request allocates is paid by the wallet.
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
    /** Of the day's budget, in percent. Whoever has an agent can ask for transactions, and shall not use up what is for registrations. */
    budgetShare: 50,
  },
  /** The fee payer's and the wallet's. */
  maxSignatures: 2,
  lamportsPerSignature: 5_000,
  /** Micro-lamports per compute unit; a dearer priority level is lowered to it. */
  maxPriorityFee: 100_000,
  /** The most that one transaction may take from the fee payer, whatever the ledger says rent is. */
  maxLamports: 10_000_000,
  /** In any 24 hours, for one client address (IPv6: one /64). Open reservations and what failed at the cost of its fee count. */
  registrationsPerClient: 5,
} as const satisfies SponsorPolicy

/** IDL account names of an instruction that the wallet signs for, with their positions. */
export type WalletAccounts = Readonly<Record<string, number>>

export interface SponsorPolicy {
  registration: {
    instruction: string
    payer: { name: string; index: number }
    wallet: WalletAccounts
    creates: { name: string; index: number; bytes: number }
    maxComputeUnits: number
  }
  transaction: {
    instructions: Readonly<Record<string, WalletAccounts>>
    maxInstructions: number
    maxComputeUnits: number
    budgetShare: number
  }
  maxSignatures: number
  lamportsPerSignature: number
  maxPriorityFee: number
  maxLamports: number
  registrationsPerClient: number
}
