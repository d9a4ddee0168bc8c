import type { CheckedRequest, InstructionsInput } from './check-instructions.ts'
import type { PriorityLevel } from './policy.ts'
import type { NewTransaction } from './transaction-store.ts'

export interface PrepareInput extends InstructionsInput {
  readonly priorityLevel?: string | null
  readonly sponsored?: boolean | null
}

export interface PreparedTransaction {
  readonly id: string
  /** base64 of the transaction. Its signatures are zeros. */
  readonly serializedTx: string
  readonly blockhash: string
  readonly lastValidBlockHeight: number
  /** The compute-unit limit of the transaction. */
  readonly estimatedComputeUnits: number
  /** Micro-lamports per compute unit. */
  readonly priorityFee: number
  readonly feePayer: string
  readonly sponsored: boolean
}

export interface BuiltTransaction {
  readonly prepared: PreparedTransaction
  /** Must be stored before the client gets the transaction. */
  readonly row: NewTransaction
}

export interface BuildOptions {
  readonly id: string
  readonly level: PriorityLevel
  readonly sponsored: boolean
  /** Micro-lamports per compute unit. */
  readonly maxPrice?: number
  /** Throws a more specific error than the relay's own. `err` is null for success. */
  readonly checkSimulation?: (err: unknown, unitLimit: number) => void
}

export type BuildTransaction = (request: CheckedRequest, options: BuildOptions) => Promise<BuiltTransaction>
