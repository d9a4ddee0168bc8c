import { isComplete, type RpcTransaction } from '../decode/rpc-transaction.ts'
import type { RpcCall } from '../rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../rpc/rpc-error.ts'

/**
 * What a node's result lacks and another node may have: nodes keep histories of different length.
 */
interface MissingResult {
  /** The call that asks another node for it. */
  call: RpcCall
  /** The result, completed with that node's result. */
  merge: (other: unknown) => unknown
  /** Callers treat the absence as final, so every node must have been asked. */
  isDecisive: boolean
}

/** The node cannot answer yet, or does not have the data (any more). Another node may. */
const MAY_SUCCEED_ELSEWHERE = new Set([-32004, -32005, -32007, -32009, -32014, -32016, -32001, -32603])

export function maySucceedElsewhere(error: LedgerRpcError): boolean {
  return error.isRateLimit || MAY_SUCCEED_ELSEWHERE.has(error.code ?? 0)
}

/** Null if the result is complete. */
export function findMissing(call: RpcCall, result: unknown): MissingResult | null {
  const whole: MissingResult = { call, merge: (other) => other, isDecisive: false }
  if (result instanceof LedgerRpcError) return maySucceedElsewhere(result) ? whole : null
  if (call.method === 'getTransaction') {
    const transaction = result as RpcTransaction | null
    // The indexer does not use a transaction without its outcome and inner instructions.
    const isServed = transaction !== null && (transaction.meta === undefined || isComplete(transaction))
    return isServed ? null : { ...whole, merge: (other) => other ?? result }
  }
  if (call.method === 'getSignaturesForAddress') return endOfListing(whole, result)
  if (call.method === 'getSignatureStatuses') return unknownStatuses(call, result)
  return null
}

/** A node lists nothing before its own history, nor before a transaction that it does not have. */
function endOfListing(whole: MissingResult, result: unknown): MissingResult | null {
  const { before, until, minContextSlot } = (whole.call.params[1] ?? {}) as ListingConfig
  if (!Array.isArray(result)) return null
  const last = (result as { signature: string }[]).at(-1)
  if (last !== undefined && (before === undefined || last.signature !== before)) return null
  // A caller that names the slot to be listed relies on an empty first page, too.
  const isDecisive = until === undefined && (before !== undefined || minContextSlot !== undefined)
  return { ...whole, isDecisive }
}

interface ListingConfig {
  before?: string
  until?: string
  minContextSlot?: number
}

interface Statuses {
  value: unknown[]
}

/** Without a search of the history, nodes know recent statuses only, and null means nothing. */
function unknownStatuses({ method, params }: RpcCall, result: unknown): MissingResult | null {
  const [signatures, config] = params as [string[], { searchTransactionHistory?: boolean } | undefined]
  const known = result as Statuses | null
  if (config?.searchTransactionHistory !== true || !Array.isArray(known?.value)) return null
  const missing = signatures.flatMap((_, i) => ((known.value[i] ?? null) === null ? [i] : []))
  if (missing.length === 0) return null
  return {
    call: { method, params: [missing.map((i) => signatures[i]), config] },
    merge: (other) => {
      const value = [...known.value]
      for (const [at, i] of missing.entries()) value[i] = (other as Statuses).value[at] ?? null
      return { ...known, value }
    },
    isDecisive: true,
  }
}
