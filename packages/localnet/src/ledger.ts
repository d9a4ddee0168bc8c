import { Bank } from './bank/bank.ts'
import { BlockRing, RING_SIZE } from './bank/block.ts'
import { FaultControls } from './faults/fault-controls.ts'
import { Faucet } from './faucet.ts'
import { createGenesis, outdatedPrograms } from './genesis.ts'
import { stderrLogger } from './logger.ts'
import type { LedgerOptions } from './options.ts'
import { LedgerStore } from './store/ledger-store.ts'
import { EMPTY_ACCOUNT } from './vm/account.ts'
import { Vm } from './vm/vm.ts'

/** A ledger without network interfaces. */
export type Ledger = ReturnType<typeof openLedger>

/**
 * Opens the ledger in `dataDir`, or creates it. Close its store at the end.
 * @throws LedgerInUseError if a ledger already uses the directory
 */
export function openLedger(options: LedgerOptions) {
  const { dataDir, genesis, clock = { now: () => Date.now() }, logger = stderrLogger } = options
  const finalizedDepth = Math.max(1, options.finalizedDepth ?? 32)
  const store = new LedgerStore(dataDir)
  try {
    if (store.fact('genesisHash') === null) createGenesis(store, genesis, clock)
    const vm = new Vm()
    const lamportsPerByte = store.fact('lamportsPerByte')
    if (lamportsPerByte !== null) vm.setRent(Number(lamportsPerByte))
    for (const { address, owner, data, executable } of options.accounts ?? []) {
      const lamports = vm.minimumBalanceForRentExemption(data.length)
      store.accounts.put(address, { ...EMPTY_ACCOUNT, lamports, owner, data, executable })
    }
    vm.setAccounts(store.accounts.all())
    const ring = new BlockRing(store.blocks.newest(RING_SIZE))
    const { slot } = ring.tip
    // All blocks are finalized after a restart, and no slot number is used twice.
    const firstSlot = slot === 0 ? 1 : slot + finalizedDepth + 1
    const slotAfterFork = Number(store.fact('slotAfterFork')) + 1
    const bank = new Bank({ vm, store, ring, clock, finalizedDepth }, Math.max(firstSlot, slotAfterFork))
    const faults = new FaultControls(bank, store)
    const outdated = outdatedPrograms(vm, genesis)
    return { bank, vm, store, faucet: new Faucet(bank, genesis), faults, logger, outdated }
  } catch (error) {
    store.close()
    throw error
  }
}
