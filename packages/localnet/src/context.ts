import { Bank } from './bank/bank.ts'
import { BlockRing } from './bank/block-ring.ts'
import { SlotTime } from './bank/slot-time.ts'
import { FaultControls } from './faults/fault-controls.ts'
import { Faucet } from './faucet.ts'
import { ensureGenesis, loadLedger, outdatedPrograms } from './genesis.ts'
import type { Logger } from './logger.ts'
import type { Clock, LocalnetOptions } from './options.ts'
import type { RpcContext } from './rpc/context.ts'
import type { LedgerStore } from './store/ledger-store.ts'

/** Brings the ledger of a store to life, from its genesis or from where it stopped. */
export function openContext(
  store: LedgerStore,
  { genesis, confirmedDepth = 1, finalizedDepth = 32 }: LocalnetOptions,
  logger: Logger,
  clock: Clock,
): RpcContext {
  ensureGenesis(store, genesis, clock)
  const { vm, blocks } = loadLedger(store)
  for (const program of outdatedPrograms(vm, genesis)) {
    logger.warn(
      { program },
      'the ledger runs an older build of this program; a new data directory takes the new one',
    )
  }
  const ring = new BlockRing(blocks)
  const { slot, time } = ring.tip
  const bank = new Bank({
    vm,
    store,
    ring,
    time: new SlotTime(clock, time, Number(store.fact('warp'))),
    // What was not final when the ledger stopped is by the time it runs again, and no slot number comes twice.
    slot: Math.max(slot === 0 ? 1 : slot + finalizedDepth + 1, Number(store.fact('slotAfterFork')) + 1),
    confirmedDepth: Math.max(1, confirmedDepth),
    finalizedDepth: Math.max(1, confirmedDepth, finalizedDepth),
  })
  const faults = new FaultControls(bank, store)
  return { bank, vm, store, faucet: new Faucet(bank, genesis), faults, logger }
}
