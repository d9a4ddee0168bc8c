import { Bank } from './bank/bank.ts'
import { type Block, BlockRing, RING_SIZE } from './bank/block.ts'
import { FaultControls } from './faults/fault-controls.ts'
import { Faucet } from './faucet.ts'
import { stderrLogger } from './logger.ts'
import type { Clock, GenesisOptions, LedgerOptions } from './options.ts'
import { LedgerStore } from './store/ledger-store.ts'
import { type Account, EMPTY_ACCOUNT } from './vm/account.ts'
import { Vm } from './vm/vm.ts'
import { createHash, randomBytes } from 'node:crypto'
import {
  type AccountImage,
  deploymentAccounts,
  encodeBase58,
  programDataAddress,
  pubkey,
  type Pubkey,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '@agent-registry/solana'
import { encodeMint } from './vm/token-accounts.ts'

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
    for (const image of options.accounts ?? []) store.accounts.put(image.address, rentExempt(vm, image))
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

const FAUCET_LAMPORTS = 9_000_000_000_000_000n
const USDC_DECIMALS = 6

/** Writes the genesis block and the first accounts to a new store. */
function createGenesis(store: LedgerStore, genesis: GenesisOptions, clock: Clock): void {
  const offset = genesis.clockOffsetSeconds ?? 0
  const genesisHash = encodeBase58(createHash('sha256').update(randomBytes(32)).digest())
  const block: Block = {
    slot: 0,
    parentSlot: 0,
    height: 0,
    blockhash: genesisHash,
    previousBlockhash: SYSTEM_PROGRAM,
    time: Math.floor(clock.now() / 1000) + offset,
  }
  store.createLedger(block, genesisAccounts(genesis), { genesisHash, warp: String(offset) })
}

/** The programs whose code in the ledger differs from the given code. */
function outdatedPrograms(vm: Vm, { programs = [] }: GenesisOptions): Pubkey[] {
  const outdated = programs.filter(({ programId, elf }) => {
    const data = vm.getAccount(programDataAddress(programId))?.data ?? new Uint8Array()
    return Buffer.compare(data.subarray(data.length - elf.length), elf) !== 0
  })
  return outdated.map(({ programId }) => programId)
}

function genesisAccounts(genesis: GenesisOptions): [Pubkey, Account][] {
  const { faucet, usdcMint, usdcMintAuthority, programs = [], accounts = [] } = genesis
  const vm = new Vm()
  const all: [Pubkey, Account][] = [
    [pubkey(faucet.publicKey.toBase58()), { ...EMPTY_ACCOUNT, lamports: FAUCET_LAMPORTS }],
  ]
  if (usdcMint !== undefined && usdcMintAuthority !== undefined) {
    const data = encodeMint(pubkey(usdcMintAuthority.publicKey.toBase58()), USDC_DECIMALS)
    const mint = rentExempt(vm, { owner: TOKEN_PROGRAM, data, executable: false })
    all.push([pubkey(usdcMint.publicKey.toBase58()), mint])
  }
  for (const program of programs) {
    const images = Object.values(deploymentAccounts({ ...program, slot: 0n }))
    for (const image of images) all.push([image.address, rentExempt(vm, image)])
  }
  return [...all, ...accounts]
}

function rentExempt(vm: Vm, { owner, data, executable }: Omit<AccountImage, 'address'>): Account {
  const lamports = vm.minimumBalanceForRentExemption(data.length)
  return { ...EMPTY_ACCOUNT, lamports, owner, data, executable }
}
