import { BLOCKHASH_LIFE } from '../../bank/block.ts'
import { SLOTS_PER_EPOCH } from '../../vm/vm.ts'
import { API_VERSION, configuredView, type RpcMethods, withContext } from '../method.ts'
import { asInteger, asPubkey, listOf } from '../params.ts'
import { RpcError } from '../rpc-error.ts'

/** The state of the node and the cluster: versions, slots, heights, blockhashes, fees. */
export const clusterMethods: RpcMethods = {
  getHealth: ({ bank: { lag } }) => {
    if (lag > 0) throw new RpcError(-32005, `Node is behind by ${lag} slots`, { numSlotsBehind: lag })
    return 'ok'
  },
  getVersion: () => ({ 'solana-core': API_VERSION, 'feature-set': 0 }),
  getGenesisHash: ({ store }) => store.fact('genesisHash'),
  getSlot: (ledger, params) => configuredView(ledger, params.config(0)).slot,
  getBlockHeight: (ledger, params) => configuredView(ledger, params.config(0)).height,
  getMinimumBalanceForRentExemption: ({ vm }, params) =>
    vm.minimumBalanceForRentExemption(Math.min(params.required(0, 'dataLength', asInteger), 2 ** 32)),
  getEpochInfo: (ledger, params) => {
    const { slot, height } = configuredView(ledger, params.config(0))
    return {
      absoluteSlot: slot,
      blockHeight: height,
      epoch: Math.floor(slot / SLOTS_PER_EPOCH),
      slotIndex: slot % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      transactionCount: ledger.store.blocks.transactionCount(slot),
    }
  },
  getLatestBlockhash: (ledger, params) => {
    const view = configuredView(ledger, params.config(0))
    const { blockhash, height } = view.tip
    return withContext(view, { blockhash, lastValidBlockHeight: height + BLOCKHASH_LIFE })
  },
  isBlockhashValid: (ledger, params) => {
    const view = configuredView(ledger, params.config(1))
    return withContext(view, view.isBlockhashValid(params.required(0, 'blockhash', asPubkey)))
  },
  getRecentPrioritizationFees: ({ bank }, params) => {
    const readAccounts = listOf(asPubkey, 128, 'account')
    return bank.fees.recent(readAccounts(params.value(0) ?? [], 'accounts'))
  },
}
