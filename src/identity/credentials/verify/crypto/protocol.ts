import type { Pubkey } from '@agent-registry/solana'
import type { Suite } from '../checks/parse-proof.ts'

/** What a worker is asked. Its form has been checked; only canonicalisation and cryptography are left. */
export interface CryptoTask {
  /** The whole credential in JCS form. */
  readonly credential: string
  /** Of each proof in turn. */
  readonly proofs: readonly { readonly suite: Suite; readonly key: Pubkey }[]
}

export interface CryptoVerdict {
  readonly valid: boolean
  /** What is wrong; empty where nothing is. */
  readonly problem: string
  /** Hex SHA-256 over what the proofs sign; null where that could not be made out. */
  readonly contentHash: string | null
}

/** What a worker says: once that it is ready, then a verdict for each task. */
export interface WorkerMessage {
  /** null: ready. */
  readonly verdict: CryptoVerdict | null
  /** CPU time that the thread has used since it began, ms. */
  readonly cpuMs: number
}

/** What became of a task. Undecided: stopped at a limit, which says nothing of the credential. */
export type CryptoOutcome =
  | { readonly outcome: 'decided'; readonly verdict: CryptoVerdict }
  | { readonly outcome: 'undecided'; readonly reason: string }
