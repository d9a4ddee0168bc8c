import type { Message } from '@agent-registry/solana'
import type { TransactionFailure } from '../domain/transaction-status.ts'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'
import { transactionErrorText } from './transaction-error-text.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'

/**
 * accepted: a node has it. refused: the node ran it and will not send it. early: the node does not know its blockhash, as one that
 * is behind; not sent. unknown: it may have been sent, or not.
 */
export type SendOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'early' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly failure: TransactionFailure }

const PREFLIGHT_FAILURE = -32_002

export interface SendOptions {
  /** base64. */
  readonly signedTx: string
  readonly message: Message
  readonly registryProgram: string
  /** Whether the node shall run it first, and tell instead of sending what would fail. */
  readonly preflight: boolean
}

/** Hands the bytes to the node once; nothing but these bytes is ever sent for a transaction. */
export async function send(rpc: LedgerCalls, options: SendOptions): Promise<SendOutcome> {
  const { signedTx, preflight } = options
  try {
    await rpc.call('sendTransaction', [
      signedTx,
      {
        encoding: 'base64',
        // The commitment of the blockhash: a node that looks at `finalized` would not know it yet.
        preflightCommitment: 'confirmed',
        skipPreflight: !preflight,
        maxRetries: 0,
      },
    ])
    return { kind: 'accepted' }
  } catch (error) {
    if (!(error instanceof LedgerRpcError)) throw error
    return error.kind === 'rpc' && error.code === PREFLIGHT_FAILURE
      ? refusal(error, options)
      : { kind: 'unknown' }
  }
}

function refusal({ data }: LedgerRpcError, { message, registryProgram }: SendOptions): SendOutcome {
  const { err, logs } = (data ?? {}) as { err?: unknown; logs?: string[] | null }
  if (err === 'AlreadyProcessed') return { kind: 'accepted' }
  if (err === 'BlockhashNotFound') return { kind: 'early' }
  if (err === undefined || err === null) return { kind: 'unknown' }
  return {
    kind: 'refused',
    failure: {
      code: 'simulation_failed',
      message: transactionErrorText(err, programsOf(message), registryProgram),
      logs: logs ?? [],
    },
  }
}

/** The programs that a message calls, in order. */
export function programsOf({ instructions, staticKeys }: Message): string[] {
  return instructions.map(({ programIdIndex }) => staticKeys[programIdIndex] ?? '')
}
