import type { LedgerView } from '../../bank/ledger-view.ts'
import type { Block } from '../../bank/block.ts'
import { configuredView, type RpcContext, type RpcMethod } from '../context.ts'
import { asInteger, Config, type Params } from '../params.ts'
import { blockNotAvailable, invalidParams, slotSkipped, slotSkippedLongTerm } from '../rpc-error.ts'
import { encodeTransaction, encodeTransactionAccounts, transactionEncoding } from '../transaction-encoding.ts'

const MAX_RANGE = 500_000

export const blockMethods: Readonly<Record<string, RpcMethod>> = {
  getBlock: (context, params) => {
    const slot = params.integer(0, 'slot')
    const config = params.config(1)
    const detail = config.choice('transactionDetails', ['full', 'signatures', 'none', 'accounts']) ?? 'full'
    const encoding = transactionEncoding(config)
    const rewards = config.value('rewards') === undefined || config.flag('rewards') ? { rewards: [] } : {}
    const block = finishedBlock(context, slot, historyView(context, config), slotSkipped)
    const { blockhash, previousBlockhash, parentSlot, height, time } = block
    const answer = {
      blockhash,
      previousBlockhash,
      parentSlot,
      blockHeight: height,
      blockTime: time,
      ...rewards,
    }
    if (detail === 'none') return answer
    const records = context.store.transactions
      .inBlock(slot)
      .filter((each) => !context.faults.isHidden(each.signature, slot))
    if (detail === 'signatures') return { ...answer, signatures: records.map((each) => each.signature) }
    const encode = (each: (typeof records)[number]): unknown =>
      detail === 'full'
        ? encodeTransaction(each, encoding)
        : encodeTransactionAccounts(each, encoding.maxVersion)
    return { ...answer, transactions: records.map(encode) }
  },
  getBlockTime: (context, params) => {
    const slot = params.integer(0, 'slot')
    if (slot === context.bank.slot) return context.bank.slotTime
    return finishedBlock(context, slot, context.bank.view('confirmed'), slotSkippedLongTerm).time
  },
  getBlocks: (context, params) => {
    const first = params.integer(0, 'startSlot')
    const [end, config] = optionalEnd(params)
    const view = historyView(context, config)
    const last = Math.min(end ?? view.slot, view.slot)
    if ((end ?? last) - first > MAX_RANGE) throw invalidParams(`Slot range too large; max ${MAX_RANGE}`)
    return context.store.blocks.slots(first, last, MAX_RANGE)
  },
  getBlocksWithLimit: (context, params) => {
    const first = params.integer(0, 'startSlot')
    const limit = params.integer(1, 'limit')
    if (limit > MAX_RANGE) throw invalidParams(`Limit too large; max ${MAX_RANGE}`)
    return context.store.blocks.slots(first, historyView(context, params.config(2)).slot, limit)
  },
  getFirstAvailableBlock: () => 0,
  minimumLedgerSlot: () => 0,
}

function historyView(context: RpcContext, config: Config): LedgerView {
  if (config.commitment() === 'processed') {
    throw invalidParams('Method does not support commitment below `confirmed`')
  }
  return configuredView(context, config)
}

function finishedBlock(
  context: RpcContext,
  slot: number,
  view: LedgerView,
  skipped: (slot: number) => Error,
): Block {
  if (slot > view.slot) throw blockNotAvailable(slot)
  const block = context.store.blocks.find(slot)
  if (block === null) throw skipped(slot)
  return block
}

// The end slot may be left out, with the configuration in its place.
function optionalEnd(params: Params): [number | undefined, Config] {
  const second = params.value(1)
  if (second === undefined || typeof second === 'object') {
    return [undefined, new Config(second ?? params.value(2))]
  }
  return [asInteger(second, 'endSlot'), params.config(2)]
}
