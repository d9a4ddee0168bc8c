import {
  isStaticWritable,
  type Message,
  type Pubkey,
  pubkeyFromBytes,
  UPGRADEABLE_LOADER,
} from '@agent-registry/solana'
import type { AccountReader } from '../vm/account.ts'

export type AccountKeys = ReturnType<typeof accountKeys>

// The addresses of a lookup table come after its metadata.
const TABLE_HEADER_BYTES = 56

/**
 * Resolves lookup tables. Missing addresses are left out, and the VM refuses such a transaction.
 */
export function accountKeys(message: Message, read: AccountReader) {
  const load = (kind: 'writable' | 'readonly'): Pubkey[] =>
    message.lookups.flatMap((lookup) => addressesAt(read(lookup.table)?.data, lookup[kind]))
  const loaded = { writable: load('writable'), readonly: load('readonly') }
  // The order of account indexes.
  const all = [...message.staticKeys, ...loaded.writable, ...loaded.readonly]
  const writable = writableKeys(message, loaded)
  const used = new Set(message.instructions.flatMap((each) => [...each.accounts]))
  // Keys that are not writable and that no instruction uses, such as programs.
  const idle = all.filter((key, index) => !writable.has(key) && !used.has(index))
  return { all, writable, idle, loaded }
}

function addressesAt(table: Uint8Array | undefined, indexes: Uint8Array): Pubkey[] {
  const offsets = [...indexes].map((index) => TABLE_HEADER_BYTES + 32 * index)
  return offsets.flatMap((start) => {
    const isThere = table !== undefined && start + 32 <= table.length
    return isThere ? [pubkeyFromBytes(table.subarray(start, start + 32))] : []
  })
}

// Sysvars and programs that are part of the VM. No transaction can write them.
const RESERVED: ReadonlySet<string> = new Set([
  '11111111111111111111111111111111',
  'AddressLookupTab1e1111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'ComputeBudget111111111111111111111111111111',
  'Config1111111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'Feature111111111111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'NativeLoader1111111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  'StakeConfig11111111111111111111111111111111',
  'Sysvar1111111111111111111111111111111111111',
  'SysvarC1ock11111111111111111111111111111111',
  'SysvarEpochRewards1111111111111111111111111',
  'SysvarEpochSchedu1e111111111111111111111111',
  'SysvarFees111111111111111111111111111111111',
  'Sysvar1nstructions1111111111111111111111111',
  'SysvarLastRestartS1ot1111111111111111111111',
  'SysvarRecentB1ockHashes11111111111111111111',
  'SysvarRent111111111111111111111111111111111',
  'SysvarRewards111111111111111111111111111111',
  'SysvarS1otHashes111111111111111111111111111',
  'SysvarS1otHistory11111111111111111111111111',
  'SysvarStakeHistory1111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'ZkE1Gama1Proof11111111111111111111111111111',
  'ZkTokenProof1111111111111111111111111111111',
])

interface Loaded {
  readonly writable: readonly Pubkey[]
  readonly readonly: readonly Pubkey[]
}

/** The keys that a transaction can write. They may be fewer than its message says. */
export function writableKeys(message: Message, loaded: Loaded): Set<Pubkey> {
  const { staticKeys, instructions } = message
  // A called program is read-only, unless the transaction may upgrade it.
  const mayUpgrade = [staticKeys, loaded.writable, loaded.readonly].some((keys) =>
    keys.includes(UPGRADEABLE_LOADER),
  )
  const called = new Set(mayUpgrade ? [] : instructions.map((each) => each.programIdIndex))
  const requested = staticKeys.filter((_, index) => isStaticWritable(message, index) && !called.has(index))
  return new Set([...requested, ...loaded.writable].filter((key) => !RESERVED.has(key)))
}
