import type { SignatureRange, TransactionSummary } from '../../store/transaction-table.ts'
import { configuredView, type RpcContext, type RpcMethod, withContext } from '../context.ts'
import { asSignature, type Config } from '../params.ts'
import { invalidParams } from '../rpc-error.ts'
import { encodeTransaction, transactionEncoding } from '../transaction-encoding.ts'

const MAX_SIGNATURES = 1000
const MAX_STATUSES = 256
// Without searchTransactionHistory a node looks only into its cache of recent statuses.
const STATUS_CACHE_SLOTS = 300

/** Reading transactions that are on the ledger. */
export const transactionMethods: Readonly<Record<string, RpcMethod>> = {
  getTransaction: (context, params) => {
    const signature = params.signature(0, 'signature')
    const given = params.value(1)
    // Old clients give the encoding alone.
    const config = typeof given === 'string' ? params.config(2) : params.config(1)
    const encoding = transactionEncoding(config)
    const view = historyView(context, config)
    if (context.faults.isHidden(signature)) return null
    const record = context.store.transactions.find(signature)
    if (record === null || record.slot > view.slot) return null
    const { slot, index, blockTime } = record
    return { slot, transactionIndex: index, blockTime, ...encodeTransaction(record, encoding) }
  },
  getSignaturesForAddress: (context, params) => {
    const address = params.pubkey(0, 'address')
    const config = params.config(1)
    const limit = config.integer('limit') ?? MAX_SIGNATURES
    if (limit === 0 || limit > MAX_SIGNATURES) throw invalidParams(`Invalid limit; max ${MAX_SIGNATURES}`)
    const [before, until] = [config.signature('before'), config.signature('until')]
    const view = historyView(context, config)
    const finalized = context.bank.rootSlot
    const range = { address, maxSlot: view.slot, before, until }
    return shownPage(context, range, limit).map((each) => signatureInfo(each, finalized))
  },
  getSignatureStatuses: (context, params) => {
    const signatures = params
      .list(0, 'signatures', MAX_STATUSES)
      .map((each) => asSignature(each, 'signature'))
    const search = params.config(1).flag('searchTransactionHistory')
    const view = context.bank.view('processed')
    const oldest = search ? 0 : view.slot - STATUS_CACHE_SLOTS
    return withContext(
      view,
      signatures.map((signature) => {
        const status = context.faults.isHidden(signature) ? null : signatureStatus(context, signature)
        return status === null || status.slot < oldest || status.slot > view.slot ? null : status
      }),
    )
  },
  getTransactionCount: (context, params) =>
    context.store.blocks.transactionCount(configuredView(context, params.config(0)).slot),
}

/** A page without what is hidden. Older transactions fill it up: a short page would say that history ends here. */
function shownPage(
  { store, faults }: RpcContext,
  range: SignatureRange,
  limit: number,
): TransactionSummary[] {
  const shown: TransactionSummary[] = []
  for (let { before } = range; ;) {
    const page = store.transactions.page({ ...range, before }, limit)
    shown.push(...page.filter((each) => !faults.isHidden(each.signature, each.slot)))
    if (page.length < limit || shown.length >= limit) return shown.slice(0, limit)
    before = page.at(-1)?.signature
  }
}

/** History is only served from confirmed blocks. */
function historyView(context: RpcContext, config: Config): ReturnType<typeof configuredView> {
  if (config.commitment() === 'processed') {
    throw invalidParams('Method does not support commitment below `confirmed`')
  }
  return configuredView(context, config)
}

function signatureInfo(summary: TransactionSummary, finalized: number): unknown {
  const { signature, slot, index, err, memo, blockTime } = summary
  const confirmationStatus = slot <= finalized ? 'finalized' : 'confirmed'
  return { signature, slot, transactionIndex: index, err, memo, blockTime, confirmationStatus }
}

function signatureStatus({ bank }: RpcContext, signature: string): { slot: number } | null {
  const landed = bank.landed(signature)
  if (landed === null) return null
  const { slot, err } = landed
  const final = slot <= bank.rootSlot
  const settled = final ? 'finalized' : 'confirmed'
  const status = {
    slot,
    confirmations: final ? null : Math.max(0, bank.view('processed').slot - slot),
    err,
    status: err === null ? { Ok: null } : { Err: err },
    confirmationStatus: slot <= bank.view('confirmed').slot ? settled : 'processed',
  }
  return status
}
