import { BLOCKHASH_LIFE } from '../../bank/block.ts'
import { SLOTS_PER_EPOCH } from '../../vm/vm.ts'
import { asPubkey } from '../params.ts'
import { nodeBehind } from '../rpc-error.ts'
import { API_VERSION, configuredView, type RpcMethod, withContext } from '../context.ts'

/** The node and the cluster: versions, slots, heights, blockhashes, fees. */
export const clusterMethods: Readonly<Record<string, RpcMethod>> = {
  getHealth: ({ bank: { lag } }) => {
    if (lag > 0) throw nodeBehind(lag)
    return 'ok'
  },
  getVersion: () => ({ 'solana-core': API_VERSION, 'feature-set': 0 }),
  getGenesisHash: ({ store }) => store.fact('genesisHash'),
  getIdentity: ({ faucet }) => ({ identity: faucet.address }),
  getSlotLeader: ({ faucet }) => faucet.address,
  getSlot: (context, params) => configuredView(context, params.config(0)).slot,
  getBlockHeight: (context, params) => configuredView(context, params.config(0)).height,
  getMinimumBalanceForRentExemption: ({ vm }, params) =>
    vm.minimumBalanceForRentExemption(Math.min(params.integer(0, 'dataLength'), 2 ** 32)),
  getEpochSchedule: () => ({
    slotsPerEpoch: SLOTS_PER_EPOCH,
    leaderScheduleSlotOffset: SLOTS_PER_EPOCH,
    warmup: false,
    firstNormalEpoch: 0,
    firstNormalSlot: 0,
  }),
  getEpochInfo: (context, params) => {
    const { slot, height } = configuredView(context, params.config(0))
    return {
      absoluteSlot: slot,
      blockHeight: height,
      epoch: Math.floor(slot / SLOTS_PER_EPOCH),
      slotIndex: slot % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      transactionCount: context.store.blocks.transactionCount(slot),
    }
  },
  getLatestBlockhash: (context, params) => {
    const view = configuredView(context, params.config(0))
    const { blockhash, height } = view.tip
    return withContext(view, { blockhash, lastValidBlockHeight: height + BLOCKHASH_LIFE })
  },
  isBlockhashValid: (context, params) => {
    const view = configuredView(context, params.config(1))
    return withContext(view, view.isBlockhashValid(asPubkey(params.required(0, 'blockhash'), 'blockhash')))
  },
  getRecentPrioritizationFees: ({ bank }, params) => {
    const accounts = params.value(0) === undefined ? [] : params.list(0, 'accounts', 128)
    return bank.fees.recent(accounts.map((each) => asPubkey(each, 'account')))
  },
}
