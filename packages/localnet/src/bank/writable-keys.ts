import { isStaticWritable, type Message, type Pubkey, UPGRADEABLE_LOADER } from '@agent-registry/solana'

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
