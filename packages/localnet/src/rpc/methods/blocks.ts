import type { Block } from '../../bank/block.ts'
import type { LedgerView } from '../../bank/ledger-view.ts'
import type { Ledger } from '../../ledger.ts'
import { historyView, type RpcMethods } from '../method.ts'
import { asInteger, Config, type Params } from '../params.ts'
import { invalidParams, RpcError } from '../rpc-error.ts'
import { encodeTransaction, encodeTransactionAccounts, transactionEncoding } from '../transaction-encoding.ts'

const MAX_RANGE = 500_000
const MAX_SAMPLES = 720

export const blockMethods: RpcMethods = {
  getBlock: (ledger, params) => {
    const slot = params.required(0, 'slot', asInteger)
    const config = params.config(1)
    const detail = config.choice('transactionDetails', ['full', 'signatures', 'none', 'accounts']) ?? 'full'
    const encoding = transactionEncoding(config)
    const rewards = config.value('rewards') === undefined || config.flag('rewards') ? { rewards: [] } : {}
    const block = finishedBlock(ledger, slot, historyView(ledger, config))
    if (block === null)
      throw new RpcError(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`)
    const { blockhash, previousBlockhash, parentSlot, height, time } = block
    const header = {
      blockhash,
      previousBlockhash,
      parentSlot,
      blockHeight: height,
      blockTime: time,
      ...rewards,
    }
    if (detail === 'none') return header
    const records = ledger.store.transactions
      .inBlock(slot)
      .filter((each) => !ledger.faults.isHidden(each.signature, slot))
    if (detail === 'signatures') return { ...header, signatures: records.map((each) => each.signature) }
    const encode = detail === 'full' ? encodeTransaction : encodeTransactionAccounts
    return { ...header, transactions: records.map((each) => encode(each, encoding)) }
  },
  getBlockTime: (ledger, params) => {
    const { bank } = ledger
    const slot = params.required(0, 'slot', asInteger)
    if (slot === bank.slot) return bank.slotTime
    const block = finishedBlock(ledger, slot, bank.view('confirmed'))
    if (block === null)
      throw new RpcError(-32009, `Slot ${slot} was skipped, or missing in long-term storage`)
    return block.time
  },
  getBlocks: (ledger, params) => {
    const first = params.required(0, 'startSlot', asInteger)
    const [end, config] = optionalEnd(params)
    const view = historyView(ledger, config)
    const last = Math.min(end ?? view.slot, view.slot)
    if ((end ?? last) - first > MAX_RANGE) throw invalidParams(`Slot range too large; max ${MAX_RANGE}`)
    return ledger.store.blocks.slots(first, last, MAX_RANGE)
  },
  getBlocksWithLimit: (ledger, params) => {
    const first = params.required(0, 'startSlot', asInteger)
    const limit = params.required(1, 'limit', asInteger)
    if (limit > MAX_RANGE) throw invalidParams(`Limit too large; max ${MAX_RANGE}`)
    return ledger.store.blocks.slots(first, historyView(ledger, params.config(2)).slot, limit)
  },
  getRecentPerformanceSamples: ({ bank, store }, params) => {
    const limit = asInteger(params.value(0) ?? MAX_SAMPLES, 'limit')
    if (limit > MAX_SAMPLES) throw invalidParams(`Invalid limit; max ${MAX_SAMPLES}`)
    return store.blocks.minutes(bank.slotTime, limit).map(({ slot, numSlots, numTransactions }) => ({
      slot,
      numSlots,
      numTransactions,
      numNonVoteTransactions: numTransactions,
      samplePeriodSecs: 60,
    }))
  },
}

/** Returns null if the slot was skipped. */
function finishedBlock({ store }: Ledger, slot: number, view: LedgerView): Block | null {
  if (slot > view.slot) throw new RpcError(-32004, `Block not available for slot ${slot}`)
  return store.blocks.find(slot)
}

// The end slot is optional. Without it, the configuration may be in its place.
function optionalEnd(params: Params): [number | undefined, Config] {
  const second = params.value(1)
  if (second === undefined || typeof second === 'object') {
    return [undefined, new Config(second ?? params.value(2))]
  }
  return [asInteger(second, 'endSlot'), params.config(2)]
}
