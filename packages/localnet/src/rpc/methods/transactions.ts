import type { Ledger } from '../../ledger.ts'
import type { SignatureRange, TransactionSummary } from '../../store/transaction-table.ts'
import { configuredView, historyView, type RpcMethods, withContext } from '../method.ts'
import { asPubkey, asSignature, listOf } from '../params.ts'
import { invalidParams } from '../rpc-error.ts'
import { encodeTransaction, transactionEncoding } from '../transaction-encoding.ts'

const MAX_SIGNATURES = 1000
const MAX_STATUSES = 256
// Without searchTransactionHistory, a node reads its cache of recent statuses only.
const STATUS_CACHE_SLOTS = 300

/** Methods that read transactions. */
export const transactionMethods: RpcMethods = {
  getTransaction: (ledger, params) => {
    const signature = params.required(0, 'signature', asSignature)
    // Old clients send the encoding without an object.
    const config = params.config(typeof params.value(1) === 'string' ? 2 : 1)
    const encoding = transactionEncoding(config)
    const view = historyView(ledger, config)
    if (ledger.faults.isHidden(signature)) return null
    const record = ledger.store.transactions.find(signature)
    if (record === null || record.slot > view.slot) return null
    const { slot, index, blockTime } = record
    return { slot, transactionIndex: index, blockTime, ...encodeTransaction(record, encoding) }
  },
  getSignaturesForAddress: (ledger, params) => {
    const address = params.required(0, 'address', asPubkey)
    const config = params.config(1)
    const limit = config.integer('limit') ?? MAX_SIGNATURES
    if (limit === 0 || limit > MAX_SIGNATURES) throw invalidParams(`Invalid limit; max ${MAX_SIGNATURES}`)
    const before = config.optional('before', asSignature)
    const until = config.optional('until', asSignature)
    const maxSlot = historyView(ledger, config).slot
    return visiblePage(ledger, { address, maxSlot, before, until }, limit).map((summary) => {
      const { signature, slot, index, err, memo, blockTime } = summary
      const confirmationStatus = slot <= ledger.bank.rootSlot ? 'finalized' : 'confirmed'
      return { signature, slot, transactionIndex: index, err, memo, blockTime, confirmationStatus }
    })
  },
  getSignatureStatuses: (ledger, params) => {
    const signatures = params.required(0, 'signatures', listOf(asSignature, MAX_STATUSES, 'signature'))
    const search = params.config(1).flag('searchTransactionHistory')
    const view = ledger.bank.view('processed')
    const oldest = search ? 0 : view.slot - STATUS_CACHE_SLOTS
    return withContext(
      view,
      signatures.map((signature) => {
        const status = ledger.faults.isHidden(signature) ? null : signatureStatus(ledger, signature)
        return status === null || status.slot < oldest || status.slot > view.slot ? null : status
      }),
    )
  },
  getTransactionCount: (ledger, params) =>
    ledger.store.blocks.transactionCount(configuredView(ledger, params.config(0)).slot),
}

/**
 * A page without hidden transactions. It is filled up, because a short page means the end of
 * history.
 */
function visiblePage({ store, faults }: Ledger, range: SignatureRange, limit: number): TransactionSummary[] {
  const visible: TransactionSummary[] = []
  for (let { before } = range; ;) {
    const page = store.transactions.page({ ...range, before }, limit)
    visible.push(...page.filter((each) => !faults.isHidden(each.signature, each.slot)))
    if (page.length < limit || visible.length >= limit) return visible.slice(0, limit)
    before = page.at(-1)?.signature
  }
}

function signatureStatus({ bank }: Ledger, signature: string): { slot: number } | null {
  const landed = bank.landed(signature)
  if (landed === null) return null
  const { slot, err } = landed
  const reached = (['finalized', 'confirmed'] as const).find((each) => slot <= bank.view(each).slot)
  const status = {
    slot,
    confirmations: reached === 'finalized' ? null : Math.max(0, bank.view('processed').slot - slot),
    err,
    status: err === null ? { Ok: null } : { Err: err },
    confirmationStatus: reached ?? 'processed',
  }
  return status
}
