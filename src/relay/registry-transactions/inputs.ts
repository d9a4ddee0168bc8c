import type { PriorityLevel } from '../policy.ts'

interface Prepared {
  /** base-58. The owner signs and pays. */
  readonly ownerPubkey: string
  readonly priorityLevel?: PriorityLevel | null
}

export interface RegisterAgentInput extends Prepared {
  /** 1 to 32 bytes of UTF-8. */
  readonly name: string
  readonly serviceCategory: string
  /** 1 to 200 bytes. */
  readonly agentCardUrl: string
  /** SHA-256 of the agent card, 64 hex digits. */
  readonly agentCardHash: string
}

/** What is left out stays as it is. URL and hash of the card change together. */
export interface UpdateAgentInput extends Prepared {
  readonly name?: string | null
  readonly serviceCategory?: string | null
  /** u64 bit mask in decimal. */
  readonly capabilities?: string | null
  /** 0 to 16 bytes. */
  readonly version?: string | null
  readonly agentCardUrl?: string | null
  readonly agentCardHash?: string | null
}

export interface AmountInput extends Prepared {
  /** USDC base units (6 decimals), u64 in decimal. */
  readonly amount: string
}
