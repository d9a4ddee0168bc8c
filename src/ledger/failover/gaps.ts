import type { RpcCall } from '../rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../rpc/rpc-error.ts'

/** What an answer leaves open: another node may know. */
export interface Gap {
  /** What to ask another node for. */
  call: RpcCall
  /** The answer with what that node said. */
  fill: (other: unknown) => unknown
  /** Who believes the answer acts on it for good, so every node has to be asked. */
  isDecisive: boolean
}

/** After these the next node is asked at once: this one cannot answer yet, or has lost what was asked for. */
const ASK_ANOTHER = new Set([-32004, -32005, -32007, -32009, -32014, -32016, -32001, -32603])

/** Whether another node may answer where this one did not. */
export function mayBeKnownElsewhere(error: LedgerRpcError): boolean {
  return error.isRateLimit || ASK_ANOTHER.has(error.code ?? 0)
}

/** Null where the answer leaves nothing open. */
export function gapIn(call: RpcCall, answer: unknown): Gap | null {
  const whole: Gap = { call, fill: (other) => other, isDecisive: false }
  if (answer instanceof LedgerRpcError) return mayBeKnownElsewhere(answer) ? whole : null
  if (call.method === 'getTransaction') return answer === null ? whole : null
  if (call.method === 'getSignaturesForAddress') return endOfListing(whole, answer)
  if (call.method === 'getSignatureStatuses') return unknownStatuses(call, answer)
  return null
}

/** A node shows nothing below its own history, and nothing below a transaction that it does not have. */
function endOfListing(whole: Gap, answer: unknown): Gap | null {
  const { before, until } = (whole.call.params[1] ?? {}) as { before?: string; until?: string }
  if (!Array.isArray(answer)) return null
  const last = (answer as { signature: string }[]).at(-1)
  if (last !== undefined && (before === undefined || last.signature !== before)) return null
  return { ...whole, isDecisive: before !== undefined && until === undefined }
}

interface Statuses {
  value: unknown[]
}

/** Without a search a node tells of recent transactions only, and nothing follows from null. */
function unknownStatuses({ method, params }: RpcCall, answer: unknown): Gap | null {
  const [signatures, config] = params as [string[], { searchTransactionHistory?: boolean } | undefined]
  const known = answer as Statuses | null
  if (config?.searchTransactionHistory !== true || !Array.isArray(known?.value)) return null
  const missing = signatures.flatMap((_, i) => ((known.value[i] ?? null) === null ? [i] : []))
  if (missing.length === 0) return null
  return {
    call: { method, params: [missing.map((i) => signatures[i]), config] },
    fill: (other) => {
      const value = [...known.value]
      for (const [at, i] of missing.entries()) value[i] = (other as Statuses).value[at] ?? null
      return { ...known, value }
    },
    isDecisive: true,
  }
}
