import { SLOTS_PER_EPOCH } from '../../vm/vm.ts'
import { API_VERSION, configuredView, type RpcMethods, withContext } from '../method.ts'
import { asConfig, asInteger, asPubkey, Config, listOf } from '../params.ts'
import { invalidParams, RpcError } from '../rpc-error.ts'

const MAX_LEADERS = 5000

/** One validator produces every block. It has no votes, stakes, inflation or snapshots. */
export const validatorMethods: RpcMethods = {
  getIdentity: ({ faucet }) => ({ identity: faucet.address }),
  getSlotLeader: ({ faucet }) => faucet.address,
  getSlotLeaders: ({ faucet }, params) => {
    params.required(0, 'startSlot', asInteger)
    const limit = params.required(1, 'limit', asInteger)
    if (limit > MAX_LEADERS) throw invalidParams(`Invalid limit; max ${MAX_LEADERS}`)
    return Array.from({ length: limit }, () => faucet.address)
  },
  getLeaderSchedule: (ledger, params) => {
    const { faucet } = ledger
    const isConfigFirst = typeof params.value(0) === 'object'
    const config = params.config(isConfigFirst ? 0 : 1)
    const view = configuredView(ledger, config)
    const slot = isConfigFirst ? view.slot : asInteger(params.value(0) ?? view.slot, 'slot')
    // A node knows the leaders of this epoch and of the next one.
    if (Math.floor(slot / SLOTS_PER_EPOCH) > Math.floor(view.slot / SLOTS_PER_EPOCH) + 1) return null
    const identity = config.optional('identity', asPubkey) ?? faucet.address
    if (identity !== faucet.address) return {}
    return { [identity]: Array.from({ length: SLOTS_PER_EPOCH }, (_, index) => index) }
  },
  getBlockProduction: (ledger, params) => {
    const { faucet, store } = ledger
    const config = params.config(0)
    const view = configuredView(ledger, config)
    const range = config.optional('range', asConfig) ?? new Config({})
    const firstSlot = range.integer('firstSlot') ?? view.slot - (view.slot % SLOTS_PER_EPOCH)
    const lastSlot = range.integer('lastSlot') ?? view.slot
    if (firstSlot > lastSlot || lastSlot > view.slot)
      throw invalidParams(`lastSlot, ${lastSlot}, must be from firstSlot, ${firstSlot}, to ${view.slot}`)
    const identity = config.optional('identity', asPubkey) ?? faucet.address
    const produced = [lastSlot - firstSlot + 1, store.blocks.count(firstSlot, lastSlot)]
    const byIdentity = identity === faucet.address ? { [identity]: produced } : {}
    return withContext(view, { byIdentity, range: { firstSlot, lastSlot } })
  },
  getBlockCommitment: (_, params) => {
    params.required(0, 'slot', asInteger)
    return { commitment: null, totalStake: 0 }
  },
  getClusterNodes: ({ faucet }) => [
    {
      pubkey: faucet.address,
      version: API_VERSION,
      featureSet: 0,
      shredVersion: 0,
      gossip: null,
      tpu: null,
      tpuQuic: null,
      rpc: null,
      pubsub: null,
    },
  ],
  getVoteAccounts: (_, params) => {
    params.config(0).commitment()
    return { current: [], delinquent: [] }
  },
  getInflationGovernor: () => ({ initial: 0, terminal: 0, taper: 0, foundation: 0, foundationTerm: 0 }),
  getInflationRate: ({ bank }) => ({
    total: 0,
    validator: 0,
    foundation: 0,
    epoch: Math.floor(bank.slot / SLOTS_PER_EPOCH),
  }),
  getInflationReward: (_, params) =>
    params.required(0, 'addresses', listOf(asPubkey, MAX_LEADERS, 'address')).map(() => null),
  getStakeMinimumDelegation: (ledger, params) => withContext(configuredView(ledger, params.config(0)), 1),
  getHighestSnapshotSlot: () => {
    throw new RpcError(-32008, 'No snapshot')
  },
  getMaxRetransmitSlot: ({ bank }) => bank.slot,
  getMaxShredInsertSlot: ({ bank }) => bank.slot,
}
