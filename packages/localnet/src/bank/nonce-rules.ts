import { type Pubkey, pubkeyBytes } from '@agent-registry/solana'
import type { Account } from '../vm/account.ts'
import type { Vm } from '../vm/vm.ts'
import { decodeNonceAccount, durableNonce } from './durable-nonce.ts'

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
