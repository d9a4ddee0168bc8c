import type { Pubkey } from '@agent-registry/solana'
import type { Suite } from '../checks/parse-proof.ts'

/** The task of a worker thread: canonicalise a well-formed credential and verify its signatures. */
export interface CryptoTask {
  /** The whole credential in JCS form. */
  readonly credential: string
  /** The suite and key of each proof, in order. */
  readonly proofs: readonly { readonly suite: Suite; readonly key: Pubkey }[]
}

export interface CryptoVerdict {
  readonly valid: boolean
  /** Empty if valid. */
  readonly problem: string
}

/** A worker sends this once when it is ready, and then for each task. */
export interface WorkerMessage {
  /** Null: the worker is ready. */
  readonly verdict: CryptoVerdict | null
  /** CPU time of the thread since its start, in milliseconds. */
  readonly cpuMs: number
}

/** `undecided`: the task was stopped, which says nothing about the credential. */
export type CryptoOutcome =
  | { readonly outcome: 'decided'; readonly verdict: CryptoVerdict }
  | { readonly outcome: 'undecided'; readonly reason: string }
