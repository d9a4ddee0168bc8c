import { createHash } from 'node:crypto'
import {
  isStaticWritable,
  type Message,
  type Pubkey,
  pubkeyBytes,
  pubkeyFromBytes,
  SYSTEM_PROGRAM,
} from '@agent-registry/solana'
import type { Account, AccountReader } from '../vm/account.ts'
import type { Vm } from '../vm/vm.ts'

const ADVANCE_NONCE_ACCOUNT = 4
const NONCE_ACCOUNT_BYTES = 80
const INITIALIZED = 1
const CURRENT_VERSION = 1

/** Returns null if the account is not an initialized nonce account. */
export function decodeNonceAccount(account: Account | null) {
  if (account?.owner !== SYSTEM_PROGRAM || account.data.length !== NONCE_ACCOUNT_BYTES) return null
  const view = new DataView(account.data.buffer, account.data.byteOffset, NONCE_ACCOUNT_BYTES)
  if (view.getUint32(0, true) !== CURRENT_VERSION || view.getUint32(4, true) !== INITIALIZED) return null
  return {
    authority: pubkeyFromBytes(account.data.subarray(8, 40)),
    /** Stands in place of the blockhash in a transaction. */
    nonce: pubkeyFromBytes(account.data.subarray(40, 72)),
    lamportsPerSignature: view.getBigUint64(72, true),
  }
}

/** The nonce account of a message whose first instruction is AdvanceNonceAccount, or null. */
export function advancedNonceAccount(message: Message): Pubkey | null {
  const [first] = message.instructions
  if (first === undefined || message.staticKeys[first.programIdIndex] !== SYSTEM_PROGRAM) return null
  const { accounts, data } = first
  const isAdvance = data[0] === ADVANCE_NONCE_ACCOUNT && data[1] === 0 && data[2] === 0 && data[3] === 0
  const index = accounts[0]
  if (!isAdvance || index === undefined || index >= message.staticKeys.length) return null
  return isStaticWritable(message, index) ? (message.staticKeys[index] ?? null) : null
}

/**
 * Whether a durable nonce makes the message valid in the block after the one with the blockhash.
 */
export function hasUsableNonce(message: Message, read: AccountReader, blockhash: string): boolean {
  const key = advancedNonceAccount(message)
  const stored = key === null ? null : decodeNonceAccount(read(key))
  if (stored === null || stored.nonce !== message.blockhash) return false
  // A nonce advances at most once per block.
  if (stored.nonce === durableNonce(blockhash)) return false
  const signers = message.instructions[0]?.accounts.filter((index) => index < message.requiredSignatures)
  return signers?.some((index) => message.staticKeys[index] === stored.authority) ?? false
}

/**
 * The nonce that an account has after it advances in the block after the one with the blockhash.
 */
function durableNonce(blockhash: string): Pubkey {
  const hash = createHash('sha256').update('DURABLE_NONCE').update(pubkeyBytes(blockhash))
  return pubkeyFromBytes(hash.digest())
}

// Instructions that create or advance a nonce need this account.
const RECENT_BLOCKHASHES = 'SysvarRecentB1ockHashes11111111111111111111' as Pubkey
// 32 bytes of 0xff, which no blockhash leads to.
const OTHER_NONCE = 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG' as Pubkey

interface Blockhashes {
  /** The blockhash of the transaction. */
  readonly own: string
  /** The blockhash of the last block. */
  readonly last: string
}

/** Returns the account as a node stores it after the transaction. */
type ToNode = (key: Pubkey, account: Account) => Account

/**
 * Runs `work` with the rules of a node. The VM compares nonces with the blockhash of the
 * transaction and derives the next nonce from it. A node uses the last block.
 */
export function withNonceRules<T>(
  vm: Vm,
  keys: readonly Pubkey[],
  { own, last }: Blockhashes,
  work: (toNode: ToNode) => T,
): T {
  if (!keys.includes(RECENT_BLOCKHASHES)) return work((_, account) => account)
  const [ownNonce, lastNonce] = [durableNonce(own), durableNonce(last)]
  const nonces = new Map<Pubkey, { stored: Pubkey; shown: Pubkey }>()
  for (const key of keys) {
    const account = vm.getAccount(key)
    const stored = decodeNonceAccount(account)?.nonce
    if (account === null || stored === undefined) continue
    // The VM refuses to advance a nonce that is equal to the one of the transaction's blockhash.
    const shown = stored === lastNonce ? ownNonce : stored === ownNonce ? OTHER_NONCE : stored
    nonces.set(key, { stored, shown })
    if (shown !== stored) vm.setAccount(key, withNonce(account, shown))
  }
  const toNode: ToNode = (key, account) => {
    const nonce = decodeNonceAccount(account)?.nonce
    const before = nonces.get(key)
    if (nonce === undefined) return account
    return withNonce(account, nonce === before?.shown ? before.stored : lastNonce)
  }
  try {
    return work(toNode)
  } finally {
    for (const key of keys) {
      const account = vm.getAccount(key)
      if (decodeNonceAccount(account) !== null && account !== null) vm.setAccount(key, toNode(key, account))
    }
  }
}

/** Advances a nonce as in the block after the one with the blockhash. */
export function advanceNonce(vm: Vm, key: Pubkey, blockhash: string): void {
  const account = vm.getAccount(key)
  if (account !== null && decodeNonceAccount(account) !== null)
    vm.setAccount(key, withNonce(account, durableNonce(blockhash)))
}

function withNonce(account: Account, nonce: Pubkey): Account {
  const data = Uint8Array.from(account.data)
  data.set(pubkeyBytes(nonce), 40)
  return { ...account, data }
}
