import { type Message, type Pubkey, pubkeyFromBytes } from '@agent-registry/solana'
import type { AccountReader } from '../vm/account.ts'
import { writableKeys } from './writable-keys.ts'

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
