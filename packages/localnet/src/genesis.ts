import { createHash, randomBytes } from 'node:crypto'
import bs58 from 'bs58'
import { pubkey, type Pubkey, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '@agent-registry/solana'
import type { Block } from './bank/block.ts'
import { RING_SIZE } from './bank/block-ring.ts'
import { programAccounts, programDataAddress } from './loader-accounts.ts'
import type { Clock, GenesisOptions } from './options.ts'
import type { LedgerStore } from './store/ledger-store.ts'
import type { Account } from './vm/account.ts'
import { encodeMint, MINT_BYTES } from './vm/token-accounts.ts'
import { Vm } from './vm/vm.ts'

const FAUCET_LAMPORTS = 9_000_000_000_000_000n
export const USDC_DECIMALS = 6

/** Fills a new store with its genesis block and accounts. Does nothing to a store that has one. */
export function ensureGenesis(store: LedgerStore, genesis: GenesisOptions, clock: Clock): void {
  if (store.fact('genesisHash') !== null) return
  const vm = new Vm()
  const offset = genesis.clockOffsetSeconds ?? 0
  const genesisHash = bs58.encode(createHash('sha256').update(randomBytes(32)).digest())
  const block: Block = {
    slot: 0,
    parentSlot: 0,
    height: 0,
    blockhash: genesisHash,
    previousBlockhash: SYSTEM_PROGRAM,
    time: Math.floor(clock.now() / 1000) + offset,
  }
  store.createLedger(
    block,
    genesisAccounts(genesis, (bytes) => vm.minimumBalanceForRentExemption(bytes)),
    {
      genesisHash,
      warp: String(offset),
    },
  )
}

/** The VM with the accounts of the store, and the newest blocks. */
export function loadLedger(store: LedgerStore): { vm: Vm; blocks: Block[] } {
  const vm = new Vm()
  vm.setAccounts(store.accounts.all())
  return { vm, blocks: store.blocks.newest(RING_SIZE) }
}

/** Programs whose code on the ledger is not the one given: the ledger was made by an older build. */
export function outdatedPrograms(vm: Vm, { programs = [] }: GenesisOptions): Pubkey[] {
  return programs
    .filter(({ programId, elf }) => {
      const data = vm.getAccount(programDataAddress(programId))?.data ?? new Uint8Array()
      return Buffer.compare(data.subarray(data.length - elf.length), elf) !== 0
    })
    .map(({ programId }) => programId)
}

function* genesisAccounts(
  { faucet, usdcMint, usdcMintAuthority, programs = [], accounts = new Map() }: GenesisOptions,
  rentFor: (bytes: number) => bigint,
): Generator<readonly [Pubkey, Account]> {
  const empty = { data: new Uint8Array(), executable: false, rentEpoch: 0n }
  yield [pubkey(faucet.publicKey.toBase58()), { ...empty, lamports: FAUCET_LAMPORTS, owner: SYSTEM_PROGRAM }]
  if (usdcMint !== undefined && usdcMintAuthority !== undefined) {
    const data = encodeMint(pubkey(usdcMintAuthority.publicKey.toBase58()), USDC_DECIMALS)
    yield [
      pubkey(usdcMint.publicKey.toBase58()),
      { ...empty, data, lamports: rentFor(MINT_BYTES), owner: TOKEN_PROGRAM },
    ]
  }
  for (const program of programs) yield* programAccounts(program, rentFor)
  yield* accounts
}
